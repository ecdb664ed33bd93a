// atom, red: the host's atomics, lane after lane, so that blocks in several host threads
// interoperate. All orderings are sequentially consistent.
#include "simulator/handlers/common/families.hpp"
#include "simulator/handlers/common/narrow_float.hpp"
#include "simulator/handlers/memory/memory_access.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

constexpr int kMostElements = 8;  // per vector

// The new value, from the old one and both sources.
template <class T>
struct Add {
  static T apply(T old, T value, T) { return static_cast<T>(old + value); }
};
template <class T>
struct Minimum {
  static T apply(T old, T value, T) { return value < old ? value : old; }
};
template <class T>
struct Maximum {
  static T apply(T old, T value, T) { return old < value ? value : old; }
};
template <class T>
struct And {
  static T apply(T old, T value, T) { return old & value; }
};
template <class T>
struct Or {
  static T apply(T old, T value, T) { return old | value; }
};
template <class T>
struct Xor {
  static T apply(T old, T value, T) { return old ^ value; }
};
template <class T>
struct Increment {
  static T apply(T old, T limit, T) { return old >= limit ? 0 : old + 1; }
};
template <class T>
struct Decrement {
  static T apply(T old, T limit, T) { return old == 0 || old > limit ? limit : old - 1; }
};
template <class T>
struct Exchange {
  static T apply(T, T value, T) { return value; }
};
template <class T>
struct CompareAndSwap {
  static T apply(T old, T expected, T value) { return old == expected ? value : old; }
};

// Sums of 32 bits that are NaN have the adder's bits.
template <class Float>
struct AddFloat {
  using Word = Bits<Float>;
  static Word apply(Word old, Word value, Word) {
    const Float sum = bit_cast<Float>(old) + bit_cast<Float>(value);
    if constexpr (sizeof(Float) == 4) return sum != sum ? 0x7fff'ffff : bit_cast<Word>(sum);
    return bit_cast<Word>(sum);
  }
};

template <class Narrow>
struct AddNarrow {
  static std::uint16_t apply(std::uint16_t old, std::uint16_t value, std::uint16_t = 0) {
    // A float sum has enough bits that rounding twice equals rounding once.
    return narrow<Narrow>(widen(Narrow{old}) + widen(Narrow{value})).bits;
  }
};
// Numbers are preferred to NaN, and -0 is less than 0, as for min and max.
template <class Narrow, bool kIsMaximum>
struct ExtremeNarrow {
  static std::uint16_t apply(std::uint16_t old, std::uint16_t value, std::uint16_t = 0) {
    const float before = widen(Narrow{old});
    const float other = widen(Narrow{value});
    if (before != before) return other != other ? kNarrowNan : value;
    if (other != other) return old;
    const bool is_less = before < other || (before == other && (old & 0x8000) != 0);
    return is_less != kIsMaximum ? old : value;
  }
};
template <class Narrow>
using MinimumNarrow = ExtremeNarrow<Narrow, false>;
template <class Narrow>
using MaximumNarrow = ExtremeNarrow<Narrow, true>;

template <class Function>
struct Pair {
  static std::uint32_t apply(std::uint32_t old, std::uint32_t value, std::uint32_t) {
    const std::uint32_t low =
        Function::apply(static_cast<std::uint16_t>(old), static_cast<std::uint16_t>(value));
    const std::uint32_t high = Function::apply(static_cast<std::uint16_t>(old >> 16),
                                               static_cast<std::uint16_t>(value >> 16));
    return low | high << 16;
  }
};

