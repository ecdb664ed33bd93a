// log, log2, log10 and log1p from the logarithm of powers, which has more digits than a double.
#pragma once

#include "npp/vector_math/power_double.hpp"
#include "npp/vector_math/special_cases.hpp"

namespace npp::vector_math {

using lanes::select;

// The logarithm of positive and subnormal numbers.
template <class V>
NPP_FUNCTION Logarithm<V> long_logarithm(V x) {
  const Bits<V> is_subnormal = lanes::is_size_below(x, 0x1p-1022);
  const V normal = x * select(is_subnormal, all<V>(0x1p54), all<V>(1));
  return PowerParts<double>::logarithm(normal, is_subnormal & -54);
}

// The numbers that have a finite logarithm; 1 for others.
template <class V>
NPP_FUNCTION V with_logarithm(V x) {
  const Bits<V> has_one =
      lanes::within(lanes::bits_of(x), 1, bit_cast<int64>(Limits<double>::kInfinity));
  return select(has_one, x, all<V>(1));
}

// The logarithm `result`, or the one of a number x that has none that is finite.
template <class V>
NPP_FUNCTION V with_poles(V x, V result) {
  const V size = lanes::magnitude(x);
  const Bits<V> is_nan = lanes::is_nan(x), is_zero = lanes::equal(lanes::bits_of(size), Bits<V>{});
  const Bits<V> is_invalid = lanes::is_negative(x) & ~is_zero & ~is_nan;
  const V other = select(lanes::is_infinite(x), size, select(is_zero, all<V>(-1), result));
  return select(is_nan, lanes::quiet(x), other * lanes::flagged<V>(is_invalid, is_zero));
}

// log(x) times a constant that is the sum of two doubles.
template <class V>
NPP_FUNCTION V in_base(Logarithm<V> log, double factor, double rest) {
  const V product = log.high * factor;
  const V more = lanes::fma(log.high, all<V>(rest), log.low * factor);
  return product + (lanes::fma(log.high, all<V>(factor), -product) + more);
}

template <class V>
NPP_FUNCTION V log(V x) {
  if constexpr (lanes::kIsFloat<V>) {
    return lanes::by_double([](auto y) { return vector_math::log(y); }, x);
  } else {
    const Logarithm<V> found = long_logarithm(with_logarithm(x));
    return with_poles(x, found.high + found.low);
  }
}
template <class V>
NPP_FUNCTION V log2(V x) {
  if constexpr (lanes::kIsFloat<V>) {
    return lanes::by_double([](auto y) { return vector_math::log2(y); }, x);
  } else {
    const Logarithm<V> found = long_logarithm(with_logarithm(x));
    return with_poles(x, in_base(found, 0x1.71547652b82fep0, 0x1.777d0ffda0d24p-56));
  }
}
template <class V>
NPP_FUNCTION V log10(V x) {
  if constexpr (lanes::kIsFloat<V>) {
    return lanes::by_double([](auto y) { return vector_math::log10(y); }, x);
  } else {
    const Logarithm<V> found = long_logarithm(with_logarithm(x));
    return with_poles(x, in_base(found, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57));
  }
}

// log(1 + x) for finite x > -1, relative error 2**-52.
template <class V>
NPP_FUNCTION V ordinary_log1p(V x) {
  const V sum = x + 1;
  const Bits<V> is_small = lanes::is_size_below(lanes::magnitude(x), 1.0);
  // The part of the smaller summand that the sum lacks.
  const V lost = select(is_small, x - (sum - 1), 1 - (sum - x));
  const Logarithm<V> log = long_logarithm(sum);
  const V result = log.high + (log.low + lost / sum);
  return select(lanes::is_size_below(lanes::magnitude(x), 0x1p-54), x, result);
}
template <class V>
NPP_FUNCTION V log1p(V x) {
  if constexpr (lanes::kIsFloat<V>) {
    return lanes::by_double([](auto y) { return vector_math::log1p(y); }, x);
  } else {
    const Bits<V> is_nan = lanes::is_nan(x);
    const Bits<V> is_below =
        lanes::is_negative(x) & ~lanes::is_size_below(lanes::magnitude(x), 1.0);
    const Bits<V> is_other = is_nan | lanes::is_infinite(x) | is_below;
    const V result = ordinary_log1p(select(is_other, all<V>(1), x));
    // Numbers below -1 have logarithms like negative ones, and -1 like zero.
    const Bits<V> is_pole = lanes::equal(lanes::bits_of(x), lanes::bits_of(all<V>(-1)));
    return with_poles(select(is_pole, V{}, select(is_other, x, all<V>(1))), result);
  }
}

}  // namespace npp::vector_math
