// Device memory of the simulator: allocations at addresses that fault on access by the host.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "simulator/device/extent.hpp"

namespace numpy_plugin::sim {

struct Allocation {
  Extent extent;
  std::uint64_t number = 0;                // 1-based ordinal on the device
  std::string origin;                      // kind and place of creation, for messages
  bool is_freed = false;                   // kept for a while, to report use after free
  bool is_reserved = false;                // keeps its address while freed, see Memory::reserve
  std::shared_ptr<RaceRecord> host_races;  // of host memory: extent.races
};

// The bytes of a device, of which several memories can take.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::uint64_t n_bytes) : n_bytes_(n_bytes) {}
  bool take(std::uint64_t n_bytes);  // false where they are not left
  void give_back(std::uint64_t n_bytes);
  std::uint64_t bytes() const { return n_bytes_; }
  std::uint64_t used_bytes() const { return used_.load(); }

 private:
  const std::uint64_t n_bytes_;
  std::atomic<std::uint64_t> used_ = 0;
};

// Thread-safe. Freed addresses are not reused soon, and at least 256 unallocated addresses separate
// two allocations. For speed, new memory is not filled: `written` tracks bytes that a kernel must
// not read and that a copy to the host shows as 0xff. The bytes of a freed allocation stay mapped,
// so that a copy in flight does no harm.
class Memory {
 public:
  // Throws base::Error where the host lacks the address space.
  explicit Memory(std::shared_ptr<MemoryBudget> budget);
  explicit Memory(std::uint64_t capacity_bytes)
      : Memory(std::make_shared<MemoryBudget>(capacity_bytes)) {}
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
  void clear();                               // frees all, reserved or not
  bool free(std::uint64_t address);           // false where no live allocation begins
  void set_read_only(std::uint64_t address);  // for kernels: the allocation that begins there

  std::optional<Extent> find(std::uint64_t address) const;  // of the live allocation around it
  // Likewise, of a reserved one as well.
  std::optional<Extent> find_reserved(std::uint64_t address) const;
  // For kernels: likewise, or in the memory of another device that they may access.
  std::optional<Extent> find_reachable(std::uint64_t address) const;
  // The memory of another device that has an address, if any.
  struct Peer {
    std::shared_ptr<const Memory> memory;
    bool is_accessible = false;  // to kernels of this device
  };
  using FindPeer = std::function<Peer(std::uint64_t address)>;
  void set_peers(FindPeer find_peer) { find_peer_ = std::move(find_peer); }  // before any use
  Peer find_peer(std::uint64_t address) const;

  // The allocation nearest to an address, including freed ones, for messages: of this device, or of
  // the one that has the address.
  std::optional<Allocation> nearest(std::uint64_t address) const;

  // The device's allocations that are neither freed nor closed, by address.
  std::vector<Allocation> living() const;

  // Whether an address is in the device's range, allocated or not: the host can't access it.
  bool is_of_device(std::uint64_t address) const;

  // Numbers for the blocks of a launch, in the order of launches: the first of n, 0 where there are
  // not so many. Before they begin anew the records of races are cleared.
  std::uint32_t number_blocks(std::uint64_t n_blocks);

  std::uint64_t capacity_bytes() const { return budget_->bytes(); }
  std::uint64_t used_bytes() const { return budget_->used_bytes(); }  // of the whole budget

 private:
  class Reservation;
  std::optional<std::uint64_t> find_gap(std::uint64_t n_bytes) const;
  std::optional<std::uint64_t> find_gap(std::uint64_t from, std::uint64_t n_bytes) const;
  std::optional<std::uint64_t> place(std::uint64_t n_bytes, const std::string& origin,
                                     bool is_reserved);
  const Allocation* find_around(std::uint64_t address) const;
  void erase(std::map<std::uint64_t, Allocation>::iterator entry);
  void remember_freed(Allocation allocation);
  void give_back_bytes(const Extent& extent);  // to the budget, where they are the device's

  const std::shared_ptr<MemoryBudget> budget_;
  std::uint64_t n_allocations_ = 0;
  std::uint64_t next_block_ = 1;                // see number_blocks
  std::uint64_t next_ = 0;                      // where the search for addresses begins
  std::map<std::uint64_t, Allocation> living_;  // and reserved ones, by address
  std::deque<Allocation> freed_;                // most recent ones, oldest first
  std::unique_ptr<Reservation> reservation_;
  FindPeer find_peer_;
  mutable std::shared_mutex mutex_;
};

// Copies and fills of device memory with the driver's semantics: checks ranges and tracks writes.

// If a range is not inside one allocation, does nothing and returns the error; otherwise returns an
// empty text.
std::string copy_in(const Memory& memory, std::uint64_t to, const void* from,
                    std::uint64_t n_bytes);
// Bytes never written are copied as 0xff: nan, or -1.
std::string copy_out(const Memory& memory, void* to, std::uint64_t from, std::uint64_t n_bytes);
// Unwritten bytes of the source become unwritten in the target; ranges may overlap.
std::string copy(const Memory& target, std::uint64_t to, const Memory& source, std::uint64_t from,
                 std::uint64_t n_bytes);
// An element is 1, 2 or 4 bytes.
std::string fill(const Memory& memory, std::uint64_t to, std::uint32_t element,
                 std::uint32_t element_bytes, std::uint64_t n_elements);

// Marks a range written from outside.
std::string mark_written(const Memory& memory, std::uint64_t address, std::uint64_t n_bytes);

// Descriptions of addresses for messages.

// "0x7f0000001000", and for small ones "0x0 (a null pointer)".
std::string address_text(std::uint64_t address);

// "allocation 3 (4096 bytes, device_array at model.py:12)", and whether it was freed.
std::string allocation_text(const Allocation& allocation);

// Location of `n_bytes` from `address` that are not inside one live allocation: "0 bytes past the
// end of allocation 3 (4096 bytes, device_array at model.py:12)".
std::string place_text(const Memory& memory, std::uint64_t address, std::uint64_t n_bytes);

}  // namespace numpy_plugin::sim
