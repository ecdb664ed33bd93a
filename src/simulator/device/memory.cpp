// Mappings: inaccessible device addresses, their bytes, and a shadow of written bytes, in which an
// offset is the same, and records of races, one per line.

#include "simulator/device/memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>

#include "numpy_plugin/base/error.hpp"
#include "simulator/device/extent.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr std::uint64_t kAlignment = 256;
constexpr std::uint64_t kGapBytes = 256;
constexpr std::uint64_t kAccountedBytes = 512;  // allocations occupy a multiple of this
constexpr std::uint64_t kRangePerCapacity = 4;
constexpr std::uint64_t kSmallestRange = std::uint64_t{64} << 20;
constexpr std::size_t kFreedRemembered = 1024;
constexpr std::uint64_t kRaceBytes = sizeof(RaceRecord);  // per line
static_assert(kAlignment % kRaceLineBytes == 0);

std::uint64_t round_up(std::uint64_t value, std::uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

std::uint64_t page_bytes() {
  static const auto bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

std::uint64_t n_race_lines(const Extent& extent) {
  return (extent.end - 1) / kRaceLineBytes - extent.begin / kRaceLineBytes + 1;
}

// Records for the lines of host memory; pages are committed on first touch.
std::shared_ptr<RaceRecord> new_host_races(const Extent& extent) {
  void* const records = std::calloc(n_race_lines(extent) + 1, kRaceBytes);
  if (records == nullptr) throw std::bad_alloc();
  const auto begin = round_up(reinterpret_cast<std::uint64_t>(records), kRaceBytes);
  return {reinterpret_cast<RaceRecord*>(begin), [records](RaceRecord*) { std::free(records); }};
}

bool touches(const Extent& extent, std::uint64_t begin, std::uint64_t end) {
  return extent.begin < end && begin < extent.end;
}

std::uint64_t distance(const Extent& extent, std::uint64_t address) {
  if (address < extent.begin) return extent.begin - address;
  return address < extent.end ? 0 : address - extent.end + 1;
}

// A reserved address range without memory, until made usable.
class Mapping {
 public:
  explicit Mapping(std::uint64_t n_bytes) : n_bytes_(n_bytes) {
    void* begin =
        mmap(nullptr, n_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (begin == MAP_FAILED) {
      throw base::Error(
          base::ErrorKind::kDeviceMemory,
          format(
              "the simulated device's memory needs {} bytes of address space, which this process "
              "can't have; give the simulator less memory, or raise the limit (ulimit -v)",
              n_bytes));
    }
    begin_ = static_cast<std::byte*>(begin);
  }
  ~Mapping() { munmap(begin_, n_bytes_); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  std::byte* begin() const { return begin_; }

  bool make_usable(std::uint64_t offset, std::uint64_t n_bytes) {
    return mprotect(begin_ + offset, n_bytes, PROT_READ | PROT_WRITE) == 0;
  }

  void clear(std::uint64_t offset, std::uint64_t n_bytes) {
    const std::uint64_t end = offset + n_bytes;
    const std::uint64_t first_page = std::min(round_up(offset, page_bytes()), end);
    const std::uint64_t last_page = std::max(end / page_bytes() * page_bytes(), first_page);
    std::fill(begin_ + offset, begin_ + first_page, std::byte{0});
    drop_pages(first_page, last_page - first_page);
    std::fill(begin_ + last_page, begin_ + end, std::byte{0});
  }

  // Returns whole pages to the system; they read as zero afterwards.
  void drop_pages(std::uint64_t offset, std::uint64_t n_bytes) {
    const std::uint64_t begin = round_up(offset, page_bytes());
    const std::uint64_t end = (offset + n_bytes) / page_bytes() * page_bytes();
    if (begin < end) madvise(begin_ + begin, end - begin, MADV_DONTNEED);
  }

 private:
  std::byte* begin_ = nullptr;
  std::uint64_t n_bytes_;
};

}  // namespace

class Memory::Reservation {
 public:
  explicit Reservation(std::uint64_t n_bytes)
      : n_bytes_(n_bytes),
        addresses_(n_bytes),
        bytes_(n_bytes),
        written_(n_bytes),
        races_(n_bytes / kRaceLineBytes * kRaceBytes) {}

  std::uint64_t begin() const { return reinterpret_cast<std::uint64_t>(addresses_.begin()); }
  std::uint64_t end() const { return begin() + n_bytes_; }

  // False where the system has no memory. Writes none of it: see give_back.
  bool prepare(const Extent& extent) {
    const std::uint64_t needed = round_up(extent.end - begin(), page_bytes());
    if (needed > usable_) {
      const std::uint64_t more = needed - usable_;
      if (!bytes_.make_usable(usable_, more) || !written_.make_usable(usable_, more) ||
          !races_.make_usable(0, race_bytes(needed))) {
        return false;
      }
      usable_ = needed;
    }
    return true;
  }

  Extent extent(std::uint64_t address, std::uint64_t n_bytes) const {
    const std::uint64_t offset = address - begin();
    return {.begin = address,
            .end = address + n_bytes,
            .data = bytes_.begin() + offset,
            .written = reinterpret_cast<std::uint8_t*>(written_.begin() + offset),
            .races = reinterpret_cast<RaceRecord*>(races_.begin() + race_bytes(offset))};
  }

  void give_back(const Extent& extent) {
    bytes_.drop_pages(extent.begin - begin(), extent.end - extent.begin);
    written_.clear(extent.begin - begin(), extent.end - extent.begin);
    const std::uint64_t first = race_bytes(extent.begin - begin());
    races_.clear(first, race_bytes(extent.end - begin()) - first);
  }

  void clear_races() { races_.drop_pages(0, round_up(race_bytes(usable_), page_bytes())); }

 private:
  // Of the lines up to an offset.
  static std::uint64_t race_bytes(std::uint64_t offset) {
    return (offset + kRaceLineBytes - 1) / kRaceLineBytes * kRaceBytes;
  }

  std::uint64_t n_bytes_;
  Mapping addresses_;
  Mapping bytes_;
  Mapping written_;
  Mapping races_;
  std::uint64_t usable_ = 0;  // of bytes_ and written_, from their beginnings
};

bool MemoryBudget::take(std::uint64_t n_bytes) {
  std::uint64_t used = used_.load();
  do {
    if (n_bytes > n_bytes_ - used) return false;
  } while (!used_.compare_exchange_weak(used, used + n_bytes));
  return true;
}

void MemoryBudget::give_back(std::uint64_t n_bytes) { used_ -= n_bytes; }

Memory::Memory(std::shared_ptr<MemoryBudget> budget)
    : budget_(std::move(budget)),
      reservation_(std::make_unique<Reservation>(
          std::max(kSmallestRange, round_up(budget_->bytes(), page_bytes()) * kRangePerCapacity))) {
  next_ = reservation_->begin();
}

Memory::~Memory() { clear(); }

void Memory::clear() {
  const std::unique_lock lock(mutex_);
  for (const auto& [address, allocation] : living_) give_back_bytes(allocation.extent);
  living_.clear();
}

void Memory::give_back_bytes(const Extent& extent) {
  if (!is_of_device(extent.begin)) return;
  budget_->give_back(round_up(extent.end - extent.begin, kAccountedBytes));
}

std::optional<std::uint64_t> Memory::find_gap(std::uint64_t from, std::uint64_t n_bytes) const {
  std::uint64_t address = from;
  auto after = living_.lower_bound(address);
  if (after != living_.begin()) {
    address =
        std::max(address, round_up(std::prev(after)->second.extent.end + kGapBytes, kAlignment));
  }
  for (; after != living_.end(); ++after) {
    const Extent& extent = after->second.extent;
    if (extent.begin >= reservation_->end() || address + n_bytes + kGapBytes <= extent.begin) break;
    address = std::max(address, round_up(extent.end + kGapBytes, kAlignment));
  }
  if (address + n_bytes + kGapBytes > reservation_->end()) return std::nullopt;
  return address;
}

std::optional<std::uint64_t> Memory::find_gap(std::uint64_t n_bytes) const {
  const auto behind = find_gap(next_, n_bytes);
  return behind ? behind : find_gap(reservation_->begin(), n_bytes);
}

std::optional<std::uint64_t> Memory::allocate(std::uint64_t n_bytes, const std::string& origin) {
  return place(n_bytes, origin, false);
}

std::optional<std::uint64_t> Memory::reserve(std::uint64_t n_bytes, const std::string& origin) {
  return place(n_bytes, origin, true);
}

std::optional<std::uint64_t> Memory::place(std::uint64_t n_bytes, const std::string& origin,
                                           bool is_reserved) {
  NPP_ASSERT(n_bytes > 0, origin);
  const std::unique_lock lock(mutex_);
  if (n_bytes > capacity_bytes()) return std::nullopt;
  const auto address = find_gap(n_bytes);
  if (!address) return std::nullopt;
  const Extent extent = reservation_->extent(*address, n_bytes);
  if (!reservation_->prepare(extent)) return std::nullopt;
  if (!budget_->take(round_up(n_bytes, kAccountedBytes))) return std::nullopt;
  std::erase_if(freed_, [&](const Allocation& freed) {
    return touches(freed.extent, extent.begin, extent.end);
  });
  next_ = round_up(extent.end + kGapBytes, kAlignment);
  living_[*address] = {.extent = extent,
                       .number = ++n_allocations_,
                       .origin = origin,
                       .is_freed = is_reserved,
                       .is_reserved = is_reserved,
                       .host_races = nullptr};
  return address;
}

bool Memory::open(std::uint64_t address) {
  const std::unique_lock lock(mutex_);
  const auto found = living_.find(address);
  if (found == living_.end() || !found->second.is_freed) return false;
  found->second.is_freed = false;
  return true;
}

bool Memory::is_reserved(std::uint64_t address) const {
  const std::shared_lock lock(mutex_);
  const auto found = living_.find(address);
  return found != living_.end() && found->second.is_reserved;
}

void Memory::end_reservation(std::uint64_t address) {
  const std::unique_lock lock(mutex_);
  const auto found = living_.find(address);
  if (found == living_.end()) return;  // cleared
  NPP_ASSERT(found->second.is_reserved, std::to_string(address));
  found->second.is_reserved = false;
  if (found->second.is_freed) erase(found);
}

void Memory::add_host(void* data, std::uint64_t n_bytes, const std::string& origin) {
  const auto address = reinterpret_cast<std::uint64_t>(data);
  const std::unique_lock lock(mutex_);
  Extent extent = {
      .begin = address, .end = address + n_bytes, .data = static_cast<std::byte*>(data)};
  const auto races = new_host_races(extent);
  extent.races = races.get();
  std::erase_if(freed_, [&](const Allocation& freed) {
    return touches(freed.extent, extent.begin, extent.end);
  });
  living_[address] = {
      .extent = extent, .number = ++n_allocations_, .origin = origin, .host_races = races};
}

bool Memory::free(std::uint64_t address) {
  const std::unique_lock lock(mutex_);
  const auto found = living_.find(address);
  if (found == living_.end() || found->second.is_freed) return false;
  const Extent extent = found->second.extent;
  if (is_of_device(extent.begin)) reservation_->give_back(extent);
  if (found->second.is_reserved) {
    found->second.is_freed = true;
    return true;
  }
  erase(found);
  return true;
}

void Memory::erase(std::map<std::uint64_t, Allocation>::iterator entry) {
  give_back_bytes(entry->second.extent);
  remember_freed(std::move(entry->second));
  living_.erase(entry);
}

void Memory::remember_freed(Allocation allocation) {
  allocation.is_freed = true;
  allocation.host_races = nullptr;
  freed_.push_back(std::move(allocation));
  if (freed_.size() > kFreedRemembered) freed_.pop_front();
}

void Memory::set_read_only(std::uint64_t address) {
  const std::unique_lock lock(mutex_);
  const auto found = living_.find(address);
  NPP_ASSERT(found != living_.end(), std::to_string(address));
  found->second.extent.is_read_only = true;
  found->second.extent.races = nullptr;
}

const Allocation* Memory::find_around(std::uint64_t address) const {
  const auto after = living_.upper_bound(address);
  if (after == living_.begin()) return nullptr;
  const Allocation& allocation = std::prev(after)->second;
  return address >= allocation.extent.end ? nullptr : &allocation;
}

std::optional<Extent> Memory::find(std::uint64_t address) const {
  const std::shared_lock lock(mutex_);
  const Allocation* const found = find_around(address);
  return found == nullptr || found->is_freed ? std::nullopt : std::optional(found->extent);
}

std::optional<Extent> Memory::find_reserved(std::uint64_t address) const {
  const std::shared_lock lock(mutex_);
  const Allocation* const found = find_around(address);
  return found == nullptr ? std::nullopt : std::optional(found->extent);
}

std::optional<Extent> Memory::find_reachable(std::uint64_t address) const {
  const auto own = find(address);
  if (own) return own;
  const Peer peer = find_peer(address);
  if (!peer.is_accessible) return std::nullopt;
  auto extent = peer.memory->find(address);
  if (extent) extent->races = nullptr;  // its blocks are numbered by the other device
  return extent;
}

Memory::Peer Memory::find_peer(std::uint64_t address) const {
  return is_of_device(address) || !find_peer_ ? Peer() : find_peer_(address);
}

std::optional<Allocation> Memory::nearest(std::uint64_t address) const {
  if (const Peer peer = find_peer(address); peer.memory != nullptr) {
    return peer.memory->nearest(address);
  }
  const std::shared_lock lock(mutex_);
  const Allocation* best = nullptr;
  const auto consider = [&](const Allocation& allocation) {
    if (best == nullptr || distance(allocation.extent, address) < distance(best->extent, address)) {
      best = &allocation;
    }
  };
  for (const auto& [begin, allocation] : living_) consider(allocation);
  for (auto freed = freed_.rbegin(); freed != freed_.rend(); ++freed) consider(*freed);
  if (best == nullptr) return std::nullopt;
  return *best;
}

std::vector<Allocation> Memory::living() const {
  const std::shared_lock lock(mutex_);
  std::vector<Allocation> found;
  for (const auto& [begin, allocation] : living_) {
    if (!allocation.is_freed && is_of_device(begin)) found.push_back(allocation);
  }
  return found;
}

std::uint32_t Memory::number_blocks(std::uint64_t n_blocks) {
  constexpr std::uint64_t kMost = UINT32_MAX;
  const std::unique_lock lock(mutex_);
  if (n_blocks >= kMost) return 0;
  if (n_blocks > kMost - next_block_) {
    next_block_ = 1;
    reservation_->clear_races();
    for (auto& [begin, allocation] : living_) {
      if (allocation.host_races == nullptr) continue;
      std::fill_n(allocation.host_races.get(), n_race_lines(allocation.extent), RaceRecord());
    }
  }
  next_block_ += n_blocks;
  return static_cast<std::uint32_t>(next_block_ - n_blocks);
}

bool Memory::is_of_device(std::uint64_t address) const {
  return address >= reservation_->begin() && address < reservation_->end();
}

}  // namespace numpy_plugin::sim
