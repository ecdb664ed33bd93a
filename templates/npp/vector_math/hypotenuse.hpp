// hypot: the square root of a sum of squares, whose rounding error is added.
#pragma once

#include "npp/vector/square_root.hpp"
#include "npp/vector_math/parts/tiny.hpp"

namespace npp::vector_math {

// Of finite sizes, a the larger one.
template <class V>
NPP_FUNCTION V ordinary_hypot(V a, V b) {
  const V square = a * a, rest = vector::fma(a, a, -square);
  return vector::square_root(square + vector::fma(b, b, rest));
}

template <class V>
NPP_FUNCTION V hypot(V x, V y) {
  using L = Limits<Element<V>>;
  constexpr bool kIsFloat = vector::kIsFloat<V>;
  constexpr Element<Bits<V>> kFar = Element<Bits<V>>(kIsFloat ? 16 : 30) << L::kMantissaBits;
  constexpr Element<V> kMost = kIsFloat ? Element<V>(0x1p40) : Element<V>(0x1p400);
  constexpr Element<V> kUp = kIsFloat ? Element<V>(0x1p100) : Element<V>(0x1p600);
  const Bits<V> x_bits = vector::bits_of(vector::magnitude(x));
  const Bits<V> y_bits = vector::bits_of(vector::magnitude(y));
  const Bits<V> is_first = vector::less(y_bits, x_bits);
  const V most = vector::from_bits<V>(select(is_first, x_bits, y_bits));
  const Bits<V> is_finite = vector::is_size_below(most, L::kInfinity);
  const Bits<V> is_large = ~vector::is_size_below(most, kMost);
  const Bits<V> is_small = vector::is_size_below(most, 1 / kMost);
  const V scale = select(is_large, all<V>(1 / kUp), select(is_small, all<V>(kUp), all<V>(1)));
  const V back = select(is_large, all<V>(kUp), select(is_small, all<V>(1 / kUp), all<V>(1)));
  const V a = select(is_finite, most, all<V>(1)) * scale;
  // No square underflows: a much smaller number changes nothing.
  const V least = vector::from_bits<V>(select(is_first, y_bits, x_bits));
  const Bits<V> far = vector::bits_of(a) - kFar,
                b = vector::bits_of(select(is_finite, least, all<V>(1)) * scale);
  const V root = ordinary_hypot(a, vector::from_bits<V>(select(vector::less(b, far), far, b)));
  const Bits<V> is_infinite = vector::is_infinite(x) | vector::is_infinite(y);
  const V other = select(is_infinite, all<V>(L::kInfinity), vector::quiet(most));
  return select(is_finite, root * back, other);
}
template <class V>
NPP_FUNCTION V flagged_hypot(V x, V y) {
  return vector_math::hypot(x, y);
}

}  // namespace npp::vector_math
