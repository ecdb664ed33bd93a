// atan and atan2: a / b is small, or near 1, where atan((a - b) / (a + b)) is pi / 4 less, or
// large, where atan(-b / a) is pi / 2 less (fdlibm's intervals, with one quotient).
#pragma once

#include "npp/vector_math/parts/pi.hpp"
#include "npp/vector_math/parts/tiny.hpp"

namespace npp::vector_math {

template <class T>
struct ArctangentParts;
template <>
struct ArctangentParts<float> {
  // (atan(x) - x) / x**3 up to tan(pi / 8).
  template <class V>
  NPP_FUNCTION static V series(V square) {
    return vector::polynomial(square, -0x1.55554ap-2f, 0x1.9991e2p-3f, -0x1.23b9a2p-3f,
                              0x1.b22456p-4f, -0x1.f2e5a8p-5f);
  }
};
template <>
struct ArctangentParts<double> {
  template <class V>
  NPP_FUNCTION static V series(V square) {
    return vector::polynomial(square, -0x1.555555555553dp-2, 0x1.9999999995863p-3,
                              -0x1.24924922ac26ap-3, 0x1.c71c70e52b3edp-4, -0x1.745cf8b856c28p-4,
                              0x1.3b1115fba8281p-4, -0x1.10eb8eb0580ebp-4, 0x1.df0ca20bd4b4ep-5,
                              -0x1.9cc594702722p-5, 0x1.37b1965911e79p-5, -0x1.2516407517a1ep-6);
  }
};

// atan(a / b) for positive numbers, of which b may be 0, as a sum.
template <class V>
struct ArctangentSum {
  V high, low;
};
template <class V>
NPP_FUNCTION ArctangentSum<V> arctangent(V a, V b) {
  using Parts = PiParts<Element<V>>;
  // tan(pi / 8), and its inverse.
  const Bits<V> is_small = vector::less(vector::bits_of(a), vector::bits_of(b * 0.41421357f));
  const Bits<V> is_large = vector::less(vector::bits_of(b), vector::bits_of(a * 0.41421357f));
  const V over = select(is_small, a, select(is_large, -b, a - b));
  const V under = select(is_small, b, select(is_large, a, a + b));
  const V quotient = over / under;
  // No power underflows.
  const Bits<V> is_tiny = vector::is_size_below(vector::magnitude(quotient), kTiny<V>);
  const V used = select(is_tiny, all<V>(1), quotient), square = used * used;
  const V more = used * square * ArctangentParts<Element<V>>::series(square);
  const V quarters = select(is_small, V{}, select(is_large, all<V>(1), all<V>(0.5)));
  const V base = quarters * Parts::kHalf, high = base + quotient;
  const V lost = (base - high) + quotient;
  return {high, lost + vector::fma(quarters, all<V>(Parts::kHalfRest), select(is_tiny, V{}, more))};
}

template <class V>
NPP_FUNCTION V atan(V x) {
  // From there on results are the same. No quotient underflows.
  const V size = vector::magnitude(x);
  const Bits<V> is_used = vector::is_size_below(size, Element<V>(0x1p60));
  const ArctangentSum<V> sum = arctangent(select(is_used, size, all<V>(0x1p60)), all<V>(1));
  return unless_tiny(x, signed_as(sum.high + sum.low, x));
}

// The size, or 1 for an infinity and 0 beside one, whose angle is the same.
template <class V>
NPP_FUNCTION V beside_infinity(V size, V other) {
  const Bits<V> is_infinite = vector::is_infinite(size);
  const V limit = select(is_infinite, all<V>(1), V{});
  return select(is_infinite | vector::is_infinite(other), limit, size);
}
// The size, or a larger one that is as good as 0 beside the other: no quotient underflows.
template <class V>
NPP_FUNCTION V not_far_below(V size, V other) {
  constexpr Element<Bits<V>> kFar = Element<Bits<V>>(64) << Limits<Element<V>>::kMantissaBits;
  const Bits<V> least = vector::bits_of(other) - kFar;
  return select(vector::less(vector::bits_of(size), least), vector::from_bits<V>(least), size);
}
// A power of two for two sizes of which this is the larger one: no sum overflows.
template <class V>
NPP_FUNCTION V scale_of_quotient(Bits<V> most) {
  const V size = vector::from_bits<V>(most);
  const V large = select(vector::is_size_below(size, Element<V>(0x1p100)), all<V>(1),
                         all<V>(Element<V>(0x1p-4)));
  return select(vector::is_size_below(size, Element<V>(0x1p-60)), all<V>(Element<V>(0x1p64)),
                large);
}

template <class V>
NPP_FUNCTION V atan2(V y, V x) {
  using Parts = PiParts<Element<V>>;
  const V y_size = vector::magnitude(y), x_size = vector::magnitude(x);
  const V height = beside_infinity(y_size, x_size), finite = beside_infinity(x_size, y_size);
  const Bits<V> either = vector::bits_of(height) | vector::bits_of(finite);
  const V width = select(vector::equal(either, Bits<V>{}), all<V>(1), finite);
  const Bits<V> is_higher = vector::less(vector::bits_of(width), vector::bits_of(height));
  const V scale =
      scale_of_quotient<V>(select(is_higher, vector::bits_of(height), vector::bits_of(width)));
  const V a = height * scale, b = width * scale;
  const Bits<V> is_left = vector::is_negative(x);
  const ArctangentSum<V> sum =
      arctangent(select(is_left, not_far_below(a, b), a), not_far_below(b, a));
  const V high = 2 * Parts::kHalf - sum.high, lost = (2 * Parts::kHalf - high) - sum.high;
  const V left = high + (lost + (2 * Parts::kHalfRest - sum.low));
  const V value = signed_as(select(is_left, left, sum.high + sum.low), y);
  return select(vector::is_nan(x), vector::quiet(x),
                select(vector::is_nan(y), vector::quiet(y), value));
}
template <class V>
NPP_FUNCTION V flagged_atan2(V y, V x) {
  return vector_math::atan2(y, x);
}

}  // namespace npp::vector_math
