#include "numpy_plugin/system/file.hpp"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

namespace numpy_plugin::system {
namespace {

constexpr std::time_t kOutlivesAnyUse = 24 * 3600;  // seconds

// "numpy_plugin_" and the six characters of mkdtemp: other packages' names with this prefix are
// longer. At process exit ".ended" is appended.
bool is_ours(std::string_view name) {
  constexpr std::string_view kBeginning = "numpy_plugin_";
  constexpr std::string_view kEnding = ".ended";
  if (name.ends_with(kEnding)) name.remove_suffix(kEnding.size());
  return name.starts_with(kBeginning) && name.size() == kBeginning.size() + 6;
}

bool is_stale_directory(const std::string& path) {
  struct stat status;
  return ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == ::geteuid() && (status.st_mode & 0777) == S_IRWXU &&
         std::time(nullptr) - status.st_mtime > kOutlivesAnyUse;
}

void sweep(const std::string& base) {
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(base.c_str()), ::closedir);
  if (directory == nullptr) return;
  while (const dirent* item = ::readdir(directory.get())) {
    const std::string path = base + '/' + item->d_name;
    if (!is_ours(item->d_name) || !is_stale_directory(path)) continue;
    std::error_code ignored;  // another process may be removing it too
    std::filesystem::remove_all(path, ignored);
  }
}

}  // namespace

void remove_stale_directories() {
  static std::atomic<bool> is_done = false;  // no mutex: it may stay locked after fork()
  if (!is_done.exchange(true)) sweep(temporary_base());
}

}  // namespace numpy_plugin::system
