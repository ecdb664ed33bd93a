// Identifies files by metadata alone, without reading them.
#include "numpy_plugin/jit/cache/dependency.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>

namespace numpy_plugin::jit {
namespace {

bool is_program(const std::string& path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::optional<std::string> file_identity(const std::string& path) {
  char resolved[PATH_MAX];
  struct stat status;
  if (::realpath(path.c_str(), resolved) == nullptr || ::stat(resolved, &status) != 0) {
    return std::nullopt;
  }
  return std::string(resolved) + ' ' + std::to_string(status.st_size) + ' ' +
         std::to_string(status.st_mtim.tv_sec) + '.' + std::to_string(status.st_mtim.tv_nsec);
}

std::optional<std::string> find_program(std::string_view name) {
  if (name.find('/') != std::string_view::npos) {
    const std::string path(name);
    return is_program(path) ? std::optional(path) : std::nullopt;
  }
  const char* variable = std::getenv("PATH");
  std::string_view directories = variable == nullptr ? "/usr/bin:/bin" : variable;
  while (!directories.empty()) {
    const std::string_view directory = directories.substr(0, directories.find(':'));
    directories.remove_prefix(std::min(directory.size() + 1, directories.size()));
    // An empty directory would mean the current one, from which no compiler should be run.
    if (directory.empty() || name.empty()) continue;
    std::string path = std::string(directory) + '/' + std::string(name);
    if (is_program(path)) return path;
  }
  return std::nullopt;
}

}  // namespace numpy_plugin::jit
