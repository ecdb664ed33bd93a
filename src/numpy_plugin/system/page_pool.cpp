#include "numpy_plugin/system/pages.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>

namespace numpy_plugin::system {
namespace {

constexpr std::size_t kHugePage = 2 << 20;

std::size_t rounded_up(std::size_t n_bytes) { return (n_bytes + kHugePage - 1) & ~(kHugePage - 1); }

// Starts at a huge page: the rest of a larger mapping is given back.
void* map_aligned(std::size_t n_bytes) {
  const std::size_t n_mapped = n_bytes + kHugePage;
  if (n_mapped < n_bytes) return nullptr;
  void* const mapped =
      ::mmap(nullptr, n_mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  char* const begin = static_cast<char*>(mapped);
  const std::size_t n_before = -reinterpret_cast<std::uintptr_t>(begin) & (kHugePage - 1);
  char* const aligned = begin + n_before;
  if (n_before > 0) ::munmap(begin, n_before);
  ::munmap(aligned + n_bytes, kHugePage - n_before);
#if defined(MADV_HUGEPAGE)
  ::madvise(aligned, n_bytes, MADV_HUGEPAGE);
#endif
  return aligned;
}

}  // namespace

PagePool::~PagePool() {
  for (const Block& block : free_) ::munmap(block.start, block.n_bytes);
}

// The smallest that fits and is at most a half larger.
PagePool::Block PagePool::take_free(std::size_t n_bytes) {
  auto best = free_.end();
  for (auto block = free_.begin(); block != free_.end(); ++block) {
    if (block->n_bytes < n_bytes || block->n_bytes - n_bytes > n_bytes / 2) continue;
    if (best == free_.end() || block->n_bytes <= best->n_bytes) best = block;
  }
  if (best == free_.end()) return {nullptr, 0};
  const Block found = *best;
  free_.erase(best);
  n_free_bytes_ -= found.n_bytes;
  return found;
}

void* PagePool::allocate(std::size_t n_bytes) {
  const std::lock_guard lock(mutex_);
  if (n_bytes > SIZE_MAX - 2 * kHugePage) return nullptr;
  Block block = take_free(rounded_up(n_bytes));
  if (block.start == nullptr) block = {map_aligned(rounded_up(n_bytes)), rounded_up(n_bytes)};
  if (block.start != nullptr) used_[block.start] = block.n_bytes;
  return block.start;
}

std::size_t PagePool::size_of(void* block) const {
  const std::lock_guard lock(mutex_);
  const auto found = used_.find(block);
  return found == used_.end() ? 0 : found->second;
}

void PagePool::make_room(std::size_t n_bytes) {
  while (n_free_bytes_ + n_bytes > limit_) {
    ::munmap(free_.front().start, free_.front().n_bytes);
    n_free_bytes_ -= free_.front().n_bytes;
    free_.erase(free_.begin());
  }
}

bool PagePool::free(void* start) {
  const std::lock_guard lock(mutex_);
  const auto found = used_.find(start);
  if (found == used_.end()) return false;
  const Block block{start, found->second};
  used_.erase(found);
  if (block.n_bytes > limit_) {
    ::munmap(block.start, block.n_bytes);
    return true;
  }
  make_room(block.n_bytes);
#if defined(MADV_FREE)
  ::madvise(block.start, block.n_bytes, MADV_FREE);
#endif
  free_.push_back(block);
  n_free_bytes_ += block.n_bytes;
  return true;
}

std::size_t PagePool::n_free_bytes() const {
  const std::lock_guard lock(mutex_);
  return n_free_bytes_;
}

}  // namespace numpy_plugin::system
