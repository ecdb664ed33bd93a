// cbrt from the cube root's inverse, which iterations find without divisions: a first approximation
// divides the exponent, with the bits of the mantissa, by -3 (W. Kahan, "Computing a real cube
// root", 1991). A last step of Newton's method has an exact residue.
#pragma once

#include "npp/vector/scaling.hpp"
#include "npp/vector_math/parts/tiny.hpp"

namespace npp::vector_math {

template <class T>
struct CubeRootParts;
template <>
struct CubeRootParts<float> {
  static constexpr int32 kFirst = 0x54a1f5d8;
  static constexpr int kShift = 9;
  // Smaller numbers are multiplied by a cube.
  static constexpr float kLeast = 0x1p-40f, kFactor = 0x1p72f, kFactorOfRoot = 0x1p-24f;
};
template <>
struct CubeRootParts<double> {
  static constexpr int64 kFirst = 0x553ee99fb8cbb7a4;
  static constexpr int kShift = 12;
  static constexpr double kLeast = 0x1p-900, kFactor = 0x1p162, kFactorOfRoot = 0x1p-54;
};

// From a relative error e of 1 / y**3 to about e**3 / 6.
template <class V>
NPP_FUNCTION V closer_inverse(V x, V y) {
  const V error = vector::fma(-(x * y * y), y, all<V>(1));
  const V step = vector::fma(error, all<V>(Element<V>(2.0 / 9)), all<V>(Element<V>(1.0 / 3)));
  return vector::fma(y * error, step, y);
}

// Of positive numbers from kLeast on.
template <class V>
NPP_FUNCTION V ordinary_cbrt(V x) {
  using Parts = CubeRootParts<Element<V>>;
  const V bits = vector::to_number<V>(vector::bits_of(x) >> Parts::kShift);
  const V third = vector::fma(bits, all<V>(Element<V>(1.0 / 3)), all<V>(kRounder<V>));
  const Bits<V> integer = vector::bits_of(third) - vector::bits_of(all<V>(kRounder<V>));
  const V first = vector::from_bits<V>(Parts::kFirst - (integer << Parts::kShift));
  const V inverse = closer_inverse(x, closer_inverse(x, first));
  const V root = x * inverse * inverse, square = root * root;
  const V rest = vector::fma(root, root, -square);
  const V excess = vector::fma(root, rest, vector::fma(root, square, -x));
  return vector::fma(excess, inverse * inverse * Element<V>(-1.0 / 3), root);
}

template <class V>
NPP_LONG_FUNCTION V any_cbrt(V x) {
  using Parts = CubeRootParts<Element<V>>;
  const V size = vector::magnitude(x);
  const Bits<V> is_small = vector::is_size_below(size, Parts::kLeast);
  const Bits<V> is_zero = vector::equal(vector::bits_of(size), Bits<V>{});
  const Bits<V> is_itself = is_zero | ~vector::is_size_below(size, Limits<Element<V>>::kInfinity);
  // Not of all sizes: clang computes products of selected factors before it selects.
  const V grown = vector::shorter(size, 2 * Parts::kLeast) * Parts::kFactor;
  const V root = ordinary_cbrt(select(is_itself, all<V>(1), select(is_small, grown, size)));
  const V scaled = root * select(is_small, all<V>(Parts::kFactorOfRoot), all<V>(1));
  const V value = select(is_itself, x, signed_as(scaled, x));
  return select(vector::is_nan(x), vector::quiet(x), value);
}

template <class V>
NPP_FUNCTION V cbrt(V x) {
  const V size = vector::magnitude(x);
  const Element<V> least = CubeRootParts<Element<V>>::kLeast;
  const Element<V> infinity = Limits<Element<V>>::kInfinity;
  const Bits<V> is_ordinary =
      vector::within(vector::bits_of(size), bit_cast<Element<Bits<V>>>(least),
                     bit_cast<Element<Bits<V>>>(infinity));
  if (__builtin_expect(vector::any(~is_ordinary), 0)) return any_cbrt(x);
  return signed_as(ordinary_cbrt(size), x);
}

}  // namespace npp::vector_math
