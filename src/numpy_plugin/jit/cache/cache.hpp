// The disk cache: one file an entry, named by the digest of everything that can change its bytes,
// with a checksum that is tested before use. Whatever is wrong with the directory or an entry is a
// miss, never an error; a size limit that can't be read is one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/jit/cache/dependency.hpp"

namespace numpy_plugin::jit {

// A key is a list of labelled parts, hashed with their lengths, so that no two lists collide by
// joining.
class CacheKey {
 public:
  CacheKey& add(std::string_view label, std::string_view value);
  std::string digest() const;  // hexadecimal

 private:
  std::string bytes_;
};

class Cache {
 public:
  // The directory of $NUMPY_PLUGIN_CACHE_DIR, else of $XDG_CACHE_HOME or $HOME; absent (every
  // look-up a miss) where it can't be made, or belongs to another user, or others may write to it.
  static Cache user_cache();

  bool is_usable() const { return !directory_.empty(); }
  const std::string& directory() const { return directory_; }
  // Why there is no usable directory, for users; empty when there is one.
  const std::string& reason() const { return reason_; }

  // The payload of an entry that is there, whole and of files that have not changed since.
  std::optional<std::string> load(const std::string& digest, std::string_view suffix) const;
  // Writes an entry beside and renames it, then keeps the directory within its limit; the entry's
  // path, or nothing where it could not be written (a full disk).
  std::optional<std::string> store(const std::string& digest, std::string_view suffix,
                                   std::string_view payload,
                                   const Dependencies& dependencies = {}) const;
  std::uint64_t size_limit() const { return size_limit_; }

  struct Entry {
    std::string name;
    std::uint64_t n_bytes;
    std::int64_t used;  // the last time, in seconds since 1970
    bool is_whole;
  };
  std::vector<Entry> entries() const;
  // Removes all entries; how many there were.
  std::size_t clear() const;

 private:
  std::string directory_;
  std::string reason_;
  std::uint64_t size_limit_ = 0;
};

}  // namespace numpy_plugin::jit
