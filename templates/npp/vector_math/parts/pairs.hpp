// Sums of two numbers, the second far smaller than the first, for results with more digits than a
// number has: T. J. Dekker, "A floating-point technique for extending the available precision",
// Numerische Mathematik 18 (1971).
#pragma once

#include "npp/vector/operations.hpp"

namespace npp::vector_math {

using lanes::Bits;
using lanes::Element;

template <class V>
struct Pair {
  V high, low;
};

// Exact.
template <class V>
NPP_FUNCTION Pair<V> sum_of(V a, V b) {
  const V high = a + b, taken = high - a;
  return {high, (a - (high - taken)) + (b - taken)};
}
template <class V>
NPP_FUNCTION Pair<V> sum_of(Pair<V> a, Element<V> b) {
  const Pair<V> sum = sum_of(a.high, lanes::all<V>(b));
  return {sum.high, sum.low + a.low};
}

// Exact where a is not smaller in size than b.
template <class V>
NPP_FUNCTION Pair<V> sum_of_sorted(V a, V b) {
  const V high = a + b;
  return {high, b - (high - a)};
}

template <class V>
NPP_FUNCTION Pair<V> product_of(Pair<V> a, V b) {
  const V high = a.high * b;
  return {high, lanes::fma(a.low, b, lanes::fma(a.high, b, -high))};
}
template <class V>
NPP_FUNCTION Pair<V> product_of(Pair<V> a, Pair<V> b) {
  const V high = a.high * b.high;
  const V cross = lanes::fma(a.low, b.high, lanes::fma(a.high, b.high, -high));
  return {high, lanes::fma(a.high, b.low, cross)};
}

template <class V>
NPP_FUNCTION Pair<V> quotient_of(Pair<V> a, Pair<V> b) {
  const V inverse = 1 / b.high, high = a.high * inverse;
  const V rest = lanes::fma(-high, b.high, a.high) + lanes::fma(-high, b.low, a.low);
  return {high, rest * inverse};
}

template <class V>
NPP_FUNCTION Pair<V> either(Bits<V> mask, Pair<V> a, Pair<V> b) {
  return {lanes::select(mask, a.high, b.high), lanes::select(mask, a.low, b.low)};
}

template <class V>
NPP_FUNCTION Pair<V> magnitude(Pair<V> x) {
  const Bits<V> sign = lanes::bits_of(x.high);
  return {lanes::with_sign_of(x.high, sign), lanes::with_sign_of(x.low, sign)};
}

}  // namespace npp::vector_math
