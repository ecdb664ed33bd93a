// Integer arithmetic with NumPy's semantics: wrapping, with guarded division and shifts. A plain x
// / 0 or INT_MIN / -1 ends the process on x86 and is undefined for both compilers.
#pragma once

#include "npp/core/cast.hpp"
#include "npp/core/flags.hpp"

namespace npp {

namespace integer {

// Unsigned and at least as wide as int, so that nothing is promoted to a signed type.
template <class T>
using Wrapping = Conditional<(sizeof(T) < 4), uint32, Unsigned<T>>;

template <class T>
NPP_FUNCTION constexpr T add(T a, T b) {
  return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
}
template <class T>
NPP_FUNCTION constexpr T subtract(T a, T b) {
  return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b));
}
template <class T>
NPP_FUNCTION constexpr T multiply(T a, T b) {
  return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
}

// Whether a / b is defined; if not, raises the flag on the host.
template <class T>
NPP_FUNCTION bool is_divisible(T a, T b, bool overflow_is_flagged) {
  if (b == 0) {
    raise_divide_by_zero();
    return false;
  }
  if constexpr (kIsSigned<T>) {
    if (a == Limits<T>::kMin && b == T(-1)) {
      if (overflow_is_flagged) raise_overflow();
      return false;
    }
  }
  return true;
}

#if !NPP_DEVICE
// Whether the compiler knows a positive divisor. Then neither a test nor a branch is needed, which
// would prevent vectorization; NVRTC finds that itself.
template <class T>
NPP_FUNCTION bool is_known_divisor(T b) {
  return kIsSigned<T> && __builtin_constant_p(b) && b > 0;
}
template <class T>
NPP_FUNCTION bool is_power_of_two(T b) {
  return (b & (b - 1)) == 0;
}

// ~(~a / b) for negative dividends.
template <class T>
NPP_FUNCTION T divide_by_known(T a, T b) {
  if (is_power_of_two(b)) return static_cast<T>(a >> __builtin_ctzll(static_cast<uint64>(b)));
  using Bits = Unsigned<T>;
  const Bits sign = is_negative(a) ? static_cast<Bits>(~Bits(0)) : Bits(0);
  const Bits magnitude = static_cast<Bits>(static_cast<Bits>(a) ^ sign);
  return static_cast<T>((magnitude / static_cast<Bits>(b)) ^ sign);
}
template <class T>
NPP_FUNCTION T remainder_of_known(T a, T b) {
  if (is_power_of_two(b)) return static_cast<T>(a & (b - 1));
  return subtract(a, multiply(divide_by_known(a, b), b));
}
#endif

template <class T>
NPP_FUNCTION T floor_divide(T a, T b) {
#if !NPP_DEVICE
  if (is_known_divisor(b)) return divide_by_known(a, b);
#endif
  if (!is_divisible(a, b, true)) return b == 0 ? T(0) : a;
  const T quotient = static_cast<T>(a / b);
  const bool rounds_up = is_negative(a) != is_negative(b) && a % b != 0;
  return static_cast<T>(quotient - static_cast<T>(rounds_up));
}

template <class T>
NPP_FUNCTION T remainder(T a, T b) {
#if !NPP_DEVICE
  if (is_known_divisor(b)) return remainder_of_known(a, b);
#endif
  if (!is_divisible(a, b, false)) return 0;
  const T result = static_cast<T>(a % b);
  return is_negative(a) != is_negative(b) && result != 0 ? static_cast<T>(result + b) : result;
}

// The remainder with the sign of `a`.
template <class T>
NPP_FUNCTION T fmod(T a, T b) {
  return is_divisible(a, b, false) ? static_cast<T>(a % b) : T(0);
}

template <class T>
NPP_FUNCTION T power(T base, T exponent) {
  if constexpr (kIsSigned<T>) {
    if (exponent < 0) {
      const bool is_odd = (exponent & 1) != 0;
      return base == 1 || (base == T(-1) && !is_odd) ? T(1) : base == T(-1) ? base : T(0);
    }
  }
  T result = 1;
  for (Unsigned<T> rest = static_cast<Unsigned<T>>(exponent); rest != 0;
       base = multiply(base, base)) {
    if ((rest & 1) != 0) result = multiply(result, base);
    rest = static_cast<Unsigned<T>>(rest >> 1);
  }
  return result;
}

template <class T>
inline constexpr int kBits = sizeof(T) * 8;

template <class T, class Count>
NPP_FUNCTION T shift_left(T value, Count count) {
  const bool is_inside = static_cast<Unsigned<Count>>(count) < kBits<T>;
  const Wrapping<T> shifted = static_cast<Wrapping<T>>(value) << (is_inside ? count : Count(0));
  return is_inside ? static_cast<T>(shifted) : T(0);
}

template <class T, class Count>
NPP_FUNCTION T shift_right(T value, Count count) {
  const bool is_inside = static_cast<Unsigned<Count>>(count) < kBits<T>;
  const T shifted = static_cast<T>(value >> (is_inside ? count : Count(0)));
  return is_inside ? shifted : is_negative(value) ? static_cast<T>(-1) : T(0);
}

}  // namespace integer
}  // namespace npp
