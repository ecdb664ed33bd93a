// Comparisons. One of floats that is true for NaN is the negation of one that is false.
#include "simulator/handlers/arithmetic/comparison.hpp"

#include "simulator/handlers/common/float_bits.hpp"
#include "simulator/handlers/common/narrow_float.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

struct Equal {
  template <class T>
  static bool apply(T a, T b) {
    return a == b;
  }
};

// False for NaN, unlike C++'s.
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

// Comparison type: the type itself, or the float it is converted to.
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

using Choice = ComparisonChoice;

template <class Function, class T>
__attribute__((always_inline)) inline LaneMask compare_here(const Warp& warp, Slot first,
                                                            Slot second) {
  const T* a = source<T>(warp, first);
  const T* b = source<T>(warp, second);
  return collect_lanes([=](int lane) { return Function::apply(a[lane], b[lane]); });
}

template <class Function, class T>
LaneMask compare_lanes(const Warp& warp, Slot first, Slot second) {
  return compare_here<Function, T>(warp, first, second);
}

template <class Function, class T>
void set_predicate(Warp& warp, const Instruction& instruction) {
  write_mask(warp, instruction.result,
             compare_here<Function, T>(warp, instruction.a, instruction.b));
}

template <class Function, class T>
constexpr Choice kChoice = {compare_lanes<Function, T>, set_predicate<Function, T>};

template <class Test>
Choice choose_float(Type type, bool is_flushed) {
  using Plain = Compare<Test, false>;
  if (is_flushed) return type == Type::kF32 ? kChoice<Compare<Test, true>, float> : Choice{};
  switch (type) {
    case Type::kF32:
      return kChoice<Plain, float>;
    case Type::kF64:
      return kChoice<Plain, double>;
    case Type::kF16:
      return kChoice<Plain, Half>;
    case Type::kBf16:
      return kChoice<Plain, BFloat16>;
    default:
      return {};
  }
}

Choice choose_float(Comparison comparison, Type type, bool is_flushed) {
  switch (comparison) {
    case Comparison::kEq:
      return choose_float<Equal>(type, is_flushed);
    case Comparison::kNe:
      return choose_float<NotEqual>(type, is_flushed);
    case Comparison::kLt:
      return choose_float<Less>(type, is_flushed);
    case Comparison::kLe:
      return choose_float<LessOrEqual>(type, is_flushed);
    case Comparison::kGt:
      return choose_float<Greater>(type, is_flushed);
    case Comparison::kGe:
      return choose_float<GreaterOrEqual>(type, is_flushed);
    case Comparison::kNum:
      return choose_float<BothNumbers>(type, is_flushed);
    case Comparison::kEqu:
      return choose_float<Opposite<NotEqual>>(type, is_flushed);
    case Comparison::kNeu:
      return choose_float<Opposite<Equal>>(type, is_flushed);
    case Comparison::kLtu:
      return choose_float<Opposite<GreaterOrEqual>>(type, is_flushed);
    case Comparison::kLeu:
      return choose_float<Opposite<Greater>>(type, is_flushed);
    case Comparison::kGtu:
      return choose_float<Opposite<LessOrEqual>>(type, is_flushed);
    case Comparison::kGeu:
      return choose_float<Opposite<Less>>(type, is_flushed);
    case Comparison::kNan:
      return choose_float<Opposite<BothNumbers>>(type, is_flushed);
    default:
      return {};
  }
}

template <class Test>
Choice choose_equality(Type type) {
  switch (size_bytes(type)) {
    case 2:
      return kChoice<Test, std::uint16_t>;
    case 4:
      return kChoice<Test, std::uint32_t>;
    case 8:
      return kChoice<Test, std::uint64_t>;
    default:
      return {};
  }
}

template <class Test>
Choice choose_order(Type type) {
  switch (type) {
    case Type::kU16:
      return kChoice<Test, std::uint16_t>;
    case Type::kS16:
      return kChoice<Test, std::int16_t>;
    case Type::kU32:
      return kChoice<Test, std::uint32_t>;
    case Type::kS32:
      return kChoice<Test, std::int32_t>;
    case Type::kU64:
      return kChoice<Test, std::uint64_t>;
    case Type::kS64:
      return kChoice<Test, std::int64_t>;
    default:
      return {};
  }
}

Choice choose_integer(Comparison comparison, Type type) {
  switch (comparison) {
    case Comparison::kEq:
      return choose_equality<Equal>(type);
    case Comparison::kNe:
      return choose_equality<Opposite<Equal>>(type);
    case Comparison::kLt:
      return choose_order<Less>(type);
    case Comparison::kLe:
      return choose_order<LessOrEqual>(type);
    case Comparison::kGt:
      return choose_order<Greater>(type);
    case Comparison::kGe:
      return choose_order<GreaterOrEqual>(type);
    default:
      return {};
  }
}

}  // namespace

ComparisonChoice choose_comparison(const Operation& operation, Type type) {
  if (kind(type) == TypeKind::kFloat) {
    return choose_float(operation.comparison, type, operation.flush);
  }
  return choose_integer(operation.comparison, type);
}

}  // namespace numpy_plugin::sim::NPP_ISA
