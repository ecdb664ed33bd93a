// ld: from memory to registers.
#include "simulator/handlers/common/families.hpp"

#include "simulator/handlers/memory/memory_access.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

template <class Result, class T>
void write_extended(Warp& warp, Slot slot, const T* values, int step) {
  if constexpr (sizeof(Result) > sizeof(T)) {
    write_lanes<Result>(warp, slot,
                        [=](int lane) { return static_cast<Result>(values[lane * step]); });
  }
}

// For a register wider than the type: signed types are sign-extended, others zero-extended.
template <class T>
__attribute__((noinline)) void write_wider(Warp& warp, const Instruction& instruction, Slot slot,
                                           const T* values, int step) {
  if constexpr (sizeof(T) < 8) {
    using Signed = std::make_signed_t<T>;
    const std::uint32_t result_bytes = instruction.result_bytes;
    const Type type = instruction.operation.type;
    const bool is_signed = type == Type::kS8 || type == Type::kS16 || type == Type::kS32;
    const auto* signed_values = reinterpret_cast<const Signed*>(values);
    if (is_signed) {
      if (result_bytes == 2) write_extended<std::int16_t>(warp, slot, signed_values, step);
      if (result_bytes == 4) write_extended<std::int32_t>(warp, slot, signed_values, step);
      if (result_bytes == 8) write_extended<std::int64_t>(warp, slot, signed_values, step);
    } else {
      if (result_bytes == 2) write_extended<std::uint16_t>(warp, slot, values, step);
      if (result_bytes == 4) write_extended<std::uint32_t>(warp, slot, values, step);
      if (result_bytes == 8) write_extended<std::uint64_t>(warp, slot, values, step);
    }
  }
}

// values: kElements per lane, lanes contiguous.
template <class T, int kElements>
inline void write_results(Warp& warp, const Instruction& instruction, const T* values) {
  for (int element = 0; element < kElements; ++element) {
    const Slot slot = element_slot(warp, instruction, instruction.result, element);
    if (slot == kNoSlot) continue;
    if (instruction.result_bytes == sizeof(T)) {
      write_lanes<T>(warp, slot, [=](int lane) { return values[lane * kElements + element]; });
    } else {
      write_wider(warp, instruction, slot, values + element, kElements);
    }
  }
}

// The values at `place` in all lanes.
template <class T, int kElements>
inline void write_same(Warp& warp, const Instruction& instruction, const std::byte* place) {
  T one[kElements];
  __builtin_memcpy(one, place, sizeof one);
  if (instruction.result_bytes == sizeof(T)) {
    for (int element = 0; element < kElements; ++element) {
      const Slot slot = element_slot(warp, instruction, instruction.result, element);
      if (slot == kNoSlot) continue;
      const T value = one[element];
      write_lanes<T>(warp, slot, [=](int) { return value; });
    }
    return;
  }
  alignas(64) T values[kWarpSize * kElements];
  for (int lane = 0; lane < kWarpSize; ++lane) {
    for (int element = 0; element < kElements; ++element) {
      values[lane * kElements + element] = one[element];
    }
  }
  write_results<T, kElements>(warp, instruction, values);
}

template <class T, int kElements>
inline void copy_row(const CoalescedLanes& together, LaneMask lanes, T* values) {
  constexpr std::size_t kBytes = sizeof(T) * kElements;
  if (lanes == kAllLanes) {
    __builtin_memcpy(values, together.data, kBytes * kWarpSize);
  } else {
    __builtin_memcpy(values + together.first * kElements, together.data,
                     kBytes * static_cast<std::size_t>(together.n_lanes));
  }
}

struct Load {
  template <class T, int kElements>
  static void run(Warp& warp, const Instruction& instruction) {
    constexpr std::uint32_t kBytes = sizeof(T) * kElements;
    if (warp.active == 0) return;
    Addresses addresses;
    read_addresses(warp, instruction, &addresses);
    LaneAccess access = lane_access(warp, instruction, addresses, kBytes);
    access.reads = true;
    alignas(64) T values[kWarpSize * kElements];
    CoalescedLanes together;
    if (can_coalesce(access.space)) {
      together = find_together<kBytes>(warp, instruction, access, addresses);
    }
    if (together.kind == CoalescedLanes::Kind::kSame) {
      return write_same<T, kElements>(warp, instruction, together.data);
    }
    if (together.kind == CoalescedLanes::Kind::kRow) {
      copy_row<T, kElements>(together, access.lanes, values);
    } else {
      std::byte* pointers[kWarpSize];
      find_each<kBytes>(warp, instruction, access, addresses, pointers);
      for_lanes(access.lanes, [&](int lane) {
        __builtin_memcpy(values + lane * kElements, pointers[lane], kBytes);
      });
    }
    write_results<T, kElements>(warp, instruction, values);
  }
};

// A kernel parameter at a constant offset: equal in all lanes.
struct LoadParameter {
  template <class T, int kElements>
  static void run(Warp& warp, const Instruction& instruction) {
    const auto& parameters = warp.block->launch->parameters;
    const auto offset = static_cast<std::uint64_t>(instruction.offset);
    const std::uint64_t n_bytes = sizeof(T) * kElements;
    if (n_bytes > parameters.size() || offset > parameters.size() - n_bytes) {
      return Load::run<T, kElements>(warp, instruction);
    }
    write_same<T, kElements>(warp, instruction, parameters.data() + offset);
  }
};

template <class T>
inline T load_atomically(std::byte* place) {
  if constexpr (sizeof(T) == 16) {
    const T none = {};
    T value;
    exchange_16_bytes(place, &none, &none, &value);
    return value;
  } else {
    return __atomic_load_n(reinterpret_cast<const T*>(place), __ATOMIC_SEQ_CST);
  }
}

// volatile, relaxed, acquire: other blocks, in other host threads, may write concurrently.
struct LoadOrdered {
  template <class T, int kElements>
  static void run(Warp& warp, const Instruction& instruction) {
    if (warp.active == 0) return;
    Addresses addresses;
    read_addresses(warp, instruction, &addresses);
    LaneAccess access = lane_access(warp, instruction, addresses, sizeof(T) * kElements);
    access.reads = true;
    access.is_atomic = true;
    std::byte* pointers[kWarpSize];
    resolve(warp, instruction, access, pointers);
    alignas(64) T values[kWarpSize * kElements];
    for_lanes(access.lanes, [&](int lane) {
      for (int element = 0; element < kElements; ++element) {
        std::byte* place = pointers[lane] + static_cast<std::size_t>(element) * sizeof(T);
        values[lane * kElements + element] = load_atomically<T>(place);
      }
    });
    acquire(warp, access.lanes);
    write_results<T, kElements>(warp, instruction, values);
  }
};

}  // namespace

Handler find_load(const Instruction& instruction) {
  const Operation& operation = instruction.operation;
  const std::uint32_t n_bytes = size_bytes(operation.type);
  if (operation.ordering != Ordering::kWeak) {
    return pick<LoadOrdered>(n_bytes, operation.n_elements);
  }
  if (operation.space == Space::kParam && instruction.is_absolute) {
    return pick<LoadParameter>(n_bytes, operation.n_elements);
  }
  return pick<Load>(n_bytes, operation.n_elements);
}

}  // namespace numpy_plugin::sim::NPP_ISA
