// The disk cache with all kinds of invalid directories and entries.
#include "numpy_plugin/jit/cache/cache.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/jit/cache/cache_files.hpp"
#include "numpy_plugin/system/file.hpp"

namespace numpy_plugin::jit {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kAnotherUser = 12345;

class CacheTest : public testing::Test {
 protected:
  CacheTest() : directory_(temporary_.path() + "/cache") { use(directory_); }
  ~CacheTest() override { ::unsetenv("NUMPY_PLUGIN_CACHE_DIR"); }

  static void use(const std::string& directory) {
    ::setenv("NUMPY_PLUGIN_CACHE_DIR", directory.c_str(), 1);
  }
  static std::string key(const std::string& text) { return CacheKey().add("text", text).digest(); }
  static void write(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }

  system::TemporaryDirectory temporary_;
  std::string directory_;
};

// Runs `task` in a child process and returns its result.
bool in_child(const std::function<bool()>& task) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(task() ? 0 : 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_F(CacheTest, gives_back_what_was_stored) {
  const Cache cache = Cache::user_cache();
  ASSERT_TRUE(cache.is_usable()) << cache.reason();
  const std::string payload(
      "\x7f"
      "ELF\0bytes",
      10);
  EXPECT_EQ(cache.load(key("a"), ".so"), std::nullopt);
  const std::optional<std::string> path = cache.store(key("a"), ".so", payload);
  ASSERT_TRUE(path.has_value());
  EXPECT_EQ(cache.load(key("a"), ".so"), payload);
  EXPECT_EQ(cache.load(key("a"), ".ptx"), std::nullopt);
  EXPECT_EQ(*path, fs::canonical(directory_).string() + "/" + key("a") + ".so");
}

TEST_F(CacheTest, entry_begins_with_the_payload_itself) {
  const Cache cache = Cache::user_cache();
  const std::string path = cache.store(key("a"), ".so", "payload").value();
  EXPECT_EQ(system::read_file(path)->substr(0, 7), "payload");
}

TEST_F(CacheTest, keeps_an_empty_payload) {
  const Cache cache = Cache::user_cache();
  cache.store(key("a"), ".ptx", "");
  EXPECT_EQ(cache.load(key("a"), ".ptx"), "");
}

TEST_F(CacheTest, later_store_replaces_the_earlier) {
  const Cache cache = Cache::user_cache();
  cache.store(key("a"), ".ptx", "one");
  cache.store(key("a"), ".ptx", "two");
  EXPECT_EQ(cache.load(key("a"), ".ptx"), "two");
  EXPECT_EQ(cache.entries().size(), 1u);
}

TEST(CacheKeyTest, separates_its_parts) {
  const std::string one = CacheKey().add("ab", "c").digest();
  EXPECT_NE(one, CacheKey().add("a", "bc").digest());
  EXPECT_NE(one, CacheKey().add("ab", "").add("", "c").digest());
  EXPECT_NE(one, CacheKey().add("ab", "c").add("", "").digest());
  EXPECT_EQ(one, CacheKey().add("ab", "c").digest());
  EXPECT_EQ(one.size(), 64u);
}

TEST_F(CacheTest, makes_its_directory_for_this_user_alone) {
  use(temporary_.path() + "/not/there/yet");
  const Cache cache = Cache::user_cache();
  ASSERT_TRUE(cache.is_usable()) << cache.reason();
  for (const char* part : {"/not", "/not/there", "/not/there/yet"}) {
    EXPECT_EQ(fs::status(temporary_.path() + part).permissions(), fs::perms::owner_all);
  }
}

TEST_F(CacheTest, is_found_through_the_environment) {
  ::unsetenv("NUMPY_PLUGIN_CACHE_DIR");
  const char* home = std::getenv("HOME");
  const std::string old_home = home == nullptr ? "" : home;
  const char* caches = std::getenv("XDG_CACHE_HOME");
  const std::string old_caches = caches == nullptr ? "" : caches;

  const std::string root = fs::canonical(temporary_.path()).string();
  ::setenv("HOME", (root + "/home").c_str(), 1);
  ::unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(Cache::user_cache().directory(), root + "/home/.cache/numpy_plugin");
  ::setenv("XDG_CACHE_HOME", "not/absolute", 1);
  EXPECT_EQ(Cache::user_cache().directory(), root + "/home/.cache/numpy_plugin");
  ::setenv("XDG_CACHE_HOME", (root + "/caches").c_str(), 1);
  EXPECT_EQ(Cache::user_cache().directory(), root + "/caches/numpy_plugin");
  ::unsetenv("XDG_CACHE_HOME");
  ::unsetenv("HOME");
  EXPECT_FALSE(Cache::user_cache().is_usable());
  EXPECT_NE(Cache::user_cache().reason().find("NUMPY_PLUGIN_CACHE_DIR"), std::string::npos);

  if (home != nullptr) ::setenv("HOME", old_home.c_str(), 1);
  if (caches != nullptr) ::setenv("XDG_CACHE_HOME", old_caches.c_str(), 1);
}

TEST_F(CacheTest, every_look_up_misses_where_a_file_is_in_the_directory_s_place) {
  write(directory_, "a file");
  const Cache cache = Cache::user_cache();
  EXPECT_FALSE(cache.is_usable());
  EXPECT_NE(cache.reason().find("is not a directory"), std::string::npos) << cache.reason();
  EXPECT_EQ(cache.store(key("a"), ".so", "x"), std::nullopt);
  EXPECT_EQ(cache.load(key("a"), ".so"), std::nullopt);
  EXPECT_TRUE(cache.entries().empty());
  EXPECT_EQ(cache.clear(), 0u);
}

TEST_F(CacheTest, refuses_a_directory_below_a_file) {
  write(directory_, "a file");
  use(directory_ + "/below");
  EXPECT_FALSE(Cache::user_cache().is_usable());
}

TEST_F(CacheTest, refuses_a_directory_that_others_may_write_to) {
  for (const int mode : {0770, 0702, 0777, 01777}) {
    fs::remove_all(directory_);
    ::mkdir(directory_.c_str(), 0700);
    ::chmod(directory_.c_str(), static_cast<mode_t>(mode));
    const Cache cache = Cache::user_cache();
    EXPECT_FALSE(cache.is_usable()) << std::oct << mode;
    EXPECT_NE(cache.reason().find("other users"), std::string::npos) << cache.reason();
  }
  ::chmod(directory_.c_str(), 0755);
  EXPECT_TRUE(Cache::user_cache().is_usable());
}

TEST_F(CacheTest, refuses_the_directory_of_another_user) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a directory away";
  ::mkdir(directory_.c_str(), 0700);
  ASSERT_EQ(::chown(directory_.c_str(), kAnotherUser, kAnotherUser), 0);
  const Cache cache = Cache::user_cache();
  EXPECT_FALSE(cache.is_usable());
  EXPECT_NE(cache.reason().find("belongs to user 12345"), std::string::npos) << cache.reason();
}

TEST_F(CacheTest, follows_a_link_of_this_user_only) {
  fs::create_directory(temporary_.path() + "/real");
  ::chmod((temporary_.path() + "/real").c_str(), 0700);
  fs::create_symlink(temporary_.path() + "/real", directory_);
  const Cache cache = Cache::user_cache();
  ASSERT_TRUE(cache.is_usable()) << cache.reason();
  EXPECT_EQ(cache.directory(), fs::canonical(temporary_.path()).string() + "/real");
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a link away";
  ASSERT_EQ(::lchown(directory_.c_str(), kAnotherUser, kAnotherUser), 0);
  EXPECT_FALSE(Cache::user_cache().is_usable());
}

TEST_F(CacheTest, read_only_directory_still_gives_what_it_holds) {
  Cache::user_cache().store(key("a"), ".so", "payload");
  ::chmod(directory_.c_str(), 0500);
  const bool is_root = ::geteuid() == 0;
  if (is_root) {  // permissions don't stop root: another user looks instead
    ::chmod(temporary_.path().c_str(), 0755);
    for (const auto& file : fs::directory_iterator(directory_)) {
      ASSERT_EQ(::chown(file.path().c_str(), kAnotherUser, kAnotherUser), 0);
    }
    ASSERT_EQ(::chown(directory_.c_str(), kAnotherUser, kAnotherUser), 0);
  }
  EXPECT_TRUE(in_child([&] {
    if (is_root && ::setuid(kAnotherUser) != 0) return false;
    const Cache cache = Cache::user_cache();
    return cache.is_usable() && cache.load(key("a"), ".so") == "payload" &&
           !cache.store(key("b"), ".so", "x").has_value();
  }));
  ::chmod(directory_.c_str(), 0700);
}

TEST_F(CacheTest, entry_cut_off_anywhere_is_a_miss_and_goes_away) {
  const Cache cache = Cache::user_cache();
  const std::string path = cache.store(key("a"), ".so", "payload").value();
  const std::string whole = system::read_file(path).value();
  for (std::size_t n_bytes = 0; n_bytes < whole.size(); ++n_bytes) {
    write(path, whole.substr(0, n_bytes));
    ::chmod(path.c_str(), 0600);
    EXPECT_EQ(cache.load(key("a"), ".so"), std::nullopt) << n_bytes;
    EXPECT_FALSE(fs::exists(path)) << n_bytes;
  }
}

TEST_F(CacheTest, flipped_byte_anywhere_is_a_miss_and_goes_away) {
  const Cache cache = Cache::user_cache();
  const std::string path = cache.store(key("a"), ".so", "payload").value();
  const std::string whole = system::read_file(path).value();
  for (std::size_t position = 0; position < whole.size(); ++position) {
    std::string changed = whole;
    changed[position] = static_cast<char>(changed[position] ^ 1);
    write(path, changed);
    ::chmod(path.c_str(), 0600);
    EXPECT_EQ(cache.load(key("a"), ".so"), std::nullopt) << position;
    EXPECT_FALSE(fs::exists(path)) << position;
  }
}

TEST_F(CacheTest, bytes_behind_an_entry_are_a_miss) {
  const Cache cache = Cache::user_cache();
  const std::string path = cache.store(key("a"), ".so", "payload").value();
  std::ofstream(path, std::ios::app) << "more";
  EXPECT_EQ(cache.load(key("a"), ".so"), std::nullopt);
}

TEST_F(CacheTest, entry_of_another_user_is_a_miss_and_goes_away) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  const Cache cache = Cache::user_cache();
  const std::string path = cache.store(key("a"), ".so", "payload").value();
  ASSERT_EQ(::chown(path.c_str(), kAnotherUser, kAnotherUser), 0);
  EXPECT_EQ(cache.load(key("a"), ".so"), std::nullopt);
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(CacheTest, entry_that_others_may_write_to_is_a_miss) {
  const Cache cache = Cache::user_cache();
  const std::string path = cache.store(key("a"), ".so", "payload").value();
  ::chmod(path.c_str(), 0666);
  EXPECT_EQ(cache.load(key("a"), ".so"), std::nullopt);
}

TEST_F(CacheTest, entry_under_another_name_is_a_miss) {
  const Cache cache = Cache::user_cache();
  const std::string first = cache.store(key("a"), ".so", "one").value();
  const std::string second = cache.store(key("b"), ".so", "two").value();
  fs::copy_file(first, second, fs::copy_options::overwrite_existing);
  EXPECT_EQ(cache.load(key("b"), ".so"), std::nullopt);
  fs::copy_file(first, cache.directory() + "/" + key("a") + ".ptx");
  EXPECT_EQ(cache.load(key("a"), ".ptx"), std::nullopt);
  EXPECT_EQ(cache.load(key("a"), ".so"), "one");
}

TEST_F(CacheTest, entry_is_good_while_its_files_are_the_same) {
  const Cache cache = Cache::user_cache();
  const std::string file = temporary_.path() + "/read.hpp";
  const std::string absent = temporary_.path() + "/absent.hpp";
  write(file, "one");
  const Dependency read = dependency_on(file, file_time_now() + 1'000'000'000).value();
  cache.store(key("a"), ".so", "payload", {read, {absent, ""}});
  EXPECT_EQ(cache.load(key("a"), ".so"), "payload");
  write(file, "two");
  EXPECT_EQ(cache.load(key("a"), ".so"), std::nullopt);
  write(file, "one");
  EXPECT_EQ(cache.load(key("a"), ".so"), "payload");
  write(absent, "");
  EXPECT_EQ(cache.load(key("a"), ".so"), std::nullopt);
  fs::remove(absent);
  fs::remove(file);
  EXPECT_EQ(cache.load(key("a"), ".so"), std::nullopt);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_EQ(cache.load(key("a"), ".so"), std::nullopt);
}

TEST_F(CacheTest, what_was_not_used_for_longest_goes) {
  const Cache cache = Cache::user_cache();
  for (const char* name : {"a", "b", "c"}) {
    const std::string path = cache.store(key(name), ".so", std::string(1000, 'x')).value();
    const timespec times[] = {{1000, 0}, {1000 + name[0], 0}};
    ::utimensat(AT_FDCWD, path.c_str(), times, 0);
  }
  EXPECT_TRUE(cache.load(key("a"), ".so").has_value());
  const std::uint64_t n_bytes = cache.entries().front().n_bytes;
  keep_within(cache.directory(), 3 * n_bytes);
  EXPECT_EQ(cache.entries().size(), 3u);
  keep_within(cache.directory(), 3 * n_bytes - 1);
  EXPECT_FALSE(cache.load(key("b"), ".so").has_value());
  EXPECT_TRUE(cache.load(key("c"), ".so").has_value());
  keep_within(cache.directory(), 0);
  EXPECT_TRUE(cache.entries().empty());
}

TEST_F(CacheTest, size_is_read_with_its_unit) {
  const std::pair<const char*, std::uint64_t> sizes[] = {
      {"", 1'000'000'000}, {"0", 0}, {"123", 123}, {"1.5 kB", 1500}, {" 2GiB ", 2147483648}};
  for (const auto& [text, size] : sizes) {
    ::setenv("NUMPY_PLUGIN_CACHE_SIZE", text, 1);
    EXPECT_EQ(cache_size_limit(), size) << text;
  }
  for (const char* text : {"GB", "1 X", "-1", "1e3", "inf", "nan", "2 GiB 3"}) {
    ::setenv("NUMPY_PLUGIN_CACHE_SIZE", text, 1);
    EXPECT_THROW(cache_size_limit(), base::Error) << text;
  }
  ::unsetenv("NUMPY_PLUGIN_CACHE_SIZE");
}

TEST_F(CacheTest, link_in_an_entry_s_place_is_not_followed) {
  const Cache cache = Cache::user_cache();
  const std::string path = cache.store(key("a"), ".so", "payload").value();
  const std::string elsewhere = temporary_.path() + "/elsewhere";
  fs::rename(path, elsewhere);
  fs::create_symlink(elsewhere, path);
  EXPECT_EQ(cache.load(key("a"), ".so"), std::nullopt);
  EXPECT_FALSE(fs::is_symlink(path));
  EXPECT_TRUE(fs::exists(elsewhere));
}

TEST_F(CacheTest, neither_pipe_nor_directory_in_an_entry_s_place_stops_a_look_up) {
  const Cache cache = Cache::user_cache();
  const std::string path = cache.directory() + "/" + key("a") + ".so";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(cache.load(key("a"), ".so"), std::nullopt);
  fs::remove(path);
  fs::create_directory(path);
  EXPECT_EQ(cache.load(key("a"), ".so"), std::nullopt);
  EXPECT_EQ(cache.store(key("a"), ".so", "x"), std::nullopt);
}

TEST_F(CacheTest, full_disk_stores_nothing_and_leaves_nothing) {
  EXPECT_TRUE(in_child([&] {
    const Cache cache = Cache::user_cache();
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {4096, 4096};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
    return !cache.store(key("a"), ".so", std::string(100000, 'x')).has_value() &&
           !cache.load(key("a"), ".so").has_value() && fs::is_empty(directory_) &&
           cache.store(key("b"), ".so", "small").has_value();
  }));
}

TEST_F(CacheTest, many_processes_store_and_load_the_same_key) {
  const std::string payload(200000, 'p');
  std::vector<pid_t> children;
  for (int child = 0; child < 8; ++child) {
    const pid_t number = ::fork();
    if (number == 0) {
      bool is_right = true;
      for (int round = 0; round < 20; ++round) {
        const Cache cache = Cache::user_cache();
        const std::optional<std::string> found = cache.load(key("a"), ".so");
        is_right = is_right && (!found.has_value() || *found == payload) &&
                   cache.store(key("a"), ".so", payload).has_value();
      }
      ::_exit(is_right ? 0 : 1);
    }
    children.push_back(number);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  EXPECT_EQ(Cache::user_cache().load(key("a"), ".so"), payload);
  EXPECT_EQ(std::distance(fs::directory_iterator(directory_), fs::directory_iterator()), 1);
}

TEST_F(CacheTest, lists_and_clears_its_own_files_only) {
  const Cache cache = Cache::user_cache();
  cache.store(key("a"), ".so", "payload");
  const std::string damaged = cache.store(key("b"), ".ptx", "payload").value();
  write(damaged, "x");
  const std::string left_over = cache.directory() + "/" + key("c") + ".so.a1b2c3";
  write(left_over, "x");
  write(cache.directory() + "/notes.txt", "a user's own");

  const std::vector<Cache::Entry> entries = cache.entries();
  ASSERT_EQ(entries.size(), 2u);
  for (const Cache::Entry& entry : entries) {
    EXPECT_EQ(entry.is_whole, entry.name == key("a") + ".so");
    EXPECT_GT(entry.used, 1600000000);
  }
  EXPECT_TRUE(fs::exists(damaged)) << "listing removes nothing";
  EXPECT_EQ(cache.clear(), 2u);
  EXPECT_FALSE(fs::exists(left_over));
  EXPECT_TRUE(fs::exists(cache.directory() + "/notes.txt"));
  EXPECT_TRUE(cache.entries().empty());
}

}  // namespace
}  // namespace numpy_plugin::jit
