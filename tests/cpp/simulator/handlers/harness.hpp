// A warp for running single instructions, with every build of the handlers that this machine
// supports.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/execute/state/block.hpp"
#include "simulator/handlers/builds.hpp"
#include "simulator/program/opcode_table.hpp"

namespace numpy_plugin::sim {

// Registers of exactly the types' sizes; operands are set by the caller.
inline Instruction make_instruction(const Operation& operation) {
  Instruction instruction;
  instruction.operation = operation;
  const Type source = operation.source == Type::kNone ? operation.type : operation.source;
  instruction.result_bytes = static_cast<std::uint8_t>(size_bytes(operation.type));
  instruction.source_bytes = static_cast<std::uint8_t>(size_bytes(source));
  return instruction;
}

inline Instruction make_instruction(std::string_view mnemonic) {
  const auto found = find_mnemonic(mnemonic);
  if (!found) throw std::runtime_error("no mnemonic: " + std::string(mnemonic));
  return make_instruction(found->operation);
}

constexpr std::uint64_t kUntouched = 0xa5a5'a5a5'a5a5'a5a5;

// 32 lanes of a register, as the low bits of 64.
using Lanes = std::array<std::uint64_t, kWarpSize>;

// Registers in fixed places, each large enough for 16 bytes per lane.
class TestWarp {
 public:
  static constexpr Slot kPlaceBytes = kWarpSize * 16;
  static constexpr int kPlaces = 12;

  TestWarp() : storage_(kPlaces * kPlaceBytes + 64) {
    void* begin = storage_.data();
    std::size_t space = storage_.size();
    registers_ = static_cast<std::byte*>(std::align(64, kPlaces * kPlaceBytes, begin, space));
    std::memset(registers_, 0xa5, kPlaces * kPlaceBytes);
    warp_.registers = registers_;
    warp_.constants = registers_;
    warp_.active = kAllLanes;
    warp_.frame = &frame_;
    warp_.block = &block_;
    block_.launch = &launch_;
    launch_.program = &program_;
  }

  TestWarp(const TestWarp&) = delete;
  TestWarp& operator=(const TestWarp&) = delete;

  static Slot place(int index) { return index * kPlaceBytes; }
  static Slot constant_place(int index) { return kConstantSlot + index * kPlaceBytes; }

  void write(int index, std::size_t n_bytes, const Lanes& lanes) {
    for (int lane = 0; lane < kWarpSize; ++lane) {
      std::memcpy(registers_ + place(index) + static_cast<std::size_t>(lane) * n_bytes,
                  &lanes[static_cast<std::size_t>(lane)], n_bytes);
    }
  }

  Lanes read(int index, std::size_t n_bytes) const {
    Lanes lanes = {};
    for (int lane = 0; lane < kWarpSize; ++lane) {
      std::memcpy(&lanes[static_cast<std::size_t>(lane)],
                  registers_ + place(index) + static_cast<std::size_t>(lane) * n_bytes, n_bytes);
    }
    return lanes;
  }

  void write_mask(int index, LaneMask mask) {
    std::memcpy(registers_ + place(index), &mask, sizeof mask);
  }
  LaneMask read_mask(int index) const {
    LaneMask mask;
    std::memcpy(&mask, registers_ + place(index), sizeof mask);
    return mask;
  }

  void run(HostIsa isa, const Instruction& instruction) {
    const Handler handler = handler_finder(isa)(instruction);
    ASSERT_NE(handler, nullptr);
    handler(warp_, instruction);
  }

  Warp& warp() { return warp_; }
  Frame& frame() { return frame_; }
  Block& block() { return block_; }
  Program& program() { return program_; }

 private:
  std::vector<std::byte> storage_;
  std::byte* registers_ = nullptr;
  Warp warp_;
  Frame frame_;
  Block block_;
  Launch launch_;
  Program program_;
};

}  // namespace numpy_plugin::sim
