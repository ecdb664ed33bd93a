// asinh, acosh and atanh from log(1 + x).
#pragma once

#include "npp/vector/square_root.hpp"
#include "npp/vector_math/logarithm.hpp"

namespace npp::vector_math {

// From here on asinh and acosh are log(2 x).
template <class V>
inline constexpr Element<V> kLong = vector::kIsFloat<V> ? Element<V>(0x1p30) : Element<V>(0x1p60);

// log(1 + x), or log(2 x) where `is_long`.
template <class V>
NPP_FUNCTION V log_of_either(V x, Bits<V> is_long) {
  Reduced<V> reduced = reduce_sum(x);
  reduced.k = reduced.k + select(is_long, all<V>(1), V{});
  const LogarithmSum<V> log = logarithm_sum(reduced);
  return log.high + log.low;
}

// The value, or x where it is infinite or NaN.
template <class V>
NPP_FUNCTION V unless_infinite(V x, V value) {
  constexpr Element<V> kInfinity = Limits<Element<V>>::kInfinity;
  return select(vector::is_size_below(vector::magnitude(x), kInfinity), value, x);
}

template <class V>
NPP_FUNCTION V asinh(V x) {
  const V size = vector::shorter(vector::magnitude(x), Limits<Element<V>>::kMax);
  const Bits<V> is_long = ~vector::is_size_below(size, kLong<V>);
  const V used = vector::longer(select(is_long, all<V>(1), size), kTiny<V>), square = used * used;
  const V beyond = used + square / (1 + vector::square_root(square + 1));
  const V value = log_of_either(select(is_long, size, beyond), is_long);
  return unless_infinite(x, unless_tiny(x, signed_as(value, x)));
}

template <class V>
NPP_FUNCTION V acosh(V x) {
  const Bits<V> is_below = vector::less(vector::bits_of(x), vector::bits_of(all<V>(1)));
  const V size = vector::shorter(vector::magnitude(x), Limits<Element<V>>::kMax);
  const Bits<V> is_long = ~vector::is_size_below(size, kLong<V>);
  const V more = select(is_below | is_long, all<V>(1), size) - 1;
  const V product = vector::fma(more, more, 2 * more);
  // The square root of -1 raises the flag.
  const V radicand = select(is_below & ~vector::is_nan(x), all<V>(-1), product);
  const V beyond = more + vector::square_root(radicand);
  const V value = log_of_either(select(is_long & ~is_below, size, beyond), is_long);
  const Bits<V> is_other =
      vector::is_nan(x) |
      vector::equal(vector::bits_of(x), vector::bits_of(all<V>(Limits<Element<V>>::kInfinity)));
  return select(is_other, x, value);
}

template <class V>
NPP_FUNCTION V atanh(V x) {
  const V size = vector::magnitude(x), left = 1 - size;
  const V inside = select(vector::is_size_below(size, Element<V>(1)), size, all<V>(0.5));
  const V used = vector::longer(inside, kTiny<V>);
  const LogarithmSum<V> log = logarithm_sum(reduce_sum(2 * used / (1 - used)));
  const V value = vector::with_poles(left, 0.5f * (log.high + log.low));
  return unless_tiny(x, signed_as(value, x));
}

}  // namespace npp::vector_math
