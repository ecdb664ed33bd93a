// Disk cache: one file per entry, named by the digest of everything that can change its bytes, with
// a checksum that is verified before use. Any problem with the directory or an entry is a miss,
// never an error; only an unreadable size limit is an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/emit/source/emit.hpp"
#include "numpy_plugin/jit/cache/dependency.hpp"

namespace numpy_plugin::jit {

// A list of labelled parts, hashed with their lengths so that no two lists collide by
// concatenation.
class CacheKey {
 public:
  CacheKey& add(std::string_view label, std::string_view value);
  std::string digest() const;  // hexadecimal

 private:
  std::string bytes_;
};

class Cache {
 public:
  // The directory of $NUMPY_PLUGIN_CACHE_DIR, else of $XDG_CACHE_HOME or $HOME; disabled (every
  // look-up a miss) where it can't be created, belongs to another user or is writable by others.
  static Cache user_cache();

  bool is_usable() const { return !directory_.empty(); }
  const std::string& directory() const { return directory_; }
  // Why there is no usable directory, as text for users; empty when there is one.
  const std::string& reason() const { return reason_; }

  // The payload of an existing, intact entry whose dependencies have not changed since; else
  // nullopt.
  std::optional<std::string> load(const std::string& digest, std::string_view suffix) const;
  // Writes an entry to a temporary file, renames it and enforces the directory's size limit.
  // Returns the entry's path, or nullopt where it could not be written (a full disk).
  std::optional<std::string> store(const std::string& digest, std::string_view suffix,
                                   std::string_view payload,
                                   const Dependencies& dependencies = {}) const;
  std::uint64_t size_limit() const { return size_limit_; }

  struct Entry {
    std::string name;
    std::uint64_t n_bytes;
    std::int64_t used;  // last use, in seconds since 1970
    bool is_whole;
  };
  std::vector<Entry> entries() const;
  // Removes all entries and returns their number.
  std::size_t clear() const;

 private:
  std::string directory_;
  std::string reason_;
  std::uint64_t size_limit_ = 0;
};

// The part of cache keys that all compilations share.

// Adds everything beside its text that a source with headers of templates/ depends on.
CacheKey key_with_templates();

// Source, templates and formats; the compiler's part is added by its caller.
CacheKey source_key(const emit::Source& source);

// Bytes of a cache entry: the payload, the files it depends on, and a trailer of fixed length with
// both sizes and a checksum. Loaders of shared objects and cubins ignore trailing bytes.

// Also part of every key, so that entries of another format are never opened.
inline constexpr std::string_view kCacheFormat = "2";

struct CacheEntry {
  std::string payload;
  Dependencies dependencies;
};

// `name` is the entry's file name: an entry that was renamed is rejected.
std::string seal_entry(std::string_view name, std::string_view payload,
                       const Dependencies& dependencies);

// nullopt for an entry that is truncated, modified, renamed or not written by this package.
std::optional<CacheEntry> open_entry(std::string_view name, std::string bytes);

}  // namespace numpy_plugin::jit
