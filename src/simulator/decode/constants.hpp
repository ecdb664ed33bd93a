// The program's constants: each distinct value once, in all 32 lanes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "simulator/program/program.hpp"

namespace numpy_plugin::sim {

class Constants {
 public:
  // A value of 1 to 16 bytes. Throws PtxError where a line's value exceeds the maximum number of
  // constants.
  Slot value(std::uint32_t n_bytes, std::uint64_t low, std::uint64_t high, int line);
  Slot predicate(bool is_true, int line);

  // Transfers all constants to the program; slots remain valid.
  void move_to(Program& program);

 private:
  struct Key {
    std::uint32_t n_bytes = 0;  // 0: a predicate
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };

  Slot add(const Key& key, std::uint32_t n_copies, int line);

  std::unordered_map<Key, Slot, KeyHash> slots_;
  std::vector<std::byte> bytes_;
};

}  // namespace numpy_plugin::sim
