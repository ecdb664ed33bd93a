// Functions of atom, red and cp.reduce, and their choice by operation and type.
#pragma once

#include "simulator/handlers/common/narrow_float.hpp"
#include "simulator/handlers/memory/memory_access.hpp"

namespace numpy_plugin::sim::NPP_ISA {

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

// Handlers of Runner::run<function, word>, where Function is for one type.
template <class Runner, class Function, class T>
constexpr Handler kHandler = &Runner::template run<Change<Function>, T>;

template <class Runner, template <class> class Function>
Handler find_narrow(Type type) {
  if (type == Type::kF16) return kHandler<Runner, Function<Half>, std::uint16_t>;
  if (type == Type::kBf16) return kHandler<Runner, Function<BFloat16>, std::uint16_t>;
  if (type == Type::kF16x2) return kHandler<Runner, Pair<Function<Half>>, std::uint32_t>;
  return type == Type::kBf16x2 ? kHandler<Runner, Pair<Function<BFloat16>>, std::uint32_t>
                               : nullptr;
}

template <class Runner>
Handler find_add(Type type) {
  if (const Handler narrow = find_narrow<Runner, AddNarrow>(type)) return narrow;
  if (type == Type::kF32) return kHandler<Runner, AddFloat<float>, std::uint32_t>;
  if (type == Type::kF64) return kHandler<Runner, AddFloat<double>, std::uint64_t>;
  return size_bytes(type) == 8 ? kHandler<Runner, Add<std::uint64_t>, std::uint64_t>
                               : kHandler<Runner, Add<std::uint32_t>, std::uint32_t>;
}

template <class Runner, template <class> class Function, template <class> class Narrow>
Handler find_ordered(Type type) {
  if (const Handler narrow = find_narrow<Runner, Narrow>(type)) return narrow;
  if (type == Type::kU32) return kHandler<Runner, Function<std::uint32_t>, std::uint32_t>;
  if (type == Type::kS32) return kHandler<Runner, Function<std::int32_t>, std::int32_t>;
  if (type == Type::kU64) return kHandler<Runner, Function<std::uint64_t>, std::uint64_t>;
  return type == Type::kS64 ? kHandler<Runner, Function<std::int64_t>, std::int64_t> : nullptr;
}

template <class Runner, template <class> class Function>
Handler find_bitwise(Type type) {
  if (size_bytes(type) == 2) return kHandler<Runner, Function<std::uint16_t>, std::uint16_t>;
  if (size_bytes(type) == 4) return kHandler<Runner, Function<std::uint32_t>, std::uint32_t>;
  return size_bytes(type) == 8 ? kHandler<Runner, Function<std::uint64_t>, std::uint64_t> : nullptr;
}

// Operations that need one source; nullptr for others.
template <class Runner>
Handler find_reduction(const Operation& operation) {
  switch (operation.mode) {
    case Mode::kAdd:
      return find_add<Runner>(operation.type);
    case Mode::kMin:
      return find_ordered<Runner, Minimum, MinimumNarrow>(operation.type);
    case Mode::kMax:
      return find_ordered<Runner, Maximum, MaximumNarrow>(operation.type);
    case Mode::kInc:
      return kHandler<Runner, Increment<std::uint32_t>, std::uint32_t>;
    case Mode::kDec:
      return kHandler<Runner, Decrement<std::uint32_t>, std::uint32_t>;
    case Mode::kAnd:
      return find_bitwise<Runner, And>(operation.type);
    case Mode::kOr:
      return find_bitwise<Runner, Or>(operation.type);
    case Mode::kXor:
      return find_bitwise<Runner, Xor>(operation.type);
    default:
      return nullptr;
  }
}

}  // namespace numpy_plugin::sim::NPP_ISA
