// Arithmetic of float and double, rounded once by IEEE 754.
#include "simulator/handlers/arithmetic/float_functions.hpp"
#include "simulator/handlers/common/extremum.hpp"
#include "simulator/handlers/common/families.hpp"
#include "simulator/handlers/common/nan_lanes.hpp"
#include "simulator/handlers/common/rounding.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

struct Divide {
  template <class T>
  static T apply(T a, T b) {
    return a / b;
  }
};

struct Reciprocal {
  template <class T>
  static T apply(T a) {
    return T{1} / a;
  }
};

struct SquareRoot {
  static float apply(float a) { return __builtin_sqrtf(a); }
  static double apply(double a) { return __builtin_sqrt(a); }
};

// neg and abs, of whose NaNs the ISA says nothing: GPUs add zero in f32, which gives the canonical
// one. Of f64 the bits are kept.
template <class Function>
struct SettledIfFloat {
  static float apply(float a) { return settle_nan(Function::apply(a)); }
  static double apply(double a) { return Function::apply(a); }
};

struct Negate {
  template <class T>
  static T apply(T a) {
    return bit_cast<T>(static_cast<Bits<T>>(bits_of(a) ^ kSignBit<T>));
  }
};

struct Absolute {
  template <class T>
  static T apply(T a) {
    return magnitude_of(a);
  }
};

// The sign of a with the magnitude of b.
struct CopySign {
  template <class T>
  static T apply(T a, T b) {
    return bit_cast<T>(
        static_cast<Bits<T>>((bits_of(a) & kSignBit<T>) | (bits_of(b) & kMagnitudeBits<T>)));
  }
};

// Of doubles with the NaNs of Settled. To find out which NaN is passed on takes longer than
// arithmetic: it is asked only where there is one, in any lane.
template <class Arithmetic, class... Doubles>
void apply_to_doubles(Warp& warp, const Instruction& instruction) {
  const Slot slots[] = {instruction.a, instruction.b, instruction.c};
  alignas(64) double results[kWarpSize];
  [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
    [&](const Doubles*... sources) {
      NPP_INDEPENDENT_LANES
      for (int lane = 0; lane < kWarpSize; ++lane) {
        results[lane] = Arithmetic::apply(sources[lane]...);
      }
    }(source<double>(warp, slots[kIndex])...);
  }
  (std::index_sequence_for<Doubles...>());
  if (has_nan(results)) [[unlikely]] {
    return apply<Settled<Arithmetic>, double, Doubles...>(warp, instruction);
  }
  write_lanes<double>(warp, instruction.result, [&](int lane) { return results[lane]; });
}

template <class Arithmetic, int kSources>
constexpr Handler handler_of_doubles() {
  if constexpr (kSources == 1) return apply_to_doubles<Arithmetic, double>;
  if constexpr (kSources == 2) return apply_to_doubles<Arithmetic, double, double>;
  if constexpr (kSources == 3) return apply_to_doubles<Arithmetic, double, double, double>;
}

template <class Function, bool kFlush, bool kSaturate = false>
struct Flushed {
  template <class... Floats>
  static float apply(Floats... operands) {
    const float result = flush_if<kFlush>(Function::apply(flush_if<kFlush>(operands)...));
    if constexpr (kSaturate) return saturate(result);
    return result;
  }
};

template <class Arithmetic, int kSources>
Handler find_rounded(const Operation& operation) {
  using Function = Settled<Arithmetic>;
  const Rounding rounding = operation.rounding;
  if (operation.type == Type::kF64) {
    return choose_rounding<handler_of_doubles<Arithmetic, kSources>()>(rounding);
  }
  if (operation.flush) {
    using Flushing = Flushed<Function, true>;
    return choose_rounding<same_type_handler<Flushing, float, kSources>()>(rounding);
  }
  return choose_rounding<same_type_handler<Function, float, kSources>()>(rounding);
}

// add, sub, mul and fma support saturation.
template <class Function, int kSources>
Handler find_arithmetic(const Operation& operation) {
  if (!operation.saturate) return find_rounded<Function, kSources>(operation);
  if (operation.type != Type::kF32) return nullptr;
  if (operation.flush) {
    using Both = Flushed<Function, true, true>;
    return choose_rounding<same_type_handler<Both, float, kSources>()>(operation.rounding);
  }
  using Saturating = Flushed<Function, false, true>;
  return choose_rounding<same_type_handler<Saturating, float, kSources>()>(operation.rounding);
}

// Operations without rounding.
template <class Function, int kSources>
Handler find_exact(const Operation& operation) {
  if (operation.type == Type::kF64) return same_type_handler<Function, double, kSources>();
  if (operation.flush) return same_type_handler<Flushed<Function, true>, float, kSources>();
  return same_type_handler<Function, float, kSources>();
}

template <class Extremum>
Handler find_extremum_form(const Instruction& instruction) {
  const Operation& operation = instruction.operation;
  if (operation.xor_sign) return find_exact<OfMagnitudes<Extremum>, 2>(operation);
  if (operation.is_absolute) return find_exact<OfThree<Extremum, true>, 3>(operation);
  if (instruction.c != kNoSlot) return find_exact<OfThree<Extremum, false>, 3>(operation);
  return find_exact<Extremum, 2>(operation);
}

template <template <bool> class Extremum>
Handler find_extremum(const Instruction& instruction) {
  return instruction.operation.propagate_nan ? find_extremum_form<Extremum<true>>(instruction)
                                             : find_extremum_form<Extremum<false>>(instruction);
}

}  // namespace

Handler find_float(const Instruction& instruction) {
  const Operation& operation = instruction.operation;
  const bool is_float = operation.type == Type::kF32 || operation.type == Type::kF64;
  if (!is_float || operation.approximate || operation.full) return nullptr;
  switch (operation.opcode) {
    case Opcode::kAdd:
      return find_arithmetic<ieee::Add, 2>(operation);
    case Opcode::kSub:
      return find_arithmetic<ieee::Subtract, 2>(operation);
    case Opcode::kMul:
      return find_arithmetic<ieee::Multiply, 2>(operation);
    case Opcode::kFma:
      return find_arithmetic<ieee::MultiplyAdd, 3>(operation);
    case Opcode::kDiv:
      return find_rounded<Divide, 2>(operation);
    case Opcode::kRcp:
      return find_rounded<Reciprocal, 1>(operation);
    case Opcode::kSqrt:
      return find_rounded<SquareRoot, 1>(operation);
    case Opcode::kNeg:
      return find_exact<SettledIfFloat<Negate>, 1>(operation);
    case Opcode::kAbs:
      return find_exact<SettledIfFloat<Absolute>, 1>(operation);
    case Opcode::kCopysign:
      return find_exact<CopySign, 2>(operation);
    case Opcode::kMin:
      return find_extremum<Minimum>(instruction);
    case Opcode::kMax:
      return find_extremum<Maximum>(instruction);
    default:
      return nullptr;
  }
}

}  // namespace numpy_plugin::sim::NPP_ISA
