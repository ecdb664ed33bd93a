// Sealing and checking of cache entries.
#include "numpy_plugin/jit/cache/cache.hpp"

#include <charconv>

#include "numpy_plugin/base/digest.hpp"
#include "numpy_plugin/base/text.hpp"

namespace numpy_plugin::jit {
namespace {

constexpr std::size_t kDigestDigits = 64;

// "\nnumpy_plugin cache entry 2 00000000000000001234 00000000000000000000 ": 64 hexadecimal digits
// and a line feed follow.
std::string trailer_before_digest(std::size_t payload_size, std::size_t dependencies_size) {
  return format("\nnumpy_plugin cache entry {} {} {} ", kCacheFormat,
                base::size_digits(payload_size), base::size_digits(dependencies_size));
}

std::size_t trailer_size() { return trailer_before_digest(0, 0).size() + kDigestDigits + 1; }

// `bytes` are everything before the digest; a name contains no line feed.
std::string digest_line(std::string_view name, std::string_view bytes) {
  return base::sha256(std::string(name) + '\n' + std::string(bytes)) + '\n';
}

std::size_t number(std::string_view digits) {
  std::size_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

}  // namespace

std::string seal_entry(std::string_view name, std::string_view payload,
                       const Dependencies& dependencies) {
  const std::string packed = pack_dependencies(dependencies);
  std::string bytes =
      std::string(payload) + packed + trailer_before_digest(payload.size(), packed.size());
  return bytes + digest_line(name, bytes);
}

std::optional<CacheEntry> open_entry(std::string_view name, std::string bytes) {
  if (bytes.size() < trailer_size()) return std::nullopt;
  const std::string_view all = bytes;
  const std::size_t n_digested = all.size() - kDigestDigits - 1;
  if (all.substr(n_digested) != digest_line(name, all.substr(0, n_digested))) return std::nullopt;
  // The entry is intact and was written by seal_entry(): its format is known.
  const std::size_t sizes_at = n_digested - 2 * (base::kSizeDigits + 1);
  const std::size_t payload_size = number(all.substr(sizes_at, base::kSizeDigits));
  const std::size_t packed_size =
      number(all.substr(sizes_at + base::kSizeDigits + 1, base::kSizeDigits));
  CacheEntry entry{"", unpack_dependencies(all.substr(payload_size, packed_size))};
  bytes.resize(payload_size);
  entry.payload = std::move(bytes);
  return entry;
}

}  // namespace numpy_plugin::jit
