// exp, exp2 and expm1 by P. T. P. Tang, "Table-driven implementation of the exponential function",
// ACM TOMS 15 (1989), and "... of the expm1 function", ACM TOMS 18 (1992).
#pragma once

#include "npp/vector_math/power.hpp"
#include "npp/vector_math/special_cases.hpp"

namespace npp::vector_math {

using lanes::select;

// x = (log(2) / 16) * integer + fraction, for |x| up to 1400.
template <class V>
NPP_FUNCTION Exponent<V> natural_exponent(V x) {
  const V rounded = lanes::fma(x, all<V>(0x1.71547652b82fep4), all<V>(kRounder<V>));
  const V integer = rounded - kRounder<V>;
  const V coarse = lanes::fma(integer, all<V>(-0x1.62e42ffp-5), x);
  return {rounded, lanes::fma(integer, all<V>(0x1.718432a1b0e26p-39), coarse)};
}
// x = integer / 16 + fraction / log(2).
template <class V>
NPP_FUNCTION Exponent<V> binary_exponent(V x) {
  const V rounded = lanes::fma(x, all<V>(16), all<V>(kRounder<V>));
  const V integer = rounded - kRounder<V>;
  return {rounded, lanes::fma(integer, all<V>(-0.0625), x) * 0x1.62e42fefa39efp-1};
}

// The exponential times 2**shift.
template <class V>
NPP_FUNCTION V raised(Exponent<V> exponent, Bits<V> shift) {
  using Parts = PowerParts<double>;
  return lanes::scale(Parts::mantissa(exponent),
                      Parts::integer(lanes::bits_of(exponent.rounded)) + shift);
}

// Numbers that exponentials can be computed of: 0 for those of which they are 1, infinite or NaN,
// and others between -limit and limit.
template <class V>
NPP_FUNCTION V bounded(V x, double limit) {
  const V size = lanes::magnitude(x);
  const Bits<V> is_used =
      lanes::is_size_below(size, Limits<double>::kInfinity) & ~lanes::is_size_below(size, 0x1p-60);
  const V shorter = select(lanes::is_size_below(size, limit), size, all<V>(limit));
  return lanes::with_sign_of(select(is_used, shorter, V{}), lanes::bits_of(x));
}
// The result, or that of an infinity or NaN.
template <class V>
NPP_FUNCTION V with_limits(V x, V result, V at_minus_infinity) {
  const V limit = select(lanes::is_negative(x), at_minus_infinity, x);
  const V other = select(lanes::is_infinite(x), limit, result);
  return select(lanes::is_nan(x), lanes::quiet(x), other);
}

template <class V>
NPP_FUNCTION V exp(V x) {
  if constexpr (lanes::kIsFloat<V>) {
    return lanes::by_double([](auto y) { return vector_math::exp(y); }, x);
  } else {
    const V result = raised(natural_exponent(bounded(x, 1400)), Bits<V>{});
    return with_limits(x, result, V{});
  }
}

template <class V>
NPP_FUNCTION V exp2(V x) {
  if constexpr (lanes::kIsFloat<V>) {
    return lanes::by_double([](auto y) { return vector_math::exp2(y); }, x);
  } else {
    const V result = raised(binary_exponent(bounded(x, 2000)), Bits<V>{});
    return with_limits(x, result, V{});
  }
}

// exp(x) - 1 for |x| < 40, relative error 2**-52.
template <class V>
NPP_FUNCTION V short_expm1(V x) {
  using Parts = PowerParts<double>;
  const Exponent<V> exponent = natural_exponent(x);
  const Bits<V> index = lanes::bits_of(exponent.rounded);
  const V power = lanes::lookup<V>(kPowers, index) * lanes::power_of_two<V>(Parts::integer(index));
  const V f = exponent.fraction;
  const V more =
      lanes::polynomial(f, 0x1.0000000000004p-1, 0x1.555555555555ap-3, 0x1.555555547f879p-5,
                        0x1.111111107ca7bp-7, 0x1.6c18415f9b41ep-10, 0x1.a01b9f93e1c7ep-13);
  const V change = lanes::fma(f * f, more, f + lanes::lookup<V>(kPowerRests, index));
  const V difference = power - 1;
  const V rest = (power - difference) - 1;
  return difference + lanes::fma(power, change, rest);
}

template <class V>
NPP_FUNCTION V expm1(V x) {
  if constexpr (lanes::kIsFloat<V>) {
    return lanes::by_double([](auto y) { return vector_math::expm1(y); }, x);
  } else {
    const V used = bounded(x, 1400), size = lanes::magnitude(x);
    const Bits<V> is_short = lanes::is_size_below(size, 40.0);
    const V small =
        short_expm1(select(is_short, used, lanes::with_sign_of(all<V>(39), lanes::bits_of(x))));
    const Bits<V> is_long = ~is_short & ~lanes::is_negative(x);
    const V large = raised(natural_exponent(select(is_long, used, V{})), Bits<V>{});
    const V result = select(is_long, large, select(is_short, small, all<V>(-1)));
    return with_limits(x, select(lanes::is_size_below(size, 0x1p-60), x, result), all<V>(-1));
  }
}

}  // namespace npp::vector_math
