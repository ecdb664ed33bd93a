#include "numpy_plugin/jit/cache/dependency.hpp"

#include <sys/stat.h>
#include <time.h>

#include <algorithm>

#include "numpy_plugin/base/digest.hpp"
#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/system/file.hpp"

namespace numpy_plugin::jit {
namespace {

long long nanoseconds(const timespec& time) { return time.tv_sec * 1000000000LL + time.tv_nsec; }

// Only for regular files: a pipe would block forever.
std::optional<std::string> digest_of(const std::string& path, const struct stat& status) {
  const auto bytes = S_ISREG(status.st_mode) ? system::read_file(path) : std::nullopt;
  return bytes.has_value() ? std::optional(base::sha256(*bytes)) : std::nullopt;
}

bool is_unchanged(const Dependency& dependency) {
  struct stat status;
  const bool is_there = ::stat(dependency.path.c_str(), &status) == 0;
  if (dependency.digest.empty()) return !is_there;
  return is_there && digest_of(dependency.path, status) == dependency.digest;
}

}  // namespace

long long file_time_now() {
  timespec now;
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return nanoseconds(now);
}

std::optional<Dependency> dependency_on(const std::string& path, long long start) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  const bool is_too_new =
      nanoseconds(status.st_mtim) >= start || nanoseconds(status.st_ctim) >= start;
  std::optional<std::string> digest = digest_of(path, status);
  if (is_too_new || !digest.has_value()) return std::nullopt;
  return Dependency{path, std::move(*digest)};
}

bool are_unchanged(const Dependencies& dependencies) {
  return std::all_of(dependencies.begin(), dependencies.end(), is_unchanged);
}

std::string pack_dependencies(const Dependencies& dependencies) {
  std::string bytes;
  for (const Dependency& dependency : dependencies) {
    bytes += dependency.digest + ' ' + dependency.path + '\0';
  }
  return bytes;
}

Dependencies unpack_dependencies(std::string_view bytes) {
  Dependencies dependencies;
  while (!bytes.empty()) {
    const std::string_view line = bytes.substr(0, bytes.find('\0'));
    const std::size_t space = line.find(' ');
    NPP_ASSERT(space != std::string_view::npos && line.size() < bytes.size(),
               "a dependency is a digest, a space and a path");
    dependencies.push_back(
        {std::string(line.substr(space + 1)), std::string(line.substr(0, space))});
    bytes.remove_prefix(line.size() + 1);
  }
  return dependencies;
}

// Parses "target: a.hpp b\ c.hpp \<newline> d.hpp"; "$$" is a dollar.
std::vector<std::string> files_of_rule(std::string_view rule) {
  std::vector<std::string> files(1);
  const std::size_t colon = rule.find(": ");
  rule.remove_prefix(colon == std::string_view::npos ? rule.size() : colon + 2);
  while (!rule.empty()) {
    const bool is_escape =
        rule.starts_with("\\ ") || rule.starts_with("\\#") || rule.starts_with("$$");
    if (rule.starts_with("\\\n") || (!is_escape && (rule[0] == ' ' || rule[0] == '\n'))) {
      if (!files.back().empty()) files.emplace_back();
      rule.remove_prefix(rule[0] == '\\' ? 2 : 1);
      continue;
    }
    files.back() += rule[is_escape ? 1 : 0];
    rule.remove_prefix(is_escape ? 2 : 1);
  }
  if (files.back().empty()) files.pop_back();
  return files;
}

}  // namespace numpy_plugin::jit
