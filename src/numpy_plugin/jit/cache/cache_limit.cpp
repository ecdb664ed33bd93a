#include "numpy_plugin/jit/cache/cache_files.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <vector>

#include "numpy_plugin/system/settings.hpp"

namespace numpy_plugin::jit {
namespace {

constexpr std::time_t kWritingEnds = 3600;  // seconds; no writer takes that long

struct File {
  std::string path;
  struct stat status;
};

bool is_used_earlier(const File& one, const File& other) {
  const timespec& a = one.status.st_mtim;
  const timespec& b = other.status.st_mtim;
  return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

// Returns the entries and removes leftovers of killed writers.
std::vector<File> swept_entries(const std::string& directory) {
  std::vector<File> entries;
  const std::time_t now = std::time(nullptr);
  for (const std::string& name : names_in(directory)) {
    File file{directory + '/' + name, {}};
    if (::lstat(file.path.c_str(), &file.status) != 0) continue;
    if (!is_left_over(name)) {
      entries.push_back(std::move(file));
    } else if (now - file.status.st_mtime > kWritingEnds) {
      remove_found(file.path, file.status);
    }
  }
  return entries;
}

}  // namespace

std::uint64_t cache_size_limit() { return system::setting_bytes(system::Setting::kCacheSize); }

void keep_within(const std::string& directory, std::uint64_t limit) {
  std::vector<File> entries = swept_entries(directory);
  std::uint64_t n_bytes = 0;
  for (const File& entry : entries) n_bytes += static_cast<std::uint64_t>(entry.status.st_size);
  if (n_bytes <= limit) return;
  std::sort(entries.begin(), entries.end(), is_used_earlier);
  for (const File& entry : entries) {
    if (n_bytes <= limit) return;
    remove_found(entry.path, entry.status);  // or another process removed it first
    n_bytes -= static_cast<std::uint64_t>(entry.status.st_size);
  }
}

}  // namespace numpy_plugin::jit
