// Floor quotients and remainders of integers by a positive constant, which every lane may compute:
// shifts and masks for powers of 2, else multiplications.
#pragma once

#include "npp/cpu/lanes/calls.hpp"

namespace npp::lanes {

// Of integers of 8 bytes, for which vectors have no high half of a product. (2 n + 1) / (2 d) is so
// far from all integers that the floor of its product with a rounded reciprocal is exact while
// 2 n + 1 has 52 bits. All sums are of integers below 2**53: no order of theirs rounds.
template <class T, int size, uint64 divisor>
class ScaledQuotient {
 public:
  static constexpr uint64 kLimit = uint64(1) << 50;  // of dividends and divisors

  NPP_FUNCTION explicit ScaledQuotient(Lanes<T, size> dividend)
      : moved_(from_bits<double>(
            add(add(bits(dividend), bits(dividend)), Lanes<uint64, size>(kRounderBits + 1)))),
        quotient_(floor(multiply(subtract(moved_, Lanes<double, size>(kRounder)),
                                 Lanes<double, size>(0.5 / double(divisor))))) {}

  NPP_FUNCTION static bool suits(Lanes<T, size> dividend) {
    constexpr uint64 kOffset = kIsSigned<T> ? kLimit : 0;
    const Lanes<uint64, size> moved = add(bits(dividend), Lanes<uint64, size>(kOffset));
    return !any(invert(less(moved, Lanes<uint64, size>(kOffset + kLimit))));
  }
  NPP_FUNCTION Lanes<T, size> floor_divide() const {
    return from_bits<T>(last_bits(add(quotient_, Lanes<double, size>(kRounder))));
  }
  NPP_FUNCTION Lanes<T, size> remainder() const {
    const Lanes<double, size> twice(2 * double(divisor));
    const Lanes<uint64, size> odd = last_bits(subtract(moved_, multiply(quotient_, twice)));
    return from_bits<T>(shift_right(odd, Lanes<uint64, size>(1)));
  }

 private:
  // Added to an integer below 2**51, it leaves that in the last bits.
  static constexpr double kRounder = 0x1.8p52;
  static constexpr uint64 kRounderBits = 0x4338000000000000;

  NPP_FUNCTION static Lanes<uint64, size> last_bits(Lanes<double, size> moved) {
    return subtract(bits(moved), Lanes<uint64, size>(kRounderBits));
  }

  Lanes<double, size> moved_;  // 2 n + 1, and the rounder
  Lanes<double, size> quotient_;
};

#define NPP_KNOWN_DIVISION(name, of_power_of_two)                                         \
  template <uint64 divisor, class T, int size>                                            \
  NPP_FUNCTION Lanes<T, size> name##_by(Lanes<T, size> value) {                           \
    if constexpr ((divisor & (divisor - 1)) == 0) return of_power_of_two;                 \
    if constexpr (sizeof(T) == 4 && size == 8)                                            \
      return cast<T>(name##_by<divisor>(cast<int64>(value)));                             \
    if constexpr (sizeof(T) == 8 && divisor < ScaledQuotient<T, size, divisor>::kLimit) { \
      using Quotient = ScaledQuotient<T, size, divisor>;                                  \
      if (Quotient::suits(value)) return Quotient(value).name();                          \
    }                                                                                     \
    return all<T>([](T dividend) { return integer::name(dividend, T(divisor)); }, value); \
  }
NPP_KNOWN_DIVISION(floor_divide, shift_right(value, (Lanes<T, size>(T(__builtin_ctzll(divisor))))))
NPP_KNOWN_DIVISION(remainder, bitwise_and(value, (Lanes<T, size>(T(divisor - 1)))))
#undef NPP_KNOWN_DIVISION

}  // namespace npp::lanes
