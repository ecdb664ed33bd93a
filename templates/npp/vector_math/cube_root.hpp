// cbrt: an approximation by a logarithm, and one step of Newton's method whose residue is exact.
#pragma once

#include "npp/vector_math/exponential.hpp"
#include "npp/vector_math/power_double.hpp"

namespace npp::vector_math {

// Of numbers from 2**-900 on; cubes have their root.
template <class V>
NPP_FUNCTION V ordinary_cbrt(V x) {
  const Logarithm<V> log = PowerParts<double>::logarithm(x, Bits<V>{});
  const V root = vector_math::exp((log.high + log.low) * (1.0 / 3));
  const V square = root * root;
  const V rest = lanes::fma(root, root, -square);
  const V excess = lanes::fma(square, root, -x) + rest * root;
  return root - excess / (3 * square);
}

template <class V>
NPP_FUNCTION V cbrt(V x) {
  if constexpr (lanes::kIsFloat<V>) {
    return lanes::by_double([](auto y) { return vector_math::cbrt(y); }, x);
  } else {
    const V size = lanes::magnitude(x);
    const Bits<V> is_zero = lanes::equal(lanes::bits_of(size), Bits<V>{});
    const Bits<V> is_itself = is_zero | ~lanes::is_size_below(size, Limits<double>::kInfinity);
    const Bits<V> is_small = lanes::is_size_below(size, 0x1p-900);
    const V used = select(is_itself, all<V>(1), size);
    const V root = ordinary_cbrt(used * select(is_small & ~is_zero, all<V>(0x1p162), all<V>(1)));
    const V scaled = root * select(is_small, all<V>(0x1p-54), all<V>(1));
    const V value = lanes::with_sign_of(scaled, lanes::bits_of(x));
    return select(is_itself, select(lanes::is_nan(x), lanes::quiet(x), x), value);
  }
}

}  // namespace npp::vector_math
