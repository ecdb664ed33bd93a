// The disk cache: look-ups read, check and, where an entry is not whole, remove; stores write
// beside and rename.
#include "numpy_plugin/jit/cache.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "numpy_plugin/base/digest.hpp"
#include "numpy_plugin/base/file.hpp"
#include "numpy_plugin/jit/cache_entry.hpp"
#include "numpy_plugin/jit/cache_folder.hpp"

namespace numpy_plugin::jit {
namespace {

constexpr std::size_t kDigestSize = 64;

bool belongs_to_us(const struct stat& status) {
  return S_ISREG(status.st_mode) && status.st_uid == ::geteuid() &&
         (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// A file as it was found: its bytes only where it is one of ours.
struct FoundFile {
  bool is_there = false;
  struct stat status = {};
  std::optional<std::string> bytes;
};

// Neither a link nor a pipe put in an entry's place is followed.
FoundFile open_entry(const std::string& path) {
  FoundFile found;
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) {
    // Not there, or no descriptor is left: nothing is known against the entry.
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
  }
  ::close(descriptor);
  return found;
}

// Removes what was found, not what another process may have put there since.
void remove_entry(const std::string& path, const struct stat& found) {
  struct stat now;
  if (::lstat(path.c_str(), &now) == 0 && now.st_ino == found.st_ino &&
      now.st_dev == found.st_dev) {
    ::unlink(path.c_str());
  }
}

// The payload of the entry at `path`; what is no whole entry makes room for a new one.
std::optional<std::string> read_payload(const std::string& path) {
  FoundFile found = open_entry(path);
  if (!found.is_there) return std::nullopt;
  const std::optional<std::size_t> n_bytes =
      found.bytes.has_value() ? checked_payload_size(*found.bytes) : std::nullopt;
  if (!n_bytes.has_value()) {
    remove_entry(path, found.status);
    return std::nullopt;
  }
  found.bytes->resize(*n_bytes);
  return std::move(found.bytes);
}

bool is_ours(std::string_view name) {
  return name.size() > kDigestSize && name[kDigestSize] == '.' &&
         name.substr(0, kDigestSize).find_first_not_of("0123456789abcdef") == std::string::npos;
}

// A writer that was killed leaves the file it wrote beside: a name with a second dot.
bool is_left_over(std::string_view name) {
  return name.find('.', kDigestSize + 1) != std::string::npos;
}

std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(directory.c_str()), ::closedir);
  if (folder == nullptr) return names;
  while (const dirent* item = ::readdir(folder.get())) {
    if (is_ours(item->d_name)) names.emplace_back(item->d_name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

CacheKey& CacheKey::add(std::string_view label, std::string_view value) {
  for (const std::string_view part : {label, value}) {
    bytes_ += std::to_string(part.size());
    bytes_ += ':';
    bytes_ += part;
  }
  return *this;
}

std::string CacheKey::digest() const { return base::sha256(bytes_); }

Cache Cache::user_cache() {
  Cache cache;
  CacheFolder folder = open_cache_folder();
  cache.directory_ = std::move(folder.path);
  cache.reason_ = std::move(folder.reason);
  return cache;
}

std::optional<std::string> Cache::load(const std::string& digest, std::string_view suffix) const {
  if (!is_usable()) return std::nullopt;
  return read_payload(directory_ + '/' + digest + std::string(suffix));
}

std::optional<std::string> Cache::find(const std::string& digest, std::string_view suffix) const {
  if (!load(digest, suffix).has_value()) return std::nullopt;
  return directory_ + '/' + digest + std::string(suffix);
}

std::optional<std::string> Cache::store(const std::string& digest, std::string_view suffix,
                                        std::string_view payload) const {
  if (!is_usable()) return std::nullopt;
  std::string path = directory_ + '/' + digest + std::string(suffix);
  if (!base::write_file_atomically(path, seal_entry(payload))) return std::nullopt;
  return path;
}

std::vector<Cache::Entry> Cache::entries() const {
  std::vector<Entry> found;
  for (const std::string& name : names_in(directory_)) {
    const std::string path = directory_ + '/' + name;
    if (is_left_over(name)) continue;
    const FoundFile file = open_entry(path);
    if (!file.is_there) continue;
    found.push_back({name, static_cast<std::uint64_t>(file.status.st_size), file.status.st_mtime,
                     file.bytes.has_value() && checked_payload_size(*file.bytes).has_value()});
  }
  return found;
}

std::size_t Cache::clear() const {
  std::size_t n_removed = 0;
  for (const std::string& name : names_in(directory_)) {
    const bool is_removed = ::unlink((directory_ + '/' + name).c_str()) == 0;
    if (is_removed && !is_left_over(name)) ++n_removed;
  }
  return n_removed;
}

}  // namespace numpy_plugin::jit
