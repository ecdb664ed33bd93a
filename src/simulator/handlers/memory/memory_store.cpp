// st: from registers to memory.
#include "simulator/handlers/common/families.hpp"
#include "simulator/handlers/memory/memory_access.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

template <class T, class Register>
inline void interleave(const Warp& warp, Slot slot, T* values, int step) {
  if constexpr (sizeof(Register) >= sizeof(T) && sizeof(Register) <= 8) {
    const auto* registers = source<Register>(warp, slot);
    for (int lane = 0; lane < kWarpSize; ++lane) {
      values[lane * step] = static_cast<T>(registers[lane]);
    }
  }
}

// The low bytes of registers wider than the type.
template <class T>
__attribute__((noinline)) void interleave_narrowed(const Warp& warp, const Instruction& instruction,
                                                   Slot slot, T* values, int step) {
  if constexpr (sizeof(T) < 8) {
    if (instruction.source_bytes == 2) interleave<T, std::uint16_t>(warp, slot, values, step);
    if (instruction.source_bytes == 4) interleave<T, std::uint32_t>(warp, slot, values, step);
    if (instruction.source_bytes == 8) interleave<T, std::uint64_t>(warp, slot, values, step);
  }
}

// The lanes' values, contiguous; copied to `values` where a register does not have them so.
template <class T, int kElements>
inline const T* read_values(const Warp& warp, const Instruction& instruction, T* values) {
  const bool is_narrowed = instruction.source_bytes != sizeof(T);
  if (kElements == 1 && !is_narrowed) {
    return source<T>(warp, element_slot(warp, instruction, instruction.b, 0));
  }
  for (int element = 0; element < kElements; ++element) {
    const Slot slot = element_slot(warp, instruction, instruction.b, element);
    if (is_narrowed) {
      interleave_narrowed(warp, instruction, slot, values + element, kElements);
    } else {
      const T* registers = source<T>(warp, slot);
      for (int lane = 0; lane < kWarpSize; ++lane) {
        values[lane * kElements + element] = registers[lane];
      }
    }
  }
  return values;
}

struct Store {
  template <class T, int kElements>
  static void run(Warp& warp, const Instruction& instruction) {
    constexpr std::uint32_t kBytes = sizeof(T) * kElements;
    if (warp.active == 0) return;
    Addresses addresses;
    read_addresses(warp, instruction, &addresses);
    alignas(64) T storage[kWarpSize * kElements];
    const T* values = read_values<T, kElements>(warp, instruction, storage);
    LaneAccess access = lane_access(warp, instruction, addresses, kBytes);
    access.writes = true;
    access.data = reinterpret_cast<const std::byte*>(values);
    CoalescedLanes together;
    if (can_coalesce(access.space)) {
      together = find_together<kBytes>(warp, instruction, access, addresses);
    }
    if (together.kind == CoalescedLanes::Kind::kNone) {
      std::byte* pointers[kWarpSize];
      find_each<kBytes>(warp, instruction, access, addresses, pointers);
      for_lanes(access.lanes, [&](int lane) {
        __builtin_memcpy(pointers[lane], values + lane * kElements, kBytes);
      });
    } else if (access.lanes == kAllLanes) {
      __builtin_memcpy(together.data, values, kBytes * kWarpSize);
    } else {
      __builtin_memcpy(together.data, values + together.first * kElements,
                       kBytes * static_cast<std::size_t>(together.n_lanes));
    }
  }
};

template <class T>
inline void store_atomically(std::byte* place, const T& value) {
  if constexpr (sizeof(T) == 16) {
    T old;
    exchange_16_bytes(place, nullptr, &value, &old);
  } else {
    __atomic_store_n(reinterpret_cast<T*>(place), value, __ATOMIC_SEQ_CST);
  }
}

// volatile, relaxed, release: other blocks, in other host threads, may read concurrently.
struct StoreOrdered {
  template <class T, int kElements>
  static void run(Warp& warp, const Instruction& instruction) {
    if (warp.active == 0) return;
    Addresses addresses;
    read_addresses(warp, instruction, &addresses);
    alignas(64) T storage[kWarpSize * kElements];
    const T* values = read_values<T, kElements>(warp, instruction, storage);
    LaneAccess access = lane_access(warp, instruction, addresses, sizeof(T) * kElements);
    access.writes = true;
    access.is_atomic = true;
    if (instruction.operation.ordering == Ordering::kRelease) release(warp, access.lanes);
    std::byte* pointers[kWarpSize];
    resolve(warp, instruction, access, pointers);
    for_lanes(access.lanes, [&](int lane) {
      for (int element = 0; element < kElements; ++element) {
        std::byte* place = pointers[lane] + static_cast<std::size_t>(element) * sizeof(T);
        store_atomically(place, values[lane * kElements + element]);
      }
    });
  }
};

// st.async: stored at once, which correct programs can't observe.
struct StoreAsync {
  template <class T, int kElements>
  static void run(Warp& warp, const Instruction& instruction) {
    if (warp.active == 0) return;
    Store::run<T, kElements>(warp, instruction);
    complete_lanes(warp, instruction, sizeof(T) * kElements);
  }
};

}  // namespace

Handler find_store(const Instruction& instruction) {
  const Operation& operation = instruction.operation;
  const std::uint32_t n_bytes = size_bytes(operation.type);
  if (operation.completes_bytes) return pick<StoreAsync>(n_bytes, operation.n_elements);
  return operation.ordering == Ordering::kWeak ? pick<Store>(n_bytes, operation.n_elements)
                                               : pick<StoreOrdered>(n_bytes, operation.n_elements);
}

}  // namespace numpy_plugin::sim::NPP_ISA
