// Memory in pages: large blocks that stay mapped, and one that reads as zeros.
#pragma once

#include <cstddef>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace numpy_plugin::system {

// Large blocks of memory whose pages stay mapped after they are freed. The pages of a new block are
// zeroed one by one at first use, which takes longer than simple arithmetic on them.
class PagePool {
 public:
  // Keeps at most `limit` bytes of free blocks.
  explicit PagePool(std::size_t limit) : limit_(limit) {}
  ~PagePool();
  PagePool(const PagePool&) = delete;
  PagePool& operator=(const PagePool&) = delete;

  // Uninitialized memory, aligned to huge pages; null if there is none.
  void* allocate(std::size_t n_bytes);

  // The size of a block that is in use; 0 for other memory.
  std::size_t size_of(void* block) const;

  // Returns false for other memory. The system may take the pages of free blocks back when it needs
  // memory.
  bool free(void* block);

  std::size_t n_free_bytes() const;

 private:
  struct Block {
    void* start;
    std::size_t n_bytes;
  };
  Block take_free(std::size_t n_bytes);
  void make_room(std::size_t n_bytes);

  const std::size_t limit_;
  mutable std::mutex mutex_;
  std::unordered_map<void*, std::size_t> used_;
  std::vector<Block> free_;  // least recently used first
  std::size_t n_free_bytes_ = 0;
};

// Memory that reads as zeros and can't be written, for host arrays that stand for arrays elsewhere:
// of their memory only addresses matter, but whoever prints or copies one reads it. At least
// `n_bytes`, aligned to pages, and never given back: arrays may refer to them for as long as the
// process lives. All calls share one region, of address space alone, which at least doubles when it
// is too small. Throws base::Error (kRuntime) where the process has not as many addresses.
char* zero_pages(std::size_t n_bytes);

}  // namespace numpy_plugin::system
