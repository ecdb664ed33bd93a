// The cache directory: chosen by environment variables, created for this user alone, trusted only
// where nobody else can have written to it.
#include "numpy_plugin/jit/cache/cache_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>

#include "numpy_plugin/base/environment.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/system/file.hpp"
#include "numpy_plugin/system/settings.hpp"

namespace numpy_plugin::jit {
namespace {

// Relative paths count only in this package's own variable.
std::string chosen_path() {
  const system::SettingValue own = system::peek_setting(system::Setting::kCacheDir);
  if (own.source != system::SettingSource::kDefault) return own.text;
  if (const std::string caches = base::environment_variable("XDG_CACHE_HOME");
      caches.starts_with('/')) {
    return caches + "/numpy_plugin";
  }
  if (const std::string home = base::environment_variable("HOME"); home.starts_with('/')) {
    return home + "/.cache/numpy_plugin";
  }
  return "";
}

// mkdir -p with mode 0700. Errors are ignored here: the checks that follow find them.
void make_directories(const std::string& path) {
  for (std::size_t end = path.find('/', 1); end != std::string::npos;
       end = path.find('/', end + 1)) {
    ::mkdir(path.substr(0, end).c_str(), S_IRWXU);
  }
  ::mkdir(path.c_str(), S_IRWXU);
}

// Another user's symbolic link could be retargeted after the checks.
std::string reason_against_link(const std::string& path) {
  struct stat status;
  if (::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode) &&
      status.st_uid != ::geteuid()) {
    return format(
        "'{}' is a symbolic link of user {}; a cache directory must belong to the user of this "
        "process",
        path, status.st_uid);
  }
  return "";
}

std::string reason_against_place(const std::string& path) {
  const std::string reason = system::reason_against_ancestors(path);
  return reason.empty() ? "" : reason + "; set NUMPY_PLUGIN_CACHE_DIR to a directory of your own";
}

std::string reason_against_directory(const std::string& path) {
  struct stat status;
  if (::lstat(path.c_str(), &status) != 0) {
    return format("'{}' cannot be opened: {}", path, std::strerror(errno));
  }
  if (!S_ISDIR(status.st_mode)) return format("'{}' is not a directory", path);
  if (status.st_uid != ::geteuid()) {
    return format("'{}' belongs to user {}, this process to user {}", path, status.st_uid,
                  ::geteuid());
  }
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return format("'{}' can be written to by other users; chmod go-w makes it usable", path);
  }
  if (::access(path.c_str(), R_OK | X_OK) != 0) return format("'{}' cannot be read", path);
  return "";
}

}  // namespace

CacheDirectory open_cache_directory() {
  const std::string path = chosen_path();
  if (path.empty()) {
    return {"", "none of NUMPY_PLUGIN_CACHE_DIR, XDG_CACHE_HOME and HOME is set to a directory"};
  }
  // Check the path as written, before creating anything: its links decide what is created.
  if (std::string reason = reason_against_place(path); !reason.empty()) return {"", reason};
  make_directories(path);
  if (std::string reason = reason_against_link(path); !reason.empty()) return {"", reason};
  char resolved[PATH_MAX];
  if (::realpath(path.c_str(), resolved) == nullptr) {
    return {"", format("'{}' cannot be created: {}", path, std::strerror(errno))};
  }
  for (const auto& reason_against : {reason_against_place, reason_against_directory}) {
    if (std::string reason = reason_against(resolved); !reason.empty()) return {"", reason};
  }
  return {resolved, ""};
}

}  // namespace numpy_plugin::jit
