// Sealing and checking of cache entries.
#include "numpy_plugin/jit/cache_entry.hpp"

#include <cstdio>

#include "numpy_plugin/base/digest.hpp"

namespace numpy_plugin::jit {
namespace {

// "\nnumpy_plugin cache entry 1 00000000000000001234 <64 hexadecimal digits>\n"
std::string trailer(std::string_view payload) {
  char size[21];
  std::snprintf(size, sizeof(size), "%020zu", payload.size());
  return "\nnumpy_plugin cache entry " + std::string(kCacheFormat) + ' ' + size + ' ' +
         base::sha256(payload) + '\n';
}

std::size_t trailer_size() {
  static const std::size_t size = trailer("").size();
  return size;
}

}  // namespace

std::string seal_entry(std::string_view payload) { return std::string(payload) + trailer(payload); }

std::optional<std::size_t> checked_payload_size(std::string_view entry) {
  if (entry.size() < trailer_size()) return std::nullopt;
  const std::size_t n_bytes = entry.size() - trailer_size();
  if (entry.substr(n_bytes) != trailer(entry.substr(0, n_bytes))) return std::nullopt;
  return n_bytes;
}

}  // namespace numpy_plugin::jit
