// The size of the cache. Reads files by the C library: modules that are compiled ahead of time have
// this source, and not the library's own functions for files.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <string>

#include "numpy_plugin/run/cpu/elementwise_driver.hpp"

namespace numpy_plugin::run {
namespace {

constexpr long kUsualCache = 32 << 20;

std::atomic<long> chosen_cache_bytes = 0;
std::atomic<long> known_cache_bytes = 0;  // of the processor

// Of a file such as "32768K"; -1 where there is none.
long read_cache_size(const std::string& path) {
  std::FILE* const file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return -1;
  long n_kilobytes = 0;
  if (std::fscanf(file, "%ld", &n_kilobytes) != 1) n_kilobytes = 0;
  std::fclose(file);
  return n_kilobytes * 1024;
}

}  // namespace

long largest_cache(const std::string& root) {
  const std::string caches = root + "/sys/devices/system/cpu/cpu0/cache/index";
  long n_most = 0;
  for (int index = 0;; ++index) {
    const long n_bytes = read_cache_size(caches + std::to_string(index) + "/size");
    if (n_bytes < 0) return n_most;
    n_most = std::max(n_most, n_bytes);
  }
}

long cache_bytes() {
  const long chosen = chosen_cache_bytes.load(std::memory_order_relaxed);
  if (chosen > 0) return chosen;
  long known = known_cache_bytes.load(std::memory_order_relaxed);
  if (known == 0) {
    const long found = largest_cache("");
    known_cache_bytes = known = found > 0 ? found : kUsualCache;
  }
  return known;
}

// A part of somewhat larger operands is still in the cache.
bool exceeds_cache(long n_bytes) { return n_bytes > cache_bytes() + cache_bytes() / 2; }

void set_cache_bytes(long n_bytes) { chosen_cache_bytes = n_bytes; }

}  // namespace numpy_plugin::run
