// The 32 lanes of a warp: access to operands, and the loops that turn a function of elements into a
// handler. g++ vectorizes these loops for every instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "simulator/execute/state/warp.hpp"
#include "simulator/handlers/common/lane_masks.hpp"

namespace numpy_plugin::sim::NPP_ISA {

template <std::size_t kBytes>
struct BitsOf;
template <>
struct BitsOf<1> {
  using Type = std::uint8_t;
};
template <>
struct BitsOf<2> {
  using Type = std::uint16_t;
};
template <>
struct BitsOf<4> {
  using Type = std::uint32_t;
};
template <>
struct BitsOf<8> {
  using Type = std::uint64_t;
};
struct Bits128 {
  std::uint64_t low;
  std::uint64_t high;
};
template <>
struct BitsOf<16> {
  using Type = Bits128;
};
// The unsigned type of T's size.
template <class T>
using Bits = typename BitsOf<sizeof(T)>::Type;

template <class T>
inline T* aligned(void* data) {
  return static_cast<T*>(__builtin_assume_aligned(data, 64));
}
template <class T>
inline const T* aligned(const void* data) {
  return static_cast<const T*>(__builtin_assume_aligned(data, 64));
}

// A source operand: one element per lane.
template <class T>
inline const T* source(const Warp& warp, Slot slot) {
  const std::byte* base = slot < 0 ? warp.constants : warp.registers;
  return aligned<T>(base + (slot & kSlotOffset));
}

// A destination operand. Lanes outside warp.active must keep their values.
template <class T>
inline T* destination(Warp& warp, Slot slot) {
  return aligned<T>(warp.registers + slot);
}

// A predicate has one mask instead of 32 elements.
inline LaneMask source_mask(const Warp& warp, Slot slot) {
  const std::byte* base = slot < 0 ? warp.constants : warp.registers;
  LaneMask mask;
  __builtin_memcpy(&mask, base + (slot & kSlotOffset), sizeof mask);
  return mask;
}

inline void write_mask(Warp& warp, Slot slot, LaneMask mask) {
  if (slot == kNoSlot) return;
  LaneMask old;
  __builtin_memcpy(&old, warp.registers + slot, sizeof old);
  mask = (old & ~warp.active) | (mask & warp.active);
  __builtin_memcpy(warp.registers + slot, &mask, sizeof mask);
}

// Writes element(lane) to the active lanes of a slot. A lane may read only its own element of the
// slot's register: a result may overwrite a source.
template <class T, class Element>
__attribute__((always_inline)) inline void write_lanes(Warp& warp, Slot slot,
                                                       const Element& element) {
  Bits<T>* const result = destination<Bits<T>>(warp, slot);
  // One loop over elements for both cases below: each would cost its time to compile. The compiler
  // keeps the values in vector registers.
  alignas(64) Bits<T> values[kWarpSize];
  NPP_INDEPENDENT_LANES
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const T value = element(lane);
    values[lane] = __builtin_bit_cast(Bits<T>, value);
  }
  if (warp.active == kAllLanes) [[likely]] {
    NPP_INDEPENDENT_LANES
    for (int lane = 0; lane < kWarpSize; ++lane) result[lane] = values[lane];
    return;
  }
  // Elements are selected in a separate loop: g++ 12 fails on a minimum of half-words and the
  // selection in one (it assumes an AVX-512 instruction for that).
  blend(result, values, warp.active);
}

// The lanes for which test(lane) holds, active or not.
template <class Test>
__attribute__((always_inline)) inline LaneMask collect_lanes(const Test& test) {
  alignas(64) LaneMask bits[kWarpSize];
  NPP_INDEPENDENT_LANES
  for (int lane = 0; lane < kWarpSize; ++lane) bits[lane] = test(lane) ? kLaneBit.of[lane] : 0;
  return join_bits(bits);
}

// The handler of Function::apply: sources a, b, c, d have the element types Sources.
template <class Function, class Result, class... Sources>
void apply(Warp& warp, const Instruction& instruction) {
  const Slot slots[] = {instruction.a, instruction.b, instruction.c, instruction.d};
  [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
    [&](const Sources*... sources) {
      write_lanes<Result>(warp, instruction.result,
                          [=](int lane) -> Result { return Function::apply(sources[lane]...); });
    }(source<Sources>(warp, slots[kIndex])...);
  }
  (std::index_sequence_for<Sources...>());
}

// The handler of Function::apply with a bool result: the result is a predicate.
template <class Function, class... Sources>
void test(Warp& warp, const Instruction& instruction) {
  const Slot slots[] = {instruction.a, instruction.b};
  [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
    [&](const Sources*... sources) {
      write_mask(warp, instruction.result,
                 collect_lanes([=](int lane) { return Function::apply(sources[lane]...); }));
    }(source<Sources>(warp, slots[kIndex])...);
  }
  (std::index_sequence_for<Sources...>());
}

}  // namespace numpy_plugin::sim::NPP_ISA
