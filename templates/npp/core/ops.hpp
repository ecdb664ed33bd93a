// Implementations of all operations of kernels: one function per row of the table of operations,
// under the row's name, with NumPy's semantics for every dtype. Emitted kernels call these, never
// C++'s operators.
#pragma once

#include "npp/core/floating.hpp"
#include "npp/core/integer.hpp"
#include "npp/math/gamma.hpp"
#ifndef NPP_WITHOUT_COMPLEX
#include "npp/math/complex_math.hpp"
#endif

namespace npp {

// ---- arithmetic
// ----------------------------------------------------------------------------------

// Sums of two bools are a logical or, products a logical and, by conversion to bool.
#define NPP_ARITHMETIC(name, symbol)                                                       \
  template <class T>                                                                       \
  NPP_FUNCTION T name(T a, T b) {                                                          \
    if constexpr (kIsInteger<T>) {                                                         \
      return integer::name(a, b);                                                          \
    } else if constexpr (kIsComplex<T>) {                                                  \
      return a symbol b;                                                                   \
    } else {                                                                               \
      return static_cast<T>(static_cast<Compute<T>>(a) symbol static_cast<Compute<T>>(b)); \
    }                                                                                      \
  }
NPP_ARITHMETIC(add, +)
NPP_ARITHMETIC(subtract, -)
NPP_ARITHMETIC(multiply, *)
#undef NPP_ARITHMETIC

template <class T>
NPP_FUNCTION T true_divide(T a, T b) {
  if constexpr (kIsComplex<T>) {
    return a / b;
  } else {
    return static_cast<T>(static_cast<Compute<T>>(a) / static_cast<Compute<T>>(b));
  }
}

// In lanes they are cpu/lanes/division.hpp, by constants cpu/lanes/known_division.hpp;
// of constants and sizes of arrays base/floor_quotient.hpp.
#define NPP_DIVISION(name)                                                               \
  template <class T>                                                                     \
  NPP_FUNCTION T name(T a, T b) {                                                        \
    using Wide = Compute<T>;                                                             \
    if constexpr (kIsInteger<T>) {                                                       \
      return integer::name(a, b);                                                        \
    } else {                                                                             \
      return static_cast<T>(floating::name(static_cast<Wide>(a), static_cast<Wide>(b))); \
    }                                                                                    \
  }
NPP_DIVISION(floor_divide)
NPP_DIVISION(remainder)
NPP_DIVISION(fmod)
#undef NPP_DIVISION

template <class T>
NPP_FUNCTION T power(T base, T exponent) {
  if constexpr (kIsInteger<T>) {
    return integer::power(base, exponent);
  } else if constexpr (kIsComplex<T>) {
    return complex_power(base, exponent);
  } else {
    using Wide = Compute<T>;
    return static_cast<T>(
        NPP_FUNCTIONS::loop_pow(static_cast<Wide>(base), static_cast<Wide>(exponent)));
  }
}

template <class T>
NPP_FUNCTION T negative(T value) {
  if constexpr (kIsInteger<T>) {
    return integer::subtract(T(0), value);
  } else if constexpr (kIsHalf<T>) {
    return T::from_bits(static_cast<uint16>(value.bits ^ 0x8000u));
  } else {
    return -value;
  }
}

template <class T>
NPP_FUNCTION T positive(T value) {
  return value;
}

template <class T>
NPP_FUNCTION Real<T> absolute(T value) {
  if constexpr (kIsComplex<T>) {
    return library::scalar_hypot(value.real, value.imag);
  } else if constexpr (kIsHalf<T>) {
    return T::from_bits(static_cast<uint16>(value.bits & 0x7fffu));
  } else if constexpr (kIsFloating<T>) {
    return builtin::fabs(value);
  } else if constexpr (kIsSigned<T>) {
    return value < 0 ? negative(value) : value;
  } else {
    return value;
  }
}

template <class T>
NPP_FUNCTION T sign(T value) {
  if constexpr (kIsComplex<T>) {
    return complex_sign(value, absolute(value));
  } else if constexpr (kIsFloating<T>) {
    using Wide = Compute<T>;
    const Wide wide = static_cast<Wide>(value);
    if (builtin::isnan(wide)) return value;
    return static_cast<T>(builtin::only_if(wide != 0, builtin::copysign(Wide(1), wide)));
  } else {
    return is_negative(value) ? static_cast<T>(-1) : static_cast<T>(value != 0);
  }
}

template <class T>
NPP_FUNCTION T square(T value) {
  return multiply(value, value);
}

template <class T>
NPP_FUNCTION T reciprocal(T value) {
  if constexpr (kIsComplex<T>) {
    return complex_reciprocal(value);
  } else if constexpr (kIsInteger<T>) {
    return cast<T>(1.0 / static_cast<double>(value));
  } else {
    return true_divide(T(1), value);
  }
}

// ---- bits
// ----------------------------------------------------------------------------------------

template <class T>
NPP_FUNCTION T bitwise_and(T a, T b) {
  return static_cast<T>(a & b);
}
template <class T>
NPP_FUNCTION T bitwise_or(T a, T b) {
  return static_cast<T>(a | b);
}
template <class T>
NPP_FUNCTION T bitwise_xor(T a, T b) {
  return static_cast<T>(a ^ b);
}
template <class T>
NPP_FUNCTION T invert(T value) {
  if constexpr (kIsBool<T>) {
    return !value;
  } else {
    return static_cast<T>(~value);
  }
}
template <class T, class Count>
NPP_FUNCTION T shift_left(T value, Count count) {
  return integer::shift_left(value, count);
}
template <class T, class Count>
NPP_FUNCTION T shift_right(T value, Count count) {
  return integer::shift_right(value, count);
}

// ---- comparisons
// ---------------------------------------------------------------------------------

// Signed with unsigned: by value, which no common integer type could do.
template <class A, class B>
NPP_FUNCTION bool less(A a, B b) {
  if constexpr (kIsFloating<A>) {
    return builtin::less(static_cast<Compute<A>>(a), static_cast<Compute<B>>(b));
  } else if constexpr (kIsSigned<A> && !kIsSigned<B>) {
    return a < 0 || static_cast<uint64>(a) < static_cast<uint64>(b);
  } else if constexpr (!kIsSigned<A> && kIsSigned<B>) {
    return b >= 0 && static_cast<uint64>(a) < static_cast<uint64>(b);
  } else {
    return a < b;
  }
}
template <class A, class B>
NPP_FUNCTION bool less_equal(A a, B b) {
  if constexpr (kIsFloating<A>) {
    return builtin::less_equal(static_cast<Compute<A>>(a), static_cast<Compute<B>>(b));
  } else {
    return !less(b, a);
  }
}
template <class A, class B>
NPP_FUNCTION bool greater(A a, B b) {
  return less(b, a);
}
template <class A, class B>
NPP_FUNCTION bool greater_equal(A a, B b) {
  return less_equal(b, a);
}
template <class A, class B>
NPP_FUNCTION bool equal(A a, B b) {
  if constexpr (kIsFloating<A>) {
    return builtin::equal(static_cast<Compute<A>>(a), static_cast<Compute<B>>(b));
  } else if constexpr (kIsSigned<A> && !kIsSigned<B>) {
    return a >= 0 && static_cast<uint64>(a) == static_cast<uint64>(b);
  } else if constexpr (!kIsSigned<A> && kIsSigned<B>) {
    return equal(b, a);
  } else {
    return a == b;
  }
}
template <class A, class B>
NPP_FUNCTION bool not_equal(A a, B b) {
  return !equal(a, b);
}

// ---- minima and maxima
// ---------------------------------------------------------------------------

// The exponent field of a floating-point type, all ones.
template <class T>
inline constexpr Unsigned<T> kExponentMask =
    Unsigned<T>(Unsigned<T>(2 * Limits<T>::kExponentBias + 1) << Limits<T>::kMantissaBits);

template <class T>
NPP_FUNCTION bool isnan(T value) {
  if constexpr (kIsComplex<T>) {
    return builtin::either(isnan(value.real), isnan(value.imag));
  } else if constexpr (kIsHalf<T>) {
    return (value.bits & 0x7fffu) > kExponentMask<T>;
  } else if constexpr (kIsFloating<T>) {
    return builtin::isnan(value);
  } else {
    return false;
  }
}

// By the bits on the host: g++ does not vectorize selections of structs, and with `first ? a : b`
// it would apply later operations to both sides, folding constants, and so raise too many flags or
// too few.
template <class T>
NPP_FUNCTION T choose(bool first, T a, T b) {
  if constexpr (kIsFloating<T> && !NPP_DEVICE) {
    using Bits = Unsigned<T>;
    const Bits mask = mask_where<Bits>(first);
    return bit_cast<T>(Bits((bit_cast<Bits>(a) & mask) | (bit_cast<Bits>(b) & Bits(~mask))));
  } else if constexpr (kIsHalf<T>) {
    return T::from_bits(first ? a.bits : b.bits);
  } else {
    return first ? a : b;
  }
}

// For two equal zeros NumPy's loops return the first for float16, and x86's instructions the
// second.
template <class T>
NPP_FUNCTION bool is_chosen(T a, T b) {
  if constexpr (kIsSame<T, float16>) {
    return less_equal(a, b);
  } else {
    return less(a, b);
  }
}
// Complex numbers order by real, then imaginary parts, as in NumPy; one with NaN is neither less
// nor greater.
template <class T>
NPP_FUNCTION bool complex_less_equal(Complex<T> a, Complex<T> b) {
  const bool is_less =
      builtin::both(builtin::less(a.real, b.real), !builtin::either(isnan(a.imag), isnan(b.imag)));
  return builtin::either(is_less,
                         builtin::both(a.real == b.real, builtin::less_equal(a.imag, b.imag)));
}
template <class T>
NPP_FUNCTION bool is_chosen(Complex<T> a, Complex<T> b) {
  return complex_less_equal(a, b);
}

// minimum and maximum return NaN where either is NaN; fmin and fmax the other operand.
template <class T>
NPP_FUNCTION T minimum(T a, T b) {
  return choose(builtin::either(is_chosen(a, b), isnan(a)), a, b);
}
template <class T>
NPP_FUNCTION T maximum(T a, T b) {
  return choose(builtin::either(is_chosen(b, a), isnan(a)), a, b);
}
template <class T>
NPP_FUNCTION T fmin(T a, T b) {
  return choose(builtin::either(is_chosen(a, b), isnan(b)), a, b);
}
template <class T>
NPP_FUNCTION T fmax(T a, T b) {
  return choose(builtin::either(is_chosen(b, a), isnan(b)), a, b);
}
// Python's min and max: the first operand unless the second is beyond it.
template <class T>
NPP_FUNCTION T python_min(T a, T b) {
  return choose(less(b, a), b, a);
}
template <class T>
NPP_FUNCTION T python_max(T a, T b) {
  return choose(less(a, b), b, a);
}

// ---- truth, parts, classes
// -----------------------------------------------------------------------

template <class T>
NPP_FUNCTION bool truth(T value) {
  return cast<bool>(value);
}
template <class T>
NPP_FUNCTION bool logical_not(T value) {
  return !cast<bool>(value);
}
template <class T>
NPP_FUNCTION Real<T> real(T value) {
  return cast<Real<T>>(value);
}
template <class T>
NPP_FUNCTION Real<T> imag(T value) {
  if constexpr (kIsComplex<T>) {
    return value.imag;
  } else {
    return T(0);
  }
}
template <class T>
NPP_FUNCTION Complex<T> make_complex(T real, T imag) {
  return {real, imag};
}
template <class T>
NPP_FUNCTION T conjugate(T value) {
  if constexpr (kIsComplex<T>) {
    return {value.real, -value.imag};
  } else {
    return value;
  }
}

template <class T>
NPP_FUNCTION bool isfinite(T value) {
  if constexpr (kIsComplex<T>) {
    return builtin::both(isfinite(value.real), isfinite(value.imag));
  } else if constexpr (kIsFloating<T>) {
    return (bit_cast<Unsigned<T>>(value) & kExponentMask<T>) != kExponentMask<T>;
  } else {
    return true;
  }
}
template <class T>
NPP_FUNCTION bool isinf(T value) {
  if constexpr (kIsComplex<T>) {
    return builtin::either(isinf(value.real), isinf(value.imag));
  } else if constexpr (kIsFloating<T>) {
    using Bits = Unsigned<T>;
    return Bits(bit_cast<Bits>(value) & Bits(~builtin::kSignMask<T>)) == kExponentMask<T>;
  } else {
    return false;
  }
}
template <class T>
NPP_FUNCTION bool signbit(T value) {
  if constexpr (kIsFloating<T>) {
    return builtin::signbit(value);
  } else {
    return is_negative(value);
  }
}
template <class T>
NPP_FUNCTION T copysign(T magnitude, T sign) {
  return builtin::copysign(magnitude, sign);
}
template <class T>
NPP_FUNCTION T nextafter(T from, T towards) {
  return floating::nextafter(from, towards);
}

// ---- rounding and the like
// -----------------------------------------------------------------------

// Integers are unchanged.
#define NPP_ROUNDING(name)                                                  \
  template <class T>                                                        \
  NPP_FUNCTION T name(T value) {                                            \
    if constexpr (kIsComplex<T>) {                                          \
      return {builtin::name(value.real), builtin::name(value.imag)};        \
    } else if constexpr (kIsFloating<T>) {                                  \
      return static_cast<T>(builtin::name(static_cast<Compute<T>>(value))); \
    } else {                                                                \
      return value;                                                         \
    }                                                                       \
  }
NPP_ROUNDING(floor)
NPP_ROUNDING(ceil)
NPP_ROUNDING(trunc)
NPP_ROUNDING(rint)
#undef NPP_ROUNDING

template <class T>
NPP_FUNCTION T sqrt(T value) {
  if constexpr (kIsComplex<T>) {
    return complex_sqrt(value);
  } else {
    return static_cast<T>(builtin::sqrt(static_cast<Compute<T>>(value)));
  }
}

template <class T>
NPP_FUNCTION T degrees(T value) {
  using Wide = Compute<T>;
  constexpr Wide kFactor = Wide(180) / Wide(3.14159265358979323846);
  return static_cast<T>(static_cast<Wide>(value) * kFactor);
}
template <class T>
NPP_FUNCTION T radians(T value) {
  using Wide = Compute<T>;
  constexpr Wide kFactor = Wide(3.14159265358979323846) / Wide(180);
  return static_cast<T>(static_cast<Wide>(value) * kFactor);
}

// ---- mathematical functions

#define NPP_DEFINE_ONE(name, since, since_float)                                \
  template <class T>                                                            \
  NPP_FUNCTION T name(T value) {                                                \
    return static_cast<T>(NPP_FUNCTIONS::name(static_cast<Compute<T>>(value))); \
  }
NPP_MATH_OF_ONE(NPP_DEFINE_ONE)
NPP_DEFINE_ONE(lgamma, 0, 0)
NPP_DEFINE_ONE(tgamma, 0, 0)
#undef NPP_DEFINE_ONE

template <class T>
NPP_FUNCTION T atan2(T a, T b) {
  return static_cast<T>(
      NPP_FUNCTIONS::atan2(static_cast<Compute<T>>(a), static_cast<Compute<T>>(b)));
}
template <class T>
NPP_FUNCTION T hypot(T a, T b) {
  return static_cast<T>(
      NPP_FUNCTIONS::hypot(static_cast<Compute<T>>(a), static_cast<Compute<T>>(b)));
}

// ---- loops
// ---------------------------------------------------------------------------------------

// Number of trips of `for i in range(start, stop, step)`; 0 for step 0.
NPP_FUNCTION uint64 trip_count(int64 start, int64 stop, int64 step) {
  if (step == 0 || (step > 0 ? start >= stop : start <= stop)) return 0;
  const uint64 from = static_cast<uint64>(start), to = static_cast<uint64>(stop);
  const uint64 distance = step > 0 ? to - from : from - to;
  const uint64 stride =
      step > 0 ? static_cast<uint64>(step) : uint64(0) - static_cast<uint64>(step);
  return (distance - 1) / stride + 1;
}

// The same number as an int64; more trips than that never end.
NPP_FUNCTION int64 range_length(int64 start, int64 stop, int64 step) {
  const uint64 trips = trip_count(start, stop, step);
  return trips >> 63 != 0 ? int64(~uint64(0) >> 1) : int64(trips);
}

}  // namespace npp
