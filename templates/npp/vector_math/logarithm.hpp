// log, log2, log10 and log1p.
#pragma once

#include "npp/vector/poles.hpp"
#include "npp/vector_math/parts/reduced_logarithm.hpp"
#include "npp/vector_math/parts/tiny.hpp"

namespace npp::vector_math {

template <class V>
NPP_FUNCTION V log(V x) {
  const LogarithmSum<V> log = logarithm_sum(reduce_logarithm(x));
  return vector::with_poles(x, log.high + log.low);
}

// log(x) times a constant that is the sum of two numbers.
template <class V>
NPP_FUNCTION V in_base(LogarithmSum<V> log, Element<V> factor, Element<V> rest) {
  const V product = log.high * factor;
  const V more = vector::fma(log.high, all<V>(rest), log.low * factor);
  return product + (vector::fma(log.high, all<V>(factor), -product) + more);
}
template <class V>
NPP_FUNCTION V log2(V x) {
  const LogarithmSum<V> log = logarithm_sum(reduce_logarithm(x));
  if constexpr (vector::kIsFloat<V>) {
    return vector::with_poles(x, in_base(log, 0x1.715476p0f, 0x1.4ae0cp-26f));
  } else {
    return vector::with_poles(x, in_base(log, 0x1.71547652b82fep0, 0x1.777d0ffda0d24p-56));
  }
}
template <class V>
NPP_FUNCTION V log10(V x) {
  const LogarithmSum<V> log = logarithm_sum(reduce_logarithm(x));
  if constexpr (vector::kIsFloat<V>) {
    return vector::with_poles(x, in_base(log, 0x1.bcb7b2p-2f, -0x1.5b235ep-27f));
  } else {
    return vector::with_poles(x, in_base(log, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57));
  }
}

// The parts of 1 + x > 0; `inverse` is 4 c / 2**k, as 2**-k may be subnormal.
template <class V>
NPP_FUNCTION Reduced<V> reduce_sum(V x) {
  Reduced<V> sum = LogarithmParts<Element<V>>::reduce_normal(x + 1);
  const Bits<V> exponent = vector::bits_of(sum.k + kRounder<V>)
                           << Limits<Element<V>>::kMantissaBits;
  sum.inverse = sum.inverse * vector::from_bits<V>(vector::bits_of(all<V>(4)) - exponent);
  sum.r = vector::fma(x * 0.25f, sum.inverse, vector::fma(sum.inverse, all<V>(0.25), all<V>(-1)));
  return sum;
}

template <class V>
NPP_FUNCTION V log1p(V x) {
  constexpr Element<Bits<V>> kInfinity = bit_cast<Element<Bits<V>>>(Limits<Element<V>>::kInfinity);
  const V sum = x + 1;
  const Bits<V> has_one = vector::within(vector::bits_of(sum), 1, kInfinity);
  const Bits<V> is_tiny = vector::is_size_below(vector::magnitude(x), kTiny<V>);
  const LogarithmSum<V> log = logarithm_sum(reduce_sum(select(has_one & ~is_tiny, x, all<V>(1))));
  return select(is_tiny, x, vector::with_poles(sum, log.high + log.low));
}

}  // namespace npp::vector_math
