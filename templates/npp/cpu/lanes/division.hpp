// Quotients and remainders in lanes. Of integers, for which there is no instruction: by division of
// doubles where its truncated results are exact, else lane by lane, as core/ops.hpp divides.
#pragma once

#include "npp/cpu/lanes/floating_division.hpp"

namespace npp::lanes {

// Integers below this have exact quotients.
inline constexpr int64 kExactDividends = int64(1) << 51;

template <class T, int size>
NPP_FUNCTION Lanes<bool, size> is_exact_dividend(Lanes<T, size> value) {
  if constexpr (sizeof(T) <= 4) {
    return Lanes<bool, size>(true);
  } else if constexpr (!kIsSigned<T>) {
    return less(value, Lanes<T, size>(T(kExactDividends)));
  } else {
    const Lanes<uint64, size> moved = bits(add(value, Lanes<T, size>(kExactDividends)));
    return less(moved, Lanes<uint64, size>(uint64(2 * kExactDividends)));
  }
}

// Whether division of doubles suits all lanes: neither 0 nor a quotient that overflows does.
template <class T, int size>
NPP_FUNCTION bool has_exact_quotients(Lanes<T, size> a, Lanes<T, size> b) {
  Lanes<bool, size> suits = bitwise_and(is_exact_dividend(a), is_exact_dividend(b));
  suits = and_not(suits, equal(b, Lanes<T, size>(T(0))));
  if constexpr (kIsSigned<T> && sizeof(T) <= 4) {
    suits = and_not(suits, bitwise_and(equal(a, Lanes<T, size>(Limits<T>::kMin)),
                                       equal(b, Lanes<T, size>(T(-1)))));
  }
  return !any(invert(suits));
}

// Integers of 8 bytes: all operations have vectors, which compilers do not find in a loop.
template <class T, int size>
struct WideDivision {
  Lanes<T, size> dividend, divisor;

  NPP_FUNCTION Lanes<T, size> quotient() const {
    return cast<T>(cast<int64>(true_divide(cast<double>(dividend), cast<double>(divisor))));
  }
  NPP_FUNCTION Lanes<T, size> rest(Lanes<T, size> quotient) const {
    return subtract(dividend, multiply(quotient, divisor));
  }
  // Where the quotient has been rounded up.
  NPP_FUNCTION Lanes<bool, size> is_moved(Lanes<T, size> rest) const {
    const Lanes<T, size> zero(T(0));
    const Lanes<bool, size> differ = bitwise_xor(less(dividend, zero), less(divisor, zero));
    return bitwise_and(not_equal(rest, zero), differ);
  }
  NPP_FUNCTION Lanes<T, size> floor_divide() const {
    const Lanes<T, size> whole = quotient();
    if constexpr (!kIsSigned<T>) return whole;
    return select(is_moved(rest(whole)), subtract(whole, Lanes<T, size>(T(1))), whole);
  }
  NPP_FUNCTION Lanes<T, size> remainder() const {
    const Lanes<T, size> left = fmod();
    if constexpr (!kIsSigned<T>) return left;
    return select(is_moved(left), add(left, divisor), left);
  }
  NPP_FUNCTION Lanes<T, size> fmod() const { return rest(quotient()); }
};

// Of the quotient, rounded towards zero.
template <class T>
NPP_FUNCTION T truncated_quotient(T a, T b) {
  return static_cast<T>(static_cast<int64>(static_cast<double>(a) / static_cast<double>(b)));
}

// Integers of 1 or 2 bytes: quotients of floats round to no other integer, and rests are exact.
template <int size>
struct NarrowDivision {
  Lanes<float, size> dividend, divisor;

  template <class T>
  NPP_FUNCTION NarrowDivision(Lanes<T, size> a, Lanes<T, size> b)
      : dividend(cast<float>(a)), divisor(cast<float>(b)) {}
  NPP_FUNCTION Lanes<float, size> quotient() const { return true_divide(dividend, divisor); }
  NPP_FUNCTION Lanes<float, size> rest(Lanes<float, size> whole) const {
    return subtract(dividend, multiply(whole, divisor));
  }
  NPP_FUNCTION Lanes<float, size> floor_divide() const { return floor(quotient()); }
  NPP_FUNCTION Lanes<float, size> remainder() const { return rest(floor(quotient())); }
  NPP_FUNCTION Lanes<float, size> fmod() const { return rest(trunc(quotient())); }
};

#define NPP_LANE_DIVISION(name, expression)                                                      \
  template <class T, int size>                                                                   \
  NPP_FUNCTION Lanes<T, size> name(Lanes<bool, size> mask, Lanes<T, size> a, Lanes<T, size> b) { \
    a = select(mask, a, Lanes<T, size>(T(1)));                                                   \
    b = select(mask, b, Lanes<T, size>(T(1)));                                                   \
    if constexpr (kIsInteger<T>) {                                                               \
      const auto divide = [](T dividend, T divisor) {                                            \
        const T quotient = truncated_quotient(dividend, divisor);                                \
        const T rest = integer::subtract(dividend, integer::multiply(quotient, divisor));        \
        [[maybe_unused]] const bool is_moved =                                                   \
            builtin::both(rest != 0, is_negative(dividend) != is_negative(divisor));             \
        return static_cast<T>(expression);                                                       \
      };                                                                                         \
      if (has_exact_quotients(a, b)) {                                                           \
        if constexpr (sizeof(T) < 4) return cast<T>(NarrowDivision<size>(a, b).name());          \
        if constexpr (sizeof(T) == 8) return WideDivision<T, size>{a, b}.name();                 \
        return all<T>(divide, a, b);                                                             \
      }                                                                                          \
    } else {                                                                                     \
      using Division = FloatingDivision<T, size>;                                                \
      if (Division::suits(a, b)) return Division(a, b).name();                                   \
    }                                                                                            \
    return each<T>(                                                                              \
        mask, [](T dividend, T divisor) { return npp::name(dividend, divisor); }, a, b);         \
  }                                                                                              \
  template <class T, int size>                                                                   \
  NPP_FUNCTION Lanes<T, size> name(Lanes<T, size> a, Lanes<T, size> b) {                         \
    return name(Lanes<bool, size>(true), a, b);                                                  \
  }
NPP_LANE_DIVISION(floor_divide, quotient - T(is_moved))
NPP_LANE_DIVISION(remainder, rest + (is_moved ? divisor : T(0)))
NPP_LANE_DIVISION(fmod, rest)
#undef NPP_LANE_DIVISION

}  // namespace npp::lanes
