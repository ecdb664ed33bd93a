// Reads, atomic writes and temporary directories, including failures.
#include "numpy_plugin/system/file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::system {
namespace {

std::size_t n_entries(const std::string& directory) {
  const std::filesystem::directory_iterator entries(directory);
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

unsigned mode_of(const std::string& path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 0777u : 0u;
}

TEST(FileTest, GivesBackWhatWasWritten) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/entry";
  std::string bytes(300'000, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7);
  ASSERT_TRUE(write_file_atomically(path, bytes));
  EXPECT_EQ(read_file(path), bytes);
}

TEST(FileTest, WritesAnEmptyFile) {
  const TemporaryDirectory directory;
  ASSERT_TRUE(write_file_atomically(directory.path() + "/empty", ""));
  EXPECT_EQ(read_file(directory.path() + "/empty"), "");
}

TEST(FileTest, ReplacesAFileAndLeavesNothingElse) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/entry";
  ASSERT_TRUE(write_file_atomically(path, "a long first text"));
  ASSERT_TRUE(write_file_atomically(path, "second"));
  EXPECT_EQ(read_file(path), "second");
  EXPECT_EQ(n_entries(directory.path()), 1u);
}

TEST(FileTest, WritesForThisUserAlone) {
  const TemporaryDirectory directory;
  ASSERT_TRUE(write_file_atomically(directory.path() + "/entry", "text"));
  EXPECT_EQ(mode_of(directory.path() + "/entry"), 0600u);
  EXPECT_EQ(mode_of(directory.path()), 0700u);
}

TEST(FileTest, ReportsAWriteThatFailed) {
  const TemporaryDirectory directory;
  EXPECT_FALSE(write_file_atomically(directory.path() + "/absent/entry", "text"));
  // A directory at the target path: only the rename fails.
  ASSERT_TRUE(std::filesystem::create_directory(directory.path() + "/taken"));
  EXPECT_FALSE(write_file_atomically(directory.path() + "/taken", "text"));
  EXPECT_EQ(n_entries(directory.path()), 1u);
  EXPECT_FALSE(write_file_atomically(directory.path() + "/" + std::string(300, 'n'), "text"));
}

TEST(FileTest, FindsNothingWhereNoFileIs) {
  const TemporaryDirectory directory;
  EXPECT_EQ(read_file(directory.path() + "/absent"), std::nullopt);
  EXPECT_EQ(read_file(directory.path()), std::nullopt);
}

TEST(FileTest, ReadsAFileWithoutASize) {
  const auto text = read_file("/proc/self/status");
  ASSERT_TRUE(text.has_value());
  EXPECT_NE(text->find("Name:"), std::string::npos);
}

TEST(FileTest, MakesTheWayToAFileButNotARemovedDirectory) {
  const TemporaryDirectory directory;
  directory.make_way("one/two/file");
  EXPECT_TRUE(write_file_atomically(directory.path() + "/one/two/file", "text"));
  std::filesystem::remove_all(directory.path());
  directory.make_way("one/two/file");
  EXPECT_FALSE(std::filesystem::exists(directory.path()));
}

TEST(FileTest, RemovesTheTemporaryDirectoryWithAllItHolds) {
  std::string path;
  {
    const TemporaryDirectory directory;
    path = directory.path();
    std::filesystem::create_directories(path + "/one/two");
    ASSERT_TRUE(write_file_atomically(path + "/one/two/entry", "text"));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(FileTest, NamesTheRemedyWhereNoDirectoryCanBeMade) {
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("TMPDIR", "/absent/directory", 1);
  try {
    const TemporaryDirectory directory;
    ADD_FAILURE() << directory.path();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kRuntime);
    EXPECT_NE(std::string(error.what()).find("/absent/directory"), std::string::npos)
        << error.what();
    EXPECT_NE(std::string(error.what()).find("set TMPDIR"), std::string::npos) << error.what();
  }
  before == nullptr ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", kept.c_str(), 1);
}

}  // namespace
}  // namespace numpy_plugin::system
