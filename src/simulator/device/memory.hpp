// Device memory of the simulator: allocations at addresses that fault on access by the host.
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

// A range of device addresses in one allocation, and the location of its bytes.
struct Extent {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::byte* data = nullptr;        // of the byte at `begin`
  std::uint8_t* written = nullptr;  // per byte, 0 until first written; nullptr: untracked
  bool is_read_only = false;

  bool holds(std::uint64_t address, std::uint64_t n_bytes) const {
    return address >= begin && n_bytes <= end - begin && address - begin <= end - begin - n_bytes;
  }
};

struct Allocation {
  Extent extent;
  std::uint64_t number = 0;  // 1-based ordinal on the device
  std::string origin;        // kind and place of creation, for messages
  bool is_freed = false;     // kept for a while, to report use after free
  bool is_reserved = false;  // keeps its address while freed, see Memory::reserve
};

// Thread-safe. Freed addresses are not reused soon, and at least 256 unallocated addresses separate
// two allocations. For speed, new memory is not filled: `written` tracks bytes that a kernel must
// not read and that a copy to the host shows as 0xff. The bytes of a freed allocation stay mapped,
// so that a copy in flight does no harm.
class Memory {
 public:
  // Throws base::Error where the host lacks the address space.
  explicit Memory(std::uint64_t capacity_bytes);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // The address, a multiple of 256; nullopt beyond the capacity.
  std::optional<std::uint64_t> allocate(std::uint64_t n_bytes, const std::string& origin);
  // Likewise, an allocation that is not there until opened; free() closes it again.
  std::optional<std::uint64_t> reserve(std::uint64_t n_bytes, const std::string& origin);
  bool open(std::uint64_t address);               // false where no closed one begins
  bool is_reserved(std::uint64_t address) const;  // whether a reservation begins there
  // Ends the reservation: an open allocation lasts until it is freed.
  void end_reservation(std::uint64_t address);
  // Host memory that kernels access at its own address (pinned, registered).
  void add_host(void* data, std::uint64_t n_bytes, const std::string& origin);
  bool free(std::uint64_t address);           // false where no live allocation begins
  void set_read_only(std::uint64_t address);  // for kernels: the allocation that begins there

  std::optional<Extent> find(std::uint64_t address) const;  // of the live allocation around it
  // Likewise, of a reserved one as well.
  std::optional<Extent> find_reserved(std::uint64_t address) const;
  // The allocation nearest to an address, including freed ones, for messages.
  std::optional<Allocation> nearest(std::uint64_t address) const;

  // Whether an address is in the device's range, allocated or not: the host can't access it.
  bool is_of_device(std::uint64_t address) const;

  std::uint64_t capacity_bytes() const;
  std::uint64_t used_bytes() const;

 private:
  class Reservation;
  std::optional<std::uint64_t> find_gap(std::uint64_t n_bytes) const;
  std::optional<std::uint64_t> find_gap(std::uint64_t from, std::uint64_t n_bytes) const;
  std::optional<std::uint64_t> place(std::uint64_t n_bytes, const std::string& origin,
                                     bool is_reserved);
  const Allocation* find_around(std::uint64_t address) const;
  void erase(std::map<std::uint64_t, Allocation>::iterator entry);
  void remember_freed(Allocation allocation);

  const std::uint64_t capacity_bytes_;
  std::uint64_t used_bytes_ = 0;
  std::uint64_t n_allocations_ = 0;
  std::uint64_t next_ = 0;                      // where the search for addresses begins
  std::map<std::uint64_t, Allocation> living_;  // and reserved ones, by address
  std::deque<Allocation> freed_;                // most recent ones, oldest first
  std::unique_ptr<Reservation> reservation_;
  mutable std::shared_mutex mutex_;
};

}  // namespace numpy_plugin::sim
