#include "numpy_plugin/jit/cache/cache_files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

namespace numpy_plugin::jit {
namespace {

constexpr std::size_t kDigestSize = 64;

bool belongs_to_us(const struct stat& status) {
  return S_ISREG(status.st_mode) && status.st_uid == ::geteuid() &&
         (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool is_ours(std::string_view name) {
  return name.size() > kDigestSize && name[kDigestSize] == '.' &&
         name.substr(0, kDigestSize).find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

// Follows no symbolic links and does not block on pipes.
FoundFile read_cache_file(const std::string& path, Look look) {
  FoundFile found;
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) {
    // Missing, or out of file descriptors: no reason to discard the entry.
    found.is_there =
        (errno == ELOOP || errno == EACCES) && ::lstat(path.c_str(), &found.status) == 0;
    return found;
  }
  found.is_there = ::fstat(descriptor, &found.status) == 0;
  if (found.is_there && belongs_to_us(found.status)) {
    std::string bytes(static_cast<std::size_t>(found.status.st_size), '\0');
    if (::read(descriptor, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size())) {
      found.bytes = std::move(bytes);
    }
    if (look == Look::kAsUse)
      ::futimens(descriptor, nullptr);  // fails in a read-only directory, which is harmless
  }
  ::close(descriptor);
  return found;
}

bool remove_found(const std::string& path, const struct stat& found) {
  struct stat now;
  return ::lstat(path.c_str(), &now) == 0 && now.st_ino == found.st_ino &&
         now.st_dev == found.st_dev && ::unlink(path.c_str()) == 0;
}

bool is_left_over(std::string_view name) {
  return name.find('.', kDigestSize + 1) != std::string::npos;
}

std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(directory.c_str()), ::closedir);
  if (stream == nullptr) return names;
  while (const dirent* item = ::readdir(stream.get())) {
    if (is_ours(item->d_name)) names.emplace_back(item->d_name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace numpy_plugin::jit
