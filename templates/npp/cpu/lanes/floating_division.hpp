// Floor quotients and remainders of floating-point numbers in lanes, with the bits and flags of
// core/floating.hpp: a whole quotient of few bits times the divisor leaves a rest that a fused
// multiplication and addition gives exactly.
#pragma once

#include "npp/cpu/lanes/calls.hpp"
#include "npp/vector/operations.hpp"

namespace npp::lanes {

template <class T, int size>
class FloatingDivision {
 public:
  using Numbers = Lanes<T, size>;
  using Mask = Lanes<bool, size>;

  // Whether it suits all lanes: finite numbers, normal divisors, and quotients that are exact with
  // one more bit, which rounding may need.
  NPP_FUNCTION static bool suits(Numbers a, Numbers b) {
    const Order dividend = order(a), divisor = order(b);
    const Order infinity(Ordered(kExponentMask<T>));
    const Mask is_finite = bitwise_and(less(dividend, infinity), less(divisor, infinity));
    const Mask is_normal = less(Order(kLeastNormal - 1), divisor);
    const Mask is_short = less(subtract(dividend, divisor), Order(kQuotientBits * kLeastNormal));
    return !any(invert(bitwise_and(is_finite, bitwise_and(is_normal, is_short))));
  }

  NPP_FUNCTION FloatingDivision(Numbers a, Numbers b) : dividend_(a), divisor_(b), rest_(fmod()) {}

  NPP_FUNCTION Numbers fmod() const {
    const Mask is_rest = less(order(dividend_), order(divisor_));
    // No reciprocal, which fast-math flags permit for a divisor that is constant or divides again.
    const Numbers divisor = opaque(divisor_);
    // Without the quotients below 1, which may be subnormal and raise a flag.
    const Numbers whole = trunc(true_divide(select(is_rest, zero(), dividend_), divisor));
    Numbers rest;
    NPP_EACH_PART(k)
    rest.part[k] = vector::fma(-whole.part[k], divisor_.part[k], dividend_.part[k]);
    // Where the quotient has been rounded up to the next integer.
    const Mask is_beyond = and_not(differ(rest, dividend_), equal(rest, zero()));
    rest = add(rest, select(is_beyond, copysign(divisor_, dividend_), zero()));
    return copysign(rest, dividend_);
  }

  NPP_FUNCTION Numbers remainder() const {
    const Numbers moved = add(rest_, select(is_moved(), divisor_, zero()));
    return select(equal(rest_, zero()), copysign(zero(), divisor_), moved);
  }

  NPP_FUNCTION Numbers floor_divide() const {
    const Numbers one(T(1));
    const Numbers moved = select(is_moved(), one, zero());
    const Numbers quotient = subtract(true_divide(subtract(dividend_, rest_), divisor_), moved);
    const Numbers below = floor(quotient);
    const Mask is_above = less(Numbers(T(0.5)), subtract(quotient, below));
    const Numbers nearest = select(is_above, add(below, one), below);
    const Mask is_zero = equal(quotient, zero());
    if (!any(is_zero)) return nearest;
    const Numbers sign = true_divide(select(is_zero, dividend_, one), divisor_);
    return select(is_zero, copysign(zero(), sign), nearest);
  }

 private:
  using Ordered = SignedOfSize<sizeof(T)>;
  using Order = Lanes<Ordered, size>;
  static constexpr Ordered kLeastNormal = Ordered(1) << Limits<T>::kMantissaBits;
  static constexpr Ordered kQuotientBits = Limits<T>::kMantissaBits;

  // The bits of the magnitudes, which order like these.
  NPP_FUNCTION static Order order(Numbers value) { return from_bits<Ordered>(magnitude(value)); }
  NPP_FUNCTION static Numbers zero() { return Numbers(T(0)); }
  NPP_FUNCTION static Mask differ(Numbers a, Numbers b) {
    return less(from_bits<Ordered>(bitwise_xor(bits(a), bits(b))), Order(Ordered(0)));
  }
  NPP_FUNCTION Mask is_moved() const {
    return and_not(differ(rest_, divisor_), equal(rest_, zero()));
  }

  Numbers dividend_, divisor_;
  Numbers rest_;
};

}  // namespace npp::lanes
