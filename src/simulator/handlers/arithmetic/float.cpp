// Arithmetic of float and double, rounded once by IEEE 754.
#include "simulator/handlers/common/families.hpp"
#include "simulator/handlers/common/float_bits.hpp"
#include "simulator/handlers/common/rounding.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

struct Add {
  template <class T>
  static T apply(T a, T b) {
    return a + b;
  }
};

struct Subtract {
  template <class T>
  static T apply(T a, T b) {
    return a - b;
  }
};

struct Multiply {
  template <class T>
  static T apply(T a, T b) {
    return a * b;
  }
};

struct MultiplyAdd {
  static float apply(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
  static double apply(double a, double b, double c) { return __builtin_fma(a, b, c); }
};

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

struct Negate {
  template <class T>
  static T apply(T a) {
    return bit_cast<T>(static_cast<Bits<T>>(bits_of(a) ^ kSignBit<T>));
  }
};

struct Absolute {
  template <class T>
  static T apply(T a) {
    return bit_cast<T>(static_cast<Bits<T>>(bits_of(a) & kMagnitudeBits<T>));
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

template <class Function, bool kFlush, bool kSaturate = false>
struct Flushed {
  template <class... Floats>
  static float apply(Floats... operands) {
    const float result = flush_if<kFlush>(Function::apply(flush_if<kFlush>(operands)...));
    if constexpr (kSaturate) return saturate(result);
    return result;
  }
};

template <class Function, int kSources>
Handler find_rounded(const Operation& operation) {
  const Rounding rounding = operation.rounding;
  if (operation.type == Type::kF64) {
    return choose_rounding<same_type_handler<Function, double, kSources>()>(rounding);
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

template <template <bool> class Function>
Handler find_extremum(const Operation& operation) {
  return operation.propagate_nan ? find_exact<Function<true>, 2>(operation)
                                 : find_exact<Function<false>, 2>(operation);
}

}  // namespace

Handler find_float(const Instruction& instruction) {
  const Operation& operation = instruction.operation;
  const bool is_float = operation.type == Type::kF32 || operation.type == Type::kF64;
  if (!is_float || operation.approximate || operation.full) return nullptr;
  switch (operation.opcode) {
    case Opcode::kAdd:
      return find_arithmetic<Add, 2>(operation);
    case Opcode::kSub:
      return find_arithmetic<Subtract, 2>(operation);
    case Opcode::kMul:
      return find_arithmetic<Multiply, 2>(operation);
    case Opcode::kFma:
      return find_arithmetic<MultiplyAdd, 3>(operation);
    case Opcode::kDiv:
      return find_rounded<Divide, 2>(operation);
    case Opcode::kRcp:
      return find_rounded<Reciprocal, 1>(operation);
    case Opcode::kSqrt:
      return find_rounded<SquareRoot, 1>(operation);
    case Opcode::kNeg:
      return find_exact<Negate, 1>(operation);
    case Opcode::kAbs:
      return find_exact<Absolute, 1>(operation);
    case Opcode::kCopysign:
      return find_exact<CopySign, 2>(operation);
    case Opcode::kMin:
      return find_extremum<Minimum>(operation);
    case Opcode::kMax:
      return find_extremum<Maximum>(operation);
    default:
      return nullptr;
  }
}

}  // namespace numpy_plugin::sim::NPP_ISA
