// Files by system calls: every failure is detected, and no descriptor leaks to a child.
#include "numpy_plugin/system/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>

#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::system {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  // Some file systems report a failed write only on close.
  bool close() {
    const int number = number_;
    number_ = -1;
    return ::close(number) == 0;
  }

 private:
  int number_;
};

// Best effort: errors are ignored.
void remove_tree(const std::string& path) {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

// Renamed first, so that running threads add nothing to it; retried for a while because of threads
// and killed children that are in the middle of a write.
void remove_used_tree(const std::string& path) {
  constexpr int kMostAttempts = 100;
  constexpr std::chrono::milliseconds kPause(10);
  const std::string ended = path + ".ended";
  std::rename(path.c_str(), ended.c_str());  // fails where another thread has begun
  for (int i = 0; i < kMostAttempts && ::access(ended.c_str(), F_OK) == 0; ++i) {
    if (i > 0) std::this_thread::sleep_for(kPause);
    remove_tree(ended);
  }
}

std::size_t size_hint(int descriptor) {
  struct stat status;
  if (::fstat(descriptor, &status) != 0 || status.st_size < 0) return 0;
  return static_cast<std::size_t>(status.st_size);
}

}  // namespace

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n_written = ::write(descriptor, bytes.data(), bytes.size());
    if (n_written < 0 && errno == EINTR) continue;
    if (n_written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n_written));
  }
  return true;
}

std::optional<std::string> read_file(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return std::nullopt;
  // One byte more than the size, so that the usual file needs no growth; the size is only a hint,
  // because the file may grow and those in /proc have none.
  std::string bytes(size_hint(file.number()) + 1, '\0');
  std::size_t n_read = 0;
  while (true) {
    const ssize_t got = ::read(file.number(), bytes.data() + n_read, bytes.size() - n_read);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    n_read += static_cast<std::size_t>(got);
    if (n_read == bytes.size()) bytes.resize(2 * bytes.size() + 4096);
  }
  bytes.resize(n_read);
  return bytes;
}

bool write_file_atomically(const std::string& path, std::string_view bytes) {
  std::string temporary = path + ".XXXXXX";
  Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));  // mode 0600
  if (!file.is_open()) return false;
  if (write_all(file.number(), bytes) && file.close() &&
      std::rename(temporary.c_str(), path.c_str()) == 0) {
    return true;
  }
  const int reason = errno;
  ::unlink(temporary.c_str());
  errno = reason;
  return false;
}

std::string temporary_base() {
  const char* const base = std::getenv("TMPDIR");
  if (base == nullptr || *base == '\0') return "/tmp";
  char resolved[PATH_MAX];
  for (const char* path : {base, static_cast<const char*>(::realpath(base, resolved))}) {
    if (path != nullptr && !reason_against_ancestors(std::string(path) + '/').empty())
      return "/tmp";
  }
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(base, error);
  return error ? base : absolute.string();
}

TemporaryDirectory::TemporaryDirectory()
    : path_(temporary_base() + "/numpy_plugin_XXXXXX"),
      removed_at_exit_([this] { make(); }, [this] { remove_used_tree(path_); }) {}

void TemporaryDirectory::make() {
  if (::mkdtemp(path_.data()) != nullptr) return;  // mode 0700
  throw base::Error(base::ErrorKind::kRuntime,
                    format("no temporary directory '{}' can be created: {}; set TMPDIR to a "
                           "directory that can be written to",
                           path_, std::strerror(errno)));
}

void TemporaryDirectory::make_way(std::string_view name) const {
  for (std::size_t end = name.find('/'); end != name.npos; end = name.find('/', end + 1))
    ::mkdir((path_ + '/' + std::string(name.substr(0, end))).c_str(), S_IRWXU);
}

TemporaryDirectory::~TemporaryDirectory() { remove_used_tree(path_); }

}  // namespace numpy_plugin::system
