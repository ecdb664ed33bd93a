// Disk cache: look-ups read, check and remove damaged entries; stores write a temporary file and
// rename it.
#include "numpy_plugin/jit/cache/cache.hpp"

#include <unistd.h>

#include "numpy_plugin/base/digest.hpp"
#include "numpy_plugin/emit/source/emit.hpp"
#include "numpy_plugin/jit/cache/cache_files.hpp"
#include "numpy_plugin/system/file.hpp"

namespace numpy_plugin::jit {
namespace {

std::optional<CacheEntry> open_found(const std::string& name, FoundFile& found) {
  return found.bytes.has_value() ? open_entry(name, std::move(*found.bytes)) : std::nullopt;
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
  CacheDirectory directory = open_cache_directory();
  cache.directory_ = std::move(directory.path);
  cache.reason_ = std::move(directory.reason);
  cache.size_limit_ = cache_size_limit();
  return cache;
}

// Damaged entries are removed; entries whose files have changed are overwritten.
std::optional<std::string> Cache::load(const std::string& digest, std::string_view suffix) const {
  if (!is_usable()) return std::nullopt;
  const std::string name = digest + std::string(suffix);
  const std::string path = directory_ + '/' + name;
  FoundFile found = read_cache_file(path, Look::kAsUse);
  if (!found.is_there) return std::nullopt;
  std::optional<CacheEntry> entry = open_found(name, found);
  if (!entry.has_value()) {
    remove_found(path, found.status);
    return std::nullopt;
  }
  if (!are_unchanged(entry->dependencies)) return std::nullopt;
  return std::move(entry->payload);
}

std::optional<std::string> Cache::store(const std::string& digest, std::string_view suffix,
                                        std::string_view payload,
                                        const Dependencies& dependencies) const {
  if (!is_usable()) return std::nullopt;
  const std::string name = digest + std::string(suffix);
  std::string path = directory_ + '/' + name;
  if (!system::write_file_atomically(path, seal_entry(name, payload, dependencies))) {
    return std::nullopt;
  }
  keep_within(directory_, size_limit_);
  return path;
}

std::vector<Cache::Entry> Cache::entries() const {
  std::vector<Entry> found;
  for (const std::string& name : names_in(directory_)) {
    const std::string path = directory_ + '/' + name;
    if (is_left_over(name)) continue;
    FoundFile file = read_cache_file(path, Look::kOnly);
    if (!file.is_there) continue;
    found.push_back({name, static_cast<std::uint64_t>(file.status.st_size), file.status.st_mtime,
                     open_found(name, file).has_value()});
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

// Collects everything in this package that can change a binary's bytes.
CacheKey key_with_templates() {
  CacheKey key;
  key.add("templates", emit::templates_digest());
  for (const emit::NamedHeader& header : emit::named_headers()) {
    key.add(header.name, header.for_cuda).add(header.name, header.for_cpu);
    key.add(header.name, header.beside_cudas);
  }
  return key;
}

CacheKey source_key(const emit::Source& source) {
  CacheKey key = key_with_templates();
  key.add("cache format", kCacheFormat);
  key.add("target", source.target == emit::Target::kCpu ? "cpu" : "cuda");
  return key.add("source", source.text);
}

}  // namespace numpy_plugin::jit
