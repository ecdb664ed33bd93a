// Instructions whose last bits PTX leaves unspecified: .approx and .full. Transcendental functions
// are computed in double without fused operations, the others from IEEE operations, so that every
// instruction set gives identical bits; each is within PTX's bound.
#include "simulator/handlers/common/families.hpp"
#include "simulator/handlers/common/float_bits.hpp"
#include "simulator/handlers/common/narrow_float.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

// c0 + x (c1 + x (c2 + ...))
template <int kCount>
inline double polynomial(const double (&coefficients)[kCount], double x) {
  double sum = coefficients[kCount - 1];
  for (int index = kCount - 2; index >= 0; --index) sum = sum * x + coefficients[index];
  return sum;
}

// Adding it rounds to an integer in the low bits.
constexpr double kToInteger = 0x1.8p52;

inline double clamp(double value, double lowest, double highest) {
  const double above = value > lowest ? value : lowest;
  return above < highest ? above : highest;
}

// 2^x for |x| < 1000, with a relative error of about 2^-32.
inline double power_of_two(double x) {
  // ln(2)^n / n!
  constexpr double kCoefficients[] = {1.0,
                                      0x1.62e42fefa39efp-1,
                                      0x1.ebfbdff82c58fp-3,
                                      0x1.c6b08d704a0c0p-5,
                                      0x1.3b2ab6fba4e77p-7,
                                      0x1.5d87fe78a6731p-10,
                                      0x1.430912f86c787p-13,
                                      0x1.ffcbfc588b0c7p-17,
                                      0x1.62c0223a5c824p-20};
  const double shifted = x + kToInteger;
  const double fraction = x - (shifted - kToInteger);
  const double scale = bit_cast<double>((bits_of(shifted) + 1023) << 52);
  return polynomial(kCoefficients, fraction) * scale;
}

struct PowerOfTwo {
  static float apply(float a) {
    const float result = static_cast<float>(power_of_two(clamp(a, -160, 130)));
    return a != a ? bit_cast<float>(kCanonicalNan<float>) : result;
  }
};

// Of a narrow type: through float, whose subnormal bfloat16 numbers .ftz flushes.
template <class Function>
struct Narrowed {
  static Half apply(Half a) { return narrow<Half>(Function::apply(widen(a))); }
  static BFloat16 apply(BFloat16 a) {
    return narrow<BFloat16>(flush(Function::apply(flush(widen(a)))));
  }
};

struct LogarithmOfTwo {
  static float apply(float a) {
    // log2(m) = 2 / ln(2) * atanh(s), s = (m - 1) / (m + 1), m in [sqrt(1/2), sqrt(2)).
    constexpr double kCoefficients[] = {
        0x1.71547652b82fep+1, 0x1.ec709dc3a03fdp-1, 0x1.2776c50ef9bfep-1, 0x1.a61762a7aded9p-2,
        0x1.484b13d7c02a9p-2, 0x1.0c9a84994022dp-2, 0x1.c68f568d31760p-3};
    constexpr std::uint64_t kRootOfHalf = 0x3fe6'a09e'667f'3bcd;
    constexpr std::uint64_t kOffset = 1024;
    const std::uint64_t bits = bits_of(static_cast<double>(a));
    const std::uint64_t exponent = (bits - kRootOfHalf + (kOffset << 52)) >> 52;
    const double m = bit_cast<double>(bits - ((exponent - kOffset) << 52));
    const double whole = bit_cast<double>(exponent | bits_of(0x1p52)) - (0x1p52 + kOffset);
    const double s = (m - 1) / (m + 1);
    const float result = static_cast<float>(whole + s * polynomial(kCoefficients, s * s));
    const float infinity = bit_cast<float>(FloatLayout<float>::kInfinity);
    const float at_end = a == 0 ? -infinity : a < infinity ? result : a;
    return a < 0 ? bit_cast<float>(kCanonicalNan<float>) : at_end;
  }
};

// sin(a + kQuadrant * pi / 2). Beyond 2^30 a double's last bits contain nothing of the angle.
template <std::uint64_t kQuadrant>
struct Sine {
  static float apply(float a) {
    constexpr double kSine[] = {1.0, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880};
    constexpr double kCosine[] = {1.0, -1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800};
    const double x = a;
    const double shifted = x * 0x1.45f306dc9c883p-1 + kToInteger;
    const double turns = shifted - kToInteger;
    const double angle =
        clamp((x - turns * 0x1.921fb54442d18p+0) - turns * 0x1.1a62633145c07p-54, -1, 1);
    const double square = angle * angle;
    const double sine = angle * polynomial(kSine, square);
    const double cosine = polynomial(kCosine, square);
    const std::uint64_t quadrant = bits_of(shifted) + kQuadrant;
    const double value = (quadrant & 1) != 0 ? cosine : sine;
    const double signed_value = (quadrant & 2) != 0 ? -value : value;
    const float infinity = bit_cast<float>(FloatLayout<float>::kInfinity);
    const bool is_finite = (a > -infinity) & (a < infinity);
    return is_finite ? static_cast<float>(signed_value) : bit_cast<float>(kCanonicalNan<float>);
  }
};

