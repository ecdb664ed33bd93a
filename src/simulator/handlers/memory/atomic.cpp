// atom, red: the host's atomics, lane after lane, so that blocks in several host threads
// interoperate. All orderings are sequentially consistent.
#include "simulator/handlers/common/families.hpp"
#include "simulator/handlers/memory/atomic_functions.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

constexpr int kMostElements = 8;  // per vector

// Not every host has 16-byte atomics: uses the engine's locks.
struct Exchange128 {
  static Bits128 apply(const Warp&, std::byte* place, Bits128 value, Bits128) {
    Bits128 old;
    exchange_16_bytes(place, nullptr, &value, &old);
    return old;
  }
};
struct CompareAndSwap128 {
  static Bits128 apply(const Warp&, std::byte* place, Bits128 expected, Bits128 value) {
    Bits128 old;
    exchange_16_bytes(place, &expected, &value, &old);
    return old;
  }
};

// Slots of one element: a vector's list has all results of atom, and then all sources.
struct AtomicSlots {
  Slot result;
  Slot first;
  Slot second;
};
inline AtomicSlots atomic_slots(const Warp& warp, const Instruction& instruction, int element) {
  const Operation& operation = instruction.operation;
  const bool has_second = operation.mode == Mode::kCompareAndSwap;
  if (instruction.n_list == 0) {
    return {instruction.result, instruction.b, has_second ? instruction.c : kNoSlot};
  }
  if (operation.opcode == Opcode::kRed) {
    return {kNoSlot, element_slot(warp, instruction, kNoSlot, element), kNoSlot};
  }
  return {element_slot(warp, instruction, kNoSlot, element),
          element_slot(warp, instruction, kNoSlot, element + operation.n_elements), kNoSlot};
}

// Writes the old values of one element.
template <class Function, class T>
inline void change_lanes(Warp& warp, const AtomicSlots& slots, LaneMask lanes,
                         std::byte* const* pointers, std::size_t offset, T* old) {
  const T* first = source<T>(warp, slots.first);
  const T* second = slots.second == kNoSlot ? first : source<T>(warp, slots.second);
  for_lanes(lanes, [&](int lane) {
    old[lane] = Function::apply(warp, pointers[lane] + offset, first[lane], second[lane]);
  });
}

template <class T>
inline void write_old(Warp& warp, Slot slot, LaneMask lanes, const T* old) {
  if (slot == kNoSlot) return;
  T* result = destination<T>(warp, slot);
  for_lanes(lanes, [&](int lane) { result[lane] = old[lane]; });
}

struct Atomic {
  template <class Function, class T>
  static void run(Warp& warp, const Instruction& instruction) {
    if (warp.active == 0) return;
    const int n_elements = instruction.operation.n_elements;
    Addresses addresses;
    read_addresses(warp, instruction, &addresses);
    LaneAccess access = lane_access(warp, instruction, addresses,
                                    static_cast<std::uint32_t>(n_elements) * sizeof(T));
    access.reads = true;
    access.writes = true;
    access.is_atomic = true;
    // A release covers the lane's earlier accesses, not this one.
    const Ordering ordering = instruction.operation.ordering;
    const bool is_release = ordering == Ordering::kRelease || ordering == Ordering::kAcquireRelease;
    is_release ? release(warp, access.lanes) : release_shared(warp, access.lanes);
    std::byte* pointers[kWarpSize];
    resolve(warp, instruction, access, pointers);
    // A result may overwrite the source of a later element.
    T old[kMostElements][kWarpSize];
    for (int element = 0; element < n_elements; ++element) {
      change_lanes<Function, T>(warp, atomic_slots(warp, instruction, element), access.lanes,
                                pointers, static_cast<std::size_t>(element) * sizeof(T),
                                old[element]);
    }
    for (int element = 0; element < n_elements; ++element) {
      write_old(warp, atomic_slots(warp, instruction, element).result, access.lanes, old[element]);
    }
    acquire(warp, access.lanes);
    if (instruction.operation.completes_bytes) complete_lanes(warp, instruction, access.n_bytes);
  }
};

}  // namespace

Handler find_atomic(const Instruction& instruction) {
  const Operation& operation = instruction.operation;
  if (operation.opcode != Opcode::kAtom && operation.opcode != Opcode::kRed) return nullptr;
  const bool is_b128 = operation.type == Type::kB128;
  if (operation.n_elements > kMostElements) return nullptr;
  switch (operation.mode) {
    case Mode::kExchange:
      return is_b128 ? &Atomic::run<Exchange128, Bits128>
                     : find_bitwise<Atomic, Exchange>(operation.type);
    case Mode::kCompareAndSwap:
      return is_b128 ? &Atomic::run<CompareAndSwap128, Bits128>
                     : find_bitwise<Atomic, CompareAndSwap>(operation.type);
    default:
      return find_reduction<Atomic>(operation);
  }
}

}  // namespace numpy_plugin::sim::NPP_ISA
