// setp and set. A float comparison that is true for NaN is the negation of one that is false.
#include "simulator/handlers/common/families.hpp"
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

// A comparison of all lanes, and its setp handler.
struct Choice {
  LaneMask (*compare)(const Warp& warp, Slot a, Slot b) = nullptr;
  Handler set_predicate = nullptr;
};

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

Choice choose(const Operation& operation, Type type) {
  if (kind(type) == TypeKind::kFloat) {
    return choose_float(operation.comparison, type, operation.flush);
  }
  return choose_integer(operation.comparison, type);
}

bool is_pair(Type type) { return type == Type::kF16x2 || type == Type::kBf16x2; }

Type element_of(Type type) {
  if (type == Type::kF16x2) return Type::kF16;
  return type == Type::kBf16x2 ? Type::kBf16 : type;
}

// set: the value for true in one element of the result.
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

void set(Warp& warp, const Instruction& instruction) {
  const Operation& operation = instruction.operation;
  const LaneMask mask =
      choose(operation, operation.source).compare(warp, instruction.a, instruction.b);
  if (size_bytes(operation.type) == 2) {
    write_truths<std::uint16_t>(warp, instruction, mask);
  } else {
    write_truths<std::uint32_t>(warp, instruction, mask);
  }
}

// Start of the second 32 of 64 half-words.
Slot second_half(Slot slot) {
  constexpr Slot kBytes = kWarpSize * 2;
  return slot < 0 ? slot - kBytes : slot + kBytes;
}

// Two elements per lane: 64 of them; each half of the array makes one mask.
void set_pair(Warp& warp, const Instruction& instruction) {
  const Operation& operation = instruction.operation;
  const auto compare = choose(operation, element_of(operation.source)).compare;
  const std::uint64_t first = compare(warp, instruction.a, instruction.b);
  const std::uint64_t second =
      compare(warp, second_half(instruction.a), second_half(instruction.b));
  const std::uint64_t mask = first | second << kWarpSize;
  const std::uint32_t yes = static_cast<std::uint16_t>(truth(operation.type));
  write_lanes<std::uint32_t>(warp, instruction.result, [=](int lane) {
    const std::uint64_t pair = mask >> (2 * lane);
    return ((pair & 1) != 0 ? yes : 0) | ((pair & 2) != 0 ? yes << 16 : 0);
  });
}

}  // namespace

Handler find_comparison(const Instruction& instruction) {
  const Operation& operation = instruction.operation;
  if (operation.opcode == Opcode::kSetp) return choose(operation, operation.type).set_predicate;
  if (operation.opcode != Opcode::kSet) return nullptr;
  if (choose(operation, element_of(operation.source)).compare == nullptr) return nullptr;
  return is_pair(operation.source) ? set_pair : set;
}

}  // namespace numpy_plugin::sim::NPP_ISA
