// asin and acos by a polynomial up to 1/2, and sqrt((1 - |x|) / 2) beyond.
#pragma once

#include "npp/vector/square_root.hpp"
#include "npp/vector_math/parts/pi.hpp"
#include "npp/vector_math/parts/tiny.hpp"

namespace npp::vector_math {

template <class T>
struct ArcsineParts;
template <>
struct ArcsineParts<float> {
  // (asin(x) - x) / x**3.
  template <class V>
  NPP_FUNCTION static V series(V square) {
    return vector::polynomial(square, 0x1.5555c8p-3f, 0x1.3301fcp-4f, 0x1.747d04p-5f, 0x1.8c2dbp-6f,
                              0x1.596d26p-5f);
  }
};
template <>
struct ArcsineParts<double> {
  template <class V>
  NPP_FUNCTION static V series(V square) {
    return vector::polynomial(square, 0x1.5555555555577p-3, 0x1.333333332e12dp-4,
                              0x1.6db6db7212ac4p-5, 0x1.f1c71a94d2e97p-6, 0x1.6e8bdee450fddp-6,
                              0x1.1c49f00b96cf5p-6, 0x1.ca1f95bb0c456p-7, 0x1.758540c4f6a0dp-7,
                              0x1.613e3ecf32e0bp-7, 0x1.e5da8237f2f72p-9, 0x1.63a509e255077p-6,
                              -0x1.580a171358d04p-6, 0x1.0b4aca4458737p-5);
  }
};

// asin(root) = root + more, of the size itself up to 1/2, and of sqrt((1 - size) / 2) beyond.
template <class V>
struct ShortArcsine {
  Bits<V> is_small;
  V root, more;
};
template <class V>
NPP_FUNCTION ShortArcsine<V> short_arcsine(V size) {
  // Sizes beyond 1 are 2: the square root raises the flag, and nothing overflows.
  constexpr Element<Bits<V>> kTwo = bit_cast<Element<Bits<V>>>(Element<V>(2));
  constexpr Element<Bits<V>> kInfinity = bit_cast<Element<Bits<V>>>(Limits<Element<V>>::kInfinity);
  const Bits<V> is_beyond = vector::within(vector::bits_of(size), kTwo, kInfinity + 1);
  const V most = select(is_beyond, all<V>(2), size);
  const V used = select(vector::is_size_below(most, kTiny<V>), all<V>(kTiny<V>), most);
  const Bits<V> is_small = vector::is_size_below(used, Element<V>(0.5));
  const V rest = (1 - used) * 0.5f;
  const V square = select(is_small, used * used, rest);
  const V root = select(is_small, used, vector::square_root(select(is_small, all<V>(1), rest)));
  return {is_small, root, root * square * ArcsineParts<Element<V>>::series(square)};
}

template <class V>
NPP_FUNCTION V asin(V x) {
  using Parts = PiParts<Element<V>>;
  const ShortArcsine<V> arc = short_arcsine(vector::magnitude(x));
  const V root = 2 * arc.root, high = Parts::kHalf - root, lost = (Parts::kHalf - high) - root;
  const V large = high + (lost + vector::fma(arc.more, all<V>(-2), all<V>(Parts::kHalfRest)));
  return unless_tiny(x, signed_as(select(arc.is_small, arc.root + arc.more, large), x));
}

// pi / 2 - asin(x) up to 1/2, twice the short one beyond, and its difference to pi below.
template <class V>
NPP_FUNCTION V acos(V x) {
  using Parts = PiParts<Element<V>>;
  const ShortArcsine<V> arc = short_arcsine(vector::magnitude(x));
  const V factor = select(arc.is_small, all<V>(1), all<V>(-2));
  const V root = vector::with_sign_of(arc.root * factor, vector::sign_of(x));
  const V more = vector::with_sign_of(arc.more * factor, vector::sign_of(x));
  const V far = select(vector::is_negative(x), all<V>(1), V{});
  const V halves = select(arc.is_small, all<V>(0.5), far);
  const V base = halves * (2 * Parts::kHalf), high = base - root, lost = (base - high) - root;
  const V value = high + (lost + vector::fma(halves, all<V>(2 * Parts::kHalfRest), -more));
  return select(vector::is_nan(x), vector::quiet(x), value);
}

}  // namespace npp::vector_math
