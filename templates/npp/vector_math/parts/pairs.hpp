// Sums of two numbers, the second far smaller than the first, for results with more digits than a
// number has: T. J. Dekker, "A floating-point technique for extending the available precision",
// Numerische Mathematik 18 (1971).
#pragma once

#include "npp/vector/operations.hpp"

namespace npp::vector_math {

using vector::Bits;
using vector::Element;

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
  const Pair<V> sum = sum_of(a.high, vector::all<V>(b));
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
  return {high, vector::fma(a.low, b, vector::fma(a.high, b, -high))};
}
template <class V>
NPP_FUNCTION Pair<V> product_of(Pair<V> a, Pair<V> b) {
  const V high = a.high * b.high;
  const V cross = vector::fma(a.low, b.high, vector::fma(a.high, b.high, -high));
  return {high, vector::fma(a.high, b.low, cross)};
}

template <class V>
NPP_FUNCTION Pair<V> quotient_of(Pair<V> a, Pair<V> b) {
  const V inverse = 1 / b.high, high = a.high * inverse;
  const V rest = vector::fma(-high, b.high, a.high) + vector::fma(-high, b.low, a.low);
  return {high, rest * inverse};
}

template <class V>
NPP_FUNCTION Pair<V> either(Bits<V> mask, Pair<V> a, Pair<V> b) {
  return {vector::select(mask, a.high, b.high), vector::select(mask, a.low, b.low)};
}

template <class V>
NPP_FUNCTION Pair<V> magnitude(Pair<V> x) {
  const Bits<V> sign = vector::bits_of(x.high);
  return {vector::with_sign_of(x.high, sign), vector::with_sign_of(x.low, sign)};
}

}  // namespace npp::vector_math
