// Arithmetic of binary16 and bfloat16, scalar and in pairs, each result rounded once.
#include "simulator/handlers/common/extremum.hpp"
#include "simulator/handlers/common/families.hpp"
#include "simulator/handlers/common/narrow_float.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

// Each returns a float that rounds to the narrow type like the exact result. This holds for a
// float's own sums, and for products of binary16: twice 11 bits and two more are 24.
struct Add {
  template <class T>
  static float apply(T a, T b) {
    return widen(a) + widen(b);
  }
};

struct Subtract {
  template <class T>
  static float apply(T a, T b) {
    return widen(a) - widen(b);
  }
};

struct Multiply {
  static float apply(Half a, Half b) { return widen(a) * widen(b); }
  // A float's exponent range may be too small for it.
  static float apply(BFloat16 a, BFloat16 b) {
    return narrow_to_odd(static_cast<double>(widen(a)) * widen(b));
  }
};

struct MultiplyAdd {
  static float apply(Half a, Half b, Half c) { return add_to_odd(widen(a) * widen(b), widen(c)); }
  static float apply(BFloat16 a, BFloat16 b, BFloat16 c) {
    const double product = static_cast<double>(widen(a)) * widen(b);
    return narrow_to_odd(add_to_odd(product, static_cast<double>(widen(c))));
  }
};

enum class Clamp { kNone, kSaturate, kRelu };

template <class Function, class T, Clamp kClamp>
struct Narrowed {
  template <class... Operands>
  static T apply(Operands... operands) {
    float result = Function::apply(operands...);
    if constexpr (kClamp == Clamp::kSaturate) result = saturate(result);
    if constexpr (kClamp == Clamp::kRelu) result = result <= 0 ? 0.0f : result;
    return narrow<T>(result);
  }
};

// As GPUs do it, by adding zero: a NaN becomes the canonical one.
struct Negate {
  template <class T>
  static T apply(T a) {
    return settle_narrow_nan(T{static_cast<std::uint16_t>(a.bits ^ 0x8000)});
  }
};

struct Absolute {
  template <class T>
  static T apply(T a) {
    return settle_narrow_nan(T{static_cast<std::uint16_t>(a.bits & 0x7fff)});
  }
};

template <class Function, class T, int kSources>
Handler choose_packing(Type type) {
  if (size_bytes(type) == 2) return same_type_handler<Function, T, kSources>();
  return same_type_handler<Packed<Function, T>, std::uint32_t, kSources>();
}

template <class Function, class T, int kSources>
Handler find_narrowed(const Operation& operation) {
  if (operation.relu) {
    return choose_packing<Narrowed<Function, T, Clamp::kRelu>, T, kSources>(operation.type);
  }
  if (operation.saturate) {
    return choose_packing<Narrowed<Function, T, Clamp::kSaturate>, T, kSources>(operation.type);
  }
  return choose_packing<Narrowed<Function, T, Clamp::kNone>, T, kSources>(operation.type);
}

template <class Extremum, class T>
Handler find_extremum_form(const Operation& operation) {
  return operation.xor_sign ? choose_packing<OfMagnitudes<Extremum>, T, 2>(operation.type)
                            : choose_packing<Extremum, T, 2>(operation.type);
}

template <template <bool> class Extremum, class T>
Handler find_extremum(const Operation& operation) {
  return operation.propagate_nan ? find_extremum_form<Extremum<true>, T>(operation)
                                 : find_extremum_form<Extremum<false>, T>(operation);
}

template <class T>
Handler find_for(const Operation& operation) {
  switch (operation.opcode) {
    case Opcode::kAdd:
      return find_narrowed<Add, T, 2>(operation);
    case Opcode::kSub:
      return find_narrowed<Subtract, T, 2>(operation);
    case Opcode::kMul:
      return find_narrowed<Multiply, T, 2>(operation);
    case Opcode::kFma:
      return find_narrowed<MultiplyAdd, T, 3>(operation);
    case Opcode::kNeg:
      return choose_packing<Negate, T, 1>(operation.type);
    case Opcode::kAbs:
      return choose_packing<Absolute, T, 1>(operation.type);
    case Opcode::kMin:
      return find_extremum<Minimum, T>(operation);
    case Opcode::kMax:
      return find_extremum<Maximum, T>(operation);
    default:
      return nullptr;
  }
}

}  // namespace

Handler find_half(const Instruction& instruction) {
  const Operation& operation = instruction.operation;
  if (operation.flush) return nullptr;
  switch (operation.type) {
    case Type::kF16:
    case Type::kF16x2:
      return find_for<Half>(operation);
    case Type::kBf16:
    case Type::kBf16x2:
      return find_for<BFloat16>(operation);
    default:
      return nullptr;
  }
}

}  // namespace numpy_plugin::sim::NPP_ISA
