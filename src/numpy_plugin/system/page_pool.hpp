// Large blocks of memory whose pages stay mapped after they are freed. The pages of a new block are
// zeroed one by one at first use, which takes longer than simple arithmetic on them.
#pragma once

#include <cstddef>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace numpy_plugin::system {

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

}  // namespace numpy_plugin::system
