// setp and set. A comparison of floats that is true for nan is the opposite of one that is false.
#include "numpy_plugin/sim/handlers/families.hpp"
#include "numpy_plugin/sim/handlers/float_bits.hpp"
#include "numpy_plugin/sim/handlers/narrow_float.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

struct Equal {
  template <class T>
  static bool apply(T a, T b) {
    return a == b;
  }
};

// False for nan, unlike C++'s.
struct NotEqual {
  template <class T>
  static bool apply(T a, T b) {
    return (a < b) | (b < a);
  }
};

struct Less {
  template <class T>
  static bool apply(T a, T b) {
    return a < b;
  }
};

struct LessOrEqual {
  template <class T>
  static bool apply(T a, T b) {
    return a <= b;
  }
};

struct Greater {
  template <class T>
  static bool apply(T a, T b) {
    return a > b;
  }
};

struct GreaterOrEqual {
  template <class T>
  static bool apply(T a, T b) {
    return a >= b;
  }
};

struct BothNumbers {
  template <class T>
  static bool apply(T a, T b) {
    return (a == a) & (b == b);
  }
};

template <class Test>
struct Opposite {
  template <class T>
  static bool apply(T a, T b) {
    return !Test::apply(a, b);
  }
};

// How a type is compared: as what it is, or as a float it is turned to.
template <class T>
inline T comparable(T value) {
  return value;
}
inline float comparable(Half value) { return widen(value); }
inline float comparable(BFloat16 value) { return widen(value); }

template <class Test, bool kFlush>
struct Compare {
  template <class T>
  static bool apply(T a, T b) {
    if constexpr (kFlush) return Test::apply(flush(a), flush(b));
    return Test::apply(comparable(a), comparable(b));
  }
};

// set: what stands for true in one element of the result.
std::uint64_t truth(Type type) {
  switch (type) {
    case Type::kF16:
    case Type::kF16x2:
      return FloatLayout<Half>::kOne;
    case Type::kBf16:
    case Type::kBf16x2:
      return FloatLayout<BFloat16>::kOne;
    case Type::kF32:
      return FloatLayout<float>::kOne;
    default:
      return ~std::uint64_t{0};
  }
}

template <class T>
void write_truths(Warp& warp, const Instruction& instruction, LaneMask mask) {
  const T yes = static_cast<T>(truth(instruction.operation.type));
  write_lanes<T>(warp, instruction.result,
                 [=](int lane) { return (mask & kLaneBit.of[lane]) != 0 ? yes : T{0}; });
}

template <class Function, class T>
LaneMask compare_all(const T* a, const T* b) {
  return collect_lanes([=](int lane) { return Function::apply(a[lane], b[lane]); });
}

template <class Function, class T>
void set(Warp& warp, const Instruction& instruction) {
  const LaneMask mask =
      compare_all<Function>(source<T>(warp, instruction.a), source<T>(warp, instruction.b));
  if (size_bytes(instruction.operation.type) == 2) {
    write_truths<std::uint16_t>(warp, instruction, mask);
  } else {
    write_truths<std::uint32_t>(warp, instruction, mask);
  }
}

// Two elements a lane: 64 of them, of which each half of the array makes one mask.
template <class Function, class T>
void set_packed(Warp& warp, const Instruction& instruction) {
  const T* a = source<T>(warp, instruction.a);
  const T* b = source<T>(warp, instruction.b);
  const std::uint64_t mask =
      compare_all<Function>(a, b) |
      static_cast<std::uint64_t>(compare_all<Function>(a + kWarpSize, b + kWarpSize)) << kWarpSize;
  const std::uint32_t yes = static_cast<std::uint16_t>(truth(instruction.operation.type));
  write_lanes<std::uint32_t>(warp, instruction.result, [=](int lane) {
    const std::uint64_t pair = mask >> (2 * lane);
    return ((pair & 1) != 0 ? yes : 0) | ((pair & 2) != 0 ? yes << 16 : 0);
  });
}

template <class Test, class T, bool kFlush = false>
constexpr Handler kSetPredicate = test<Compare<Test, kFlush>, T, T>;

template <class Test>
Handler find_float_test(const Operation& operation) {
  switch (operation.type) {
    case Type::kF32:
      return operation.flush ? kSetPredicate<Test, float, true> : kSetPredicate<Test, float>;
    case Type::kF64:
      return kSetPredicate<Test, double>;
    case Type::kF16:
      return kSetPredicate<Test, Half>;
    case Type::kBf16:
      return kSetPredicate<Test, BFloat16>;
    default:
      return nullptr;
  }
}

