// A range of device addresses, and the shadow of its accesses: plain data, which the checks of
// accesses read.
#pragma once

#include <cstddef>
#include <cstdint>

namespace numpy_plugin::sim {

// Shadow of the accesses to device memory, by which races of a launch are found.

// The last accesses of some bytes, as marks: see execute/checks/global_races.cpp. Zeros: none.
// Where parts of the bytes were accessed by different threads, a record is split: it has the
// address of records for its parts instead of `writer`, and their launch instead of `reader`.
struct alignas(32) RaceRecord {
  std::uint64_t writer = 0;
  std::uint64_t reader = 0;       // the last plain one
  std::uint64_t other = 0;        // a reader before it, or an atomic write before that in `writer`
  std::uint16_t writer_site = 0;  // instructions
  std::uint16_t reader_site = 0;
  std::uint16_t other_site = 0;
  std::uint8_t is_split = 0;
  std::uint8_t is_locked = 0;  // of the record of a line: its parts are used by one host thread
};

constexpr std::uint64_t kRaceLineBytes = 128;

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
