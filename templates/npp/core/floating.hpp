// Floor division, remainder and neighbours of floating-point numbers, as in NumPy.
#pragma once

#include "npp/math/math.hpp"

namespace npp::floating {

// Python's remainder: has the divisor's sign, also if zero.
template <class T>
NPP_FUNCTION T remainder(T a, T b) {
  const T rest = library::fmod(a, b);
  if (b == 0) return rest;
  if (rest == 0) return builtin::copysign(T(0), b);
  return builtin::signbit(b) != builtin::signbit(rest) ? rest + b : rest;
}

template <class T>
NPP_FUNCTION T floor_divide(T a, T b) {
  if (b == 0) return a / b;
  const T rest = library::fmod(a, b);
  T quotient = (a - rest) / b;
  if (rest != 0 && builtin::signbit(b) != builtin::signbit(rest)) quotient -= 1;
  if (quotient == 0) return builtin::copysign(T(0), a / b);
  // (a - rest) / b is an integer except for rounding.
  const T floor = builtin::floor(quotient);
  return builtin::less(T(0.5), quotient - floor) ? floor + 1 : floor;
}

template <class T>
NPP_FUNCTION T fmod(T a, T b) {
  return library::fmod(a, b);
}

// By the bits: magnitudes order like integers. `towards` is a different number.
template <class T>
NPP_FUNCTION T neighbour(T from, T towards) {
  using Bits = Unsigned<T>;
  using Wide = Compute<T>;
  const Wide a = static_cast<Wide>(from), b = static_cast<Wide>(towards);
  const Bits sign = Bits(bit_cast<Bits>(towards) & builtin::kSignMask<T>);
  if (a == 0) return bit_cast<T>(Bits(sign | 1));
  const bool grows = builtin::less(a, b) == builtin::less(Wide(0), a);
  return bit_cast<T>(Bits(bit_cast<Bits>(from) + (grows ? Bits(1) : Bits(-1))));
}

template <class T>
NPP_FUNCTION T nextafter(T from, T towards) {
  using Wide = Compute<T>;
  const Wide a = static_cast<Wide>(from), b = static_cast<Wide>(towards);
  if (builtin::isnan(a) || builtin::isnan(b)) return static_cast<T>(a + b);
  if (a == b) return towards;  // also for two zeros, as in C
  const T next = neighbour(from, towards);
  const Wide size = builtin::fabs(static_cast<Wide>(next));
  // Doubles the largest number: gives infinity and raises the flag.
  return builtin::same_bits(size, Limits<Wide>::kInfinity) ? static_cast<T>(a + a) : next;
}

}  // namespace npp::floating