template <class Test>
Handler find_set(const Operation& operation) {
  switch (operation.source) {
    case Type::kF32:
      return operation.flush ? set<Compare<Test, true>, float> : set<Compare<Test, false>, float>;
    case Type::kF16:
      return set<Compare<Test, false>, Half>;
    case Type::kBf16:
      return set<Compare<Test, false>, BFloat16>;
    case Type::kF16x2:
      return set_packed<Compare<Test, false>, Half>;
    case Type::kBf16x2:
      return set_packed<Compare<Test, false>, BFloat16>;
    default:
      return nullptr;
  }
}

template <class Test>
Handler find_for_floats(const Operation& operation) {
  return operation.opcode == Opcode::kSet ? find_set<Test>(operation)
                                          : find_float_test<Test>(operation);
}

Handler find_float_comparison(const Operation& operation) {
  switch (operation.comparison) {
    case Comparison::kEq:
      return find_for_floats<Equal>(operation);
    case Comparison::kNe:
      return find_for_floats<NotEqual>(operation);
    case Comparison::kLt:
      return find_for_floats<Less>(operation);
    case Comparison::kLe:
      return find_for_floats<LessOrEqual>(operation);
    case Comparison::kGt:
      return find_for_floats<Greater>(operation);
    case Comparison::kGe:
      return find_for_floats<GreaterOrEqual>(operation);
    case Comparison::kNum:
      return find_for_floats<BothNumbers>(operation);
    case Comparison::kEqu:
      return find_for_floats<Opposite<NotEqual>>(operation);
    case Comparison::kNeu:
      return find_for_floats<Opposite<Equal>>(operation);
    case Comparison::kLtu:
      return find_for_floats<Opposite<GreaterOrEqual>>(operation);
    case Comparison::kLeu:
      return find_for_floats<Opposite<Greater>>(operation);
    case Comparison::kGtu:
      return find_for_floats<Opposite<LessOrEqual>>(operation);
    case Comparison::kGeu:
      return find_for_floats<Opposite<Less>>(operation);
    case Comparison::kNan:
      return find_for_floats<Opposite<BothNumbers>>(operation);
    default:
      return nullptr;
  }
}

template <class Test>
Handler find_equality(Type type) {
  switch (size_bytes(type)) {
    case 2:
      return test<Test, std::uint16_t, std::uint16_t>;
    case 4:
      return test<Test, std::uint32_t, std::uint32_t>;
    case 8:
      return test<Test, std::uint64_t, std::uint64_t>;
    default:
      return nullptr;
  }
}

template <class Test>
Handler find_order(Type type) {
  switch (type) {
    case Type::kU16:
      return test<Test, std::uint16_t, std::uint16_t>;
    case Type::kS16:
      return test<Test, std::int16_t, std::int16_t>;
    case Type::kU32:
      return test<Test, std::uint32_t, std::uint32_t>;
    case Type::kS32:
      return test<Test, std::int32_t, std::int32_t>;
    case Type::kU64:
      return test<Test, std::uint64_t, std::uint64_t>;
    case Type::kS64:
      return test<Test, std::int64_t, std::int64_t>;
    default:
      return nullptr;
  }
}

Handler find_integer_comparison(const Operation& operation) {
  if (operation.opcode == Opcode::kSet) return nullptr;
  switch (operation.comparison) {
    case Comparison::kEq:
      return find_equality<Equal>(operation.type);
    case Comparison::kNe:
      return find_equality<Opposite<Equal>>(operation.type);
    case Comparison::kLt:
      return find_order<Less>(operation.type);
    case Comparison::kLe:
      return find_order<LessOrEqual>(operation.type);
    case Comparison::kGt:
      return find_order<Greater>(operation.type);
    case Comparison::kGe:
      return find_order<GreaterOrEqual>(operation.type);
    default:
      return nullptr;
  }
}

}  // namespace

Handler find_comparison(const Instruction& instruction) {
  const Operation& operation = instruction.operation;
  if (operation.opcode != Opcode::kSetp && operation.opcode != Opcode::kSet) return nullptr;
  const Type compared = operation.opcode == Opcode::kSet ? operation.source : operation.type;
  return kind(compared) == TypeKind::kFloat ? find_float_comparison(operation)
                                            : find_integer_comparison(operation);
}

}  // namespace numpy_plugin::sim::NPP_ISA
