// asinh, acosh and atanh from log1p.
#pragma once

#include "npp/vector_math/logarithm.hpp"
#include "npp/vector_math/square_root.hpp"

namespace npp::vector_math {

// The value for a size, with the sign of x: of an odd function, which is x near 0.
template <class V>
NPP_FUNCTION V odd(V x, V value) {
  const V tiny = select(lanes::is_size_below(lanes::magnitude(x), 0x1p-30), x,
                        lanes::with_sign_of(value, lanes::bits_of(x)));
  return select(lanes::is_nan(x), lanes::quiet(x), tiny);
}

// log(size) + log(2), for sizes so large that nothing else matters.
template <class V>
NPP_FUNCTION V log_of_double(V size) {
  const Logarithm<V> log = long_logarithm(size);
  const V sum = log.high + 0x1.62e42fefa39efp-1;
  return sum + ((log.high - sum) + 0x1.62e42fefa39efp-1 + log.low);
}

template <class V>
NPP_FUNCTION V asinh(V x) {
  if constexpr (lanes::kIsFloat<V>) {
    return lanes::by_double([](auto y) { return vector_math::asinh(y); }, x);
  } else {
    const V size = lanes::magnitude(x);
    const Bits<V> is_short =
        lanes::is_size_below(size, 0x1p28) & ~lanes::is_size_below(size, 0x1p-30);
    const V used = select(is_short, size, all<V>(1)), square = used * used;
    const V small = ordinary_log1p(used + square / (1 + lanes::square_root(square + 1)));
    const Bits<V> is_finite = lanes::is_size_below(size, Limits<double>::kInfinity);
    const V large = log_of_double(select(is_finite & ~is_short, size, all<V>(1)));
    const V value = odd(x, select(is_short, small, large));
    return select(lanes::is_infinite(x), x, value);
  }
}

template <class V>
NPP_FUNCTION V acosh(V x) {
  if constexpr (lanes::kIsFloat<V>) {
    return lanes::by_double([](auto y) { return vector_math::acosh(y); }, x);
  } else {
    const Bits<V> is_nan = lanes::is_nan(x);
    const Bits<V> is_below = (lanes::is_negative(x) | lanes::is_size_below(x, 1.0)) & ~is_nan;
    const Bits<V> is_short = ~is_below & lanes::is_size_below(lanes::magnitude(x), 0x1p28);
    const V beyond = select(is_short, x, all<V>(2)) - 1;
    const V small = ordinary_log1p(beyond + lanes::square_root(beyond * (beyond + 2)));
    const Bits<V> is_large = ~is_below & ~is_short & ~is_nan & ~lanes::is_infinite(x);
    const V large = log_of_double(select(is_large, x, all<V>(1)));
    const V value = select(is_short, small, select(is_large, large, lanes::magnitude(x)));
    return select(is_nan, lanes::quiet(x), value * lanes::flagged<V>(is_below, Bits<V>{}));
  }
}

template <class V>
NPP_FUNCTION V atanh(V x) {
  if constexpr (lanes::kIsFloat<V>) {
    return lanes::by_double([](auto y) { return vector_math::atanh(y); }, x);
  } else {
    const V size = lanes::magnitude(x);
    const Bits<V> is_pole = lanes::equal(lanes::bits_of(size), lanes::bits_of(all<V>(1)));
    const Bits<V> is_below = lanes::is_size_below(size, 1.0);
    const Bits<V> is_used = is_below & ~lanes::is_size_below(size, 0x1p-30);
    const V used = select(is_used, size, all<V>(0.5));
    const V value = 0.5 * ordinary_log1p(2 * used / (1 - used));
    const Bits<V> is_invalid = ~is_below & ~is_pole & ~lanes::is_nan(x);
    return odd(x, value * lanes::flagged<V>(is_invalid, is_pole));
  }
}

}  // namespace npp::vector_math
