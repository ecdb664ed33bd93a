// hypot: the square root of a sum of squares, whose rounding error is added.
#pragma once

#include "npp/vector/square_root.hpp"
#include "npp/vector_math/parts/tiny.hpp"

namespace npp::vector_math {

// Of finite sizes, a the larger one.
template <class V>
NPP_FUNCTION V ordinary_hypot(V a, V b) {
  const V square = a * a, rest = lanes::fma(a, a, -square);
  return lanes::square_root(square + lanes::fma(b, b, rest));
}

template <class V>
NPP_FUNCTION V hypot(V x, V y) {
  using L = Limits<Element<V>>;
  constexpr bool kIsFloat = lanes::kIsFloat<V>;
  constexpr Element<Bits<V>> kFar = Element<Bits<V>>(kIsFloat ? 16 : 30) << L::kMantissaBits;
  constexpr Element<V> kMost = kIsFloat ? Element<V>(0x1p40) : Element<V>(0x1p400);
  constexpr Element<V> kUp = kIsFloat ? Element<V>(0x1p100) : Element<V>(0x1p600);
  const Bits<V> x_bits = lanes::bits_of(lanes::magnitude(x));
  const Bits<V> y_bits = lanes::bits_of(lanes::magnitude(y));
  const Bits<V> is_first = lanes::less(y_bits, x_bits);
  const V most = lanes::from_bits<V>(select(is_first, x_bits, y_bits));
  const Bits<V> is_finite = lanes::is_size_below(most, L::kInfinity);
  const Bits<V> is_large = ~lanes::is_size_below(most, kMost);
  const Bits<V> is_small = lanes::is_size_below(most, 1 / kMost);
  const V scale = select(is_large, all<V>(1 / kUp), select(is_small, all<V>(kUp), all<V>(1)));
  const V back = select(is_large, all<V>(kUp), select(is_small, all<V>(1 / kUp), all<V>(1)));
  const V a = select(is_finite, most, all<V>(1)) * scale;
  // No square underflows: a much smaller number changes nothing.
  const V least = lanes::from_bits<V>(select(is_first, y_bits, x_bits));
  const Bits<V> far = lanes::bits_of(a) - kFar,
                b = lanes::bits_of(select(is_finite, least, all<V>(1)) * scale);
  const V root = ordinary_hypot(a, lanes::from_bits<V>(select(lanes::less(b, far), far, b)));
  const Bits<V> is_infinite = lanes::is_infinite(x) | lanes::is_infinite(y);
  const V other = select(is_infinite, all<V>(L::kInfinity), lanes::quiet(most));
  return select(is_finite, root * back, other);
}
template <class V>
NPP_FUNCTION V flagged_hypot(V x, V y) {
  return vector_math::hypot(x, y);
}

}  // namespace npp::vector_math