// Global memory's float adder flushes subnormals to zero, shared memory's does not.
inline std::uint32_t flush(std::uint32_t bits) {
  return (bits & 0x7f80'0000) == 0 ? bits & 0x8000'0000 : bits;
}
struct AddFlushed {
  static std::uint32_t apply(std::uint32_t old, std::uint32_t value, std::uint32_t) {
    return flush(AddFloat<float>::apply(flush(old), flush(value), 0));
  }
};

// Returns the old value.
template <class Function, class T>
inline T change(std::byte* place, T first, T second) {
  auto* word = reinterpret_cast<T*>(place);
  T old = __atomic_load_n(word, __ATOMIC_RELAXED);
  T value;
  do {
    value = Function::apply(old, first, second);
  } while (
      !__atomic_compare_exchange_n(word, &old, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
  return old;
}

inline bool is_shared(const Warp& warp, const std::byte* place) {
  const Block& block = *warp.block;
  return place >= block.shared && place < block.shared + block.shared_bytes;
}

template <class Function>
struct Change {
  template <class T>
  static T apply(const Warp& warp, std::byte* place, T first, T second) {
    if constexpr (std::is_same_v<Function, AddFloat<float>>) {
      if (!is_shared(warp, place)) return change<AddFlushed>(place, first, second);
    }
    return change<Function>(place, first, second);
  }
};

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

template <class Function, class T>
void run_atomic(Warp& warp, const Instruction& instruction) {
  if (warp.active == 0) return;
  const int n_elements = instruction.operation.n_elements;
  Addresses addresses;
  read_addresses(warp, instruction, &addresses);
  LaneAccess access =
      lane_access(warp, instruction, addresses, static_cast<std::uint32_t>(n_elements) * sizeof(T));
  access.reads = true;
  access.writes = true;
  access.is_atomic = true;
  // A release covers the lane's earlier accesses, not this one.
  release(warp, access.lanes);
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

template <template <class> class Function, class T>
constexpr Handler kHandler = run_atomic<Change<Function<T>>, T>;

template <class Function, class T>
constexpr Handler kFunctionHandler = run_atomic<Change<Function>, T>;

template <template <class> class Function>
Handler find_narrow(Type type) {
  if (type == Type::kF16) return kFunctionHandler<Function<Half>, std::uint16_t>;
  if (type == Type::kBf16) return kFunctionHandler<Function<BFloat16>, std::uint16_t>;
  if (type == Type::kF16x2) return kFunctionHandler<Pair<Function<Half>>, std::uint32_t>;
  return type == Type::kBf16x2 ? kFunctionHandler<Pair<Function<BFloat16>>, std::uint32_t>
                               : nullptr;
}

Handler find_add(Type type) {
  if (const Handler narrow = find_narrow<AddNarrow>(type)) return narrow;
  if (type == Type::kF32) return kFunctionHandler<AddFloat<float>, std::uint32_t>;
  if (type == Type::kF64) return kFunctionHandler<AddFloat<double>, std::uint64_t>;
  return size_bytes(type) == 8 ? kHandler<Add, std::uint64_t> : kHandler<Add, std::uint32_t>;
}

template <template <class> class Function, template <class> class Narrow>
Handler find_ordered(Type type) {
  if (const Handler narrow = find_narrow<Narrow>(type)) return narrow;
  if (type == Type::kU32) return kHandler<Function, std::uint32_t>;
  if (type == Type::kS32) return kHandler<Function, std::int32_t>;
  if (type == Type::kU64) return kHandler<Function, std::uint64_t>;
  return type == Type::kS64 ? kHandler<Function, std::int64_t> : nullptr;
}

template <template <class> class Function>
Handler find_bitwise(Type type) {
  if (size_bytes(type) == 2) return kHandler<Function, std::uint16_t>;
  if (size_bytes(type) == 4) return kHandler<Function, std::uint32_t>;
  return size_bytes(type) == 8 ? kHandler<Function, std::uint64_t> : nullptr;
}

}  // namespace

Handler find_atomic(const Instruction& instruction) {
  const Opcode opcode = instruction.operation.opcode;
  if (opcode != Opcode::kAtom && opcode != Opcode::kRed) return nullptr;
  const Type type = instruction.operation.type;
  const bool is_b128 = type == Type::kB128;
  if (instruction.operation.n_elements > kMostElements) return nullptr;
  switch (instruction.operation.mode) {
    case Mode::kAdd:
      return find_add(type);
    case Mode::kMin:
      return find_ordered<Minimum, MinimumNarrow>(type);
    case Mode::kMax:
      return find_ordered<Maximum, MaximumNarrow>(type);
    case Mode::kInc:
      return kHandler<Increment, std::uint32_t>;
    case Mode::kDec:
      return kHandler<Decrement, std::uint32_t>;
    case Mode::kAnd:
      return find_bitwise<And>(type);
    case Mode::kOr:
      return find_bitwise<Or>(type);
    case Mode::kXor:
      return find_bitwise<Xor>(type);
    case Mode::kExchange:
      return is_b128 ? run_atomic<Exchange128, Bits128> : find_bitwise<Exchange>(type);
    case Mode::kCompareAndSwap:
      return is_b128 ? run_atomic<CompareAndSwap128, Bits128> : find_bitwise<CompareAndSwap>(type);
    default:
      return nullptr;
  }
}

}  // namespace numpy_plugin::sim::NPP_ISA