struct HyperbolicTangent {
  static float apply(float a) {
    constexpr double kTwiceLog2E = 0x1.71547652b82fep+1;
    const double x = a;
    const double square = x * x;
    const double small = x * (1 + square * (-1.0 / 3 + square * (2.0 / 15)));
    const double magnitude = clamp(__builtin_fabs(x), 0, 20);
    const double power = power_of_two(magnitude * kTwiceLog2E);
    const double large = __builtin_copysign((power - 1) / (power + 1), x);
    const float result = static_cast<float>(magnitude < 0x1p-5 ? small : large);
    return a != a ? bit_cast<float>(kCanonicalNan<float>) : result;
  }
  template <class Narrow>
  static Narrow apply(Narrow a) {
    return narrow<Narrow>(apply(widen(a)));
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
};

struct ReciprocalRoot {
  static float apply(float a) { return 1 / __builtin_sqrtf(a); }
  static double apply(double a) { return 1 / __builtin_sqrt(a); }
};

struct Divide {
  static float apply(float a, float b) { return a / b; }
};

// a * (1 / b), where 1 / b is zero for the largest b.
struct DivideByProduct {
  static float apply(float a, float b) {
    const float infinity = bit_cast<float>(FloatLayout<float>::kInfinity);
    const float magnitude = __builtin_fabsf(b);
    const bool is_large = (magnitude > 0x1p126f) & (magnitude < infinity);
    return is_large ? a * __builtin_copysignf(0.0f, b) : a / b;
  }
};

// rcp.approx.ftz.f64 and similar instructions read and write only the upper words.
template <class Function>
struct OfUpperWord {
  static double apply(double a) {
    constexpr std::uint64_t kUpper = 0xffff'ffff'0000'0000;
    const double result = Function::apply(flush_upper(bits_of(a) & kUpper));
    const double rounded = flush_upper((bits_of(result) + 0x8000'0000) & kUpper);
    return result != result ? bit_cast<double>(kCanonicalNan<double> & kUpper) : rounded;
  }

 private:
  static double flush_upper(std::uint64_t bits) {
    const bool is_subnormal = (bits & FloatLayout<double>::kInfinity) == 0;
    return bit_cast<double>(is_subnormal ? bits & kSignBit<double> : bits);
  }
};

template <class Function, bool kFlush>
struct Flushed {
  template <class... Floats>
  static float apply(Floats... operands) {
    return flush_if<kFlush>(Settled<Function>::apply(flush_if<kFlush>(operands)...));
  }
};

template <class Function, int kSources = 1>
Handler find_single(const Operation& operation) {
  if (operation.type != Type::kF32) return nullptr;
  return operation.flush ? same_type_handler<Flushed<Function, true>, float, kSources>()
                         : same_type_handler<Flushed<Function, false>, float, kSources>();
}

Handler find_reciprocal(const Operation& operation) {
  if (operation.type != Type::kF64) return find_single<Reciprocal>(operation);
  return operation.flush ? apply<OfUpperWord<Reciprocal>, double, double> : nullptr;
}

Handler find_reciprocal_root(const Operation& operation) {
  if (operation.type != Type::kF64) return find_single<ReciprocalRoot>(operation);
  return operation.flush ? apply<OfUpperWord<ReciprocalRoot>, double, double>
                         : apply<Settled<ReciprocalRoot>, double, double>;
}

Handler find_power(const Operation& operation) {
  using Function = Narrowed<PowerOfTwo>;
  using Word = std::uint32_t;
  switch (operation.type) {
    case Type::kF16x2:
      return apply<Packed<Function, Half>, Word, Word>;
    case Type::kBf16x2:
      return apply<Packed<Function, BFloat16>, Word, Word>;
    case Type::kF16:
      return apply<Function, Half, Half>;
    case Type::kBf16:
      return apply<Function, BFloat16, BFloat16>;
    default:
      return find_single<PowerOfTwo>(operation);
  }
}

Handler find_tangent(const Operation& operation) {
  using Function = HyperbolicTangent;
  using Word = std::uint32_t;
  if (operation.flush) return nullptr;
  switch (operation.type) {
    case Type::kF16x2:
      return apply<Packed<Function, Half>, Word, Word>;
    case Type::kBf16x2:
      return apply<Packed<Function, BFloat16>, Word, Word>;
    default:
      return choose<Function, 1, Type::kF32, Type::kF16, Type::kBf16>(operation.type);
  }
}

}  // namespace

Handler find_approximate(const Instruction& instruction) {
  const Operation& operation = instruction.operation;
  if (operation.full && operation.opcode == Opcode::kDiv) return find_single<Divide, 2>(operation);
  if (!operation.approximate) return nullptr;
  switch (operation.opcode) {
    case Opcode::kEx2:
      return find_power(operation);
    case Opcode::kLg2:
      return find_single<LogarithmOfTwo>(operation);
    case Opcode::kSin:
      return find_single<Sine<0>>(operation);
    case Opcode::kCos:
      return find_single<Sine<1>>(operation);
    case Opcode::kTanh:
      return find_tangent(operation);
    case Opcode::kRcp:
      return find_reciprocal(operation);
    case Opcode::kSqrt:
      return find_single<SquareRoot>(operation);
    case Opcode::kRsqrt:
      return find_reciprocal_root(operation);
    case Opcode::kDiv:
      return find_single<DivideByProduct, 2>(operation);
    default:
      return nullptr;
  }
}

}  // namespace numpy_plugin::sim::NPP_ISA
