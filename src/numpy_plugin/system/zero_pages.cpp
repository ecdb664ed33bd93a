#include "numpy_plugin/system/pages.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <mutex>
#include <string>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/system/fork.hpp"
#include "numpy_plugin/system/mutex.hpp"

namespace numpy_plugin::system {
namespace {

constexpr std::size_t kFirstBytes = std::size_t{1} << 24;

struct ZeroRegion {
  Mutex mutex;
  char* start = nullptr;
  std::size_t n_bytes = 0;
};

char* reserve(std::size_t n_bytes) {
  void* const mapped =
      ::mmap(nullptr, n_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return mapped == MAP_FAILED ? nullptr : static_cast<char*>(mapped);
}

}  // namespace

char* zero_pages(std::size_t n_bytes) {
  ZeroRegion& region = the_only<ZeroRegion>();
  const std::lock_guard lock(region.mutex);
  if (n_bytes <= region.n_bytes && region.start != nullptr) return region.start;
  std::size_t n_reserved = std::max({n_bytes, 2 * region.n_bytes, kFirstBytes});
  char* start = reserve(n_reserved);
  if (start == nullptr) start = reserve(n_reserved = n_bytes);
  if (start == nullptr) {
    throw base::Error(
        base::ErrorKind::kRuntime,
        format("the system has no {} bytes of addresses left for this process; see 'ulimit -v'",
               n_bytes));
  }
  region.start = start;
  region.n_bytes = n_reserved;
  return start;
}

}  // namespace numpy_plugin::system
