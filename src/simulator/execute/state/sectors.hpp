// Number of 32-byte sectors that a warp's access touches.
#pragma once

#include <bit>
#include <cstdint>

namespace numpy_plugin::sim {

class Sectors {
 public:
  void add(std::uint64_t address, std::uint32_t n_bytes) {
    const std::uint64_t last = (address + n_bytes - 1) / kSectorBytes;
    for (std::uint64_t sector = address / kSectorBytes; sector <= last; ++sector) {
      if (n_sectors_ > 0 && sectors_[n_sectors_ - 1] == sector) continue;
      is_rising_ &= n_sectors_ == 0 || sectors_[n_sectors_ - 1] < sector;
      sectors_[n_sectors_++] = sector;
    }
  }

  std::uint64_t count() const { return is_rising_ ? n_sectors_ : count_different(); }

 private:
  static constexpr std::uint64_t kSectorBytes = 32;
  static constexpr std::uint32_t kMost = 64;  // two per lane, where it may be misaligned
  static constexpr std::uint32_t kPlaces = 2 * kMost;

  // Counts with an open-addressing hash table.
  std::uint64_t count_different() const {
    std::uint64_t places[kPlaces] = {};  // a sector plus 1
    std::uint64_t n_different = 0;
    for (std::uint32_t index = 0; index < n_sectors_; ++index) {
      const std::uint64_t sector = sectors_[index] + 1;
      std::uint64_t place = sector * 0x9e37'79b9'7f4a'7c15 >> (64 - std::countr_zero(kPlaces));
      while (places[place] != 0 && places[place] != sector) place = (place + 1) % kPlaces;
      n_different += places[place] == 0;
      places[place] = sector;
    }
    return n_different;
  }

  bool is_rising_ = true;
  std::uint32_t n_sectors_ = 0;
  std::uint64_t sectors_[kMost];
};

}  // namespace numpy_plugin::sim
