// Device memory of the simulator: allocations at addresses that fault when the host touches them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>

namespace numpy_plugin::sim {

// A run of device addresses that belongs to one allocation, and where its bytes are.
struct Extent {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::byte* data = nullptr;        // of the byte at `begin`
  std::uint8_t* written = nullptr;  // one a byte, 0 until it is first written; nullptr: not tracked
  bool is_read_only = false;

  bool holds(std::uint64_t address, std::uint64_t n_bytes) const {
    return address >= begin && n_bytes <= end - begin && address - begin <= end - begin - n_bytes;
  }
};

struct Allocation {
  Extent extent;
  std::uint64_t number = 0;  // its ordinal among those of the device, from 1
  std::string origin;        // what it is and where it was made, as messages say it
  bool is_freed = false;     // kept a while, to name uses after it
};

// Safe from many threads at once. Addresses are not given out again soon after they were freed, and
// between two allocations there are at least 256 addresses of none. New memory is not filled, for
// speed: what a kernel must not read, and what a copy to the host shows as 0xff, is told by
// `written`. The bytes of a freed allocation stay mapped: a copy under way then does no harm.
class Memory {
 public:
  // Throws base::Error where the host has not the address space.
  explicit Memory(std::uint64_t capacity_bytes);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // The address, a multiple of 256; nothing where the capacity does not hold it.
  std::optional<std::uint64_t> allocate(std::uint64_t n_bytes, const std::string& origin);
  // Memory of the host that kernels reach at its own address (pinned, registered).
  void add_host(void* data, std::uint64_t n_bytes, const std::string& origin);
  bool free(std::uint64_t address);           // false where no living allocation begins there
  void set_read_only(std::uint64_t address);  // for kernels: the allocation that begins there

  std::optional<Extent> find(std::uint64_t address) const;  // of the living allocation around it
  // The allocation nearest to an address, freed ones included; what messages name.
  std::optional<Allocation> nearest(std::uint64_t address) const;

  // Whether an address is the device's, of an allocation or not: then the host can't touch it.
  bool is_of_device(std::uint64_t address) const;

  std::uint64_t capacity_bytes() const;
  std::uint64_t used_bytes() const;

 private:
  class Reservation;
  std::optional<std::uint64_t> find_gap(std::uint64_t n_bytes) const;
  std::optional<std::uint64_t> find_gap(std::uint64_t from, std::uint64_t n_bytes) const;
  void remember_freed(Allocation allocation);

  const std::uint64_t capacity_bytes_;
  std::uint64_t used_bytes_ = 0;
  std::uint64_t n_allocations_ = 0;
  std::uint64_t next_ = 0;                      // where the search for addresses begins
  std::map<std::uint64_t, Allocation> living_;  // by address
  std::deque<Allocation> freed_;                // the last ones, oldest first
  std::unique_ptr<Reservation> reservation_;
  mutable std::shared_mutex mutex_;
};

}  // namespace numpy_plugin::sim
