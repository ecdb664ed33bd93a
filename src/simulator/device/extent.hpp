// A range of device addresses: plain data, which the checks of accesses read.
#pragma once

#include <cstddef>
#include <cstdint>

namespace numpy_plugin::sim {

struct RaceRecord;

// A range of device addresses in one allocation, and the location of its bytes.
struct Extent {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::byte* data = nullptr;        // of the byte at `begin`
  std::uint8_t* written = nullptr;  // per byte, 0 until first written; nullptr: untracked
  bool is_read_only = false;
  RaceRecord* races = nullptr;  // of the line around `begin` and those behind; nullptr: untracked

  bool holds(std::uint64_t address, std::uint64_t n_bytes) const {
    return address >= begin && n_bytes <= end - begin && address - begin <= end - begin - n_bytes;
  }
};

}  // namespace numpy_plugin::sim
