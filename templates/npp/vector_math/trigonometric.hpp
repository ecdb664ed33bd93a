// sin, cos and tan.
#pragma once

#include "npp/vector_math/parts/angles.hpp"

namespace npp::vector_math {

// The function of reduced angles where `is_huge`, and x elsewhere.
template <class V, class Function>
NPP_FUNCTION V at_huge_angles(Bits<V> is_huge, V x, Function function) {
  if constexpr (vector::kIsNumber<V>) {
    return is_huge ? static_cast<V>(function(reduce_huge(static_cast<double>(x)))) : x;
  } else {
    for (int i = 0; i < vector::kCount<V>; ++i)
      if (is_huge[i]) x[i] = vector::Element<V>(function(reduce_huge(static_cast<double>(x[i]))));
    return x;
  }
}

// A function of any numbers: `ordinary` of those from `least` up to huge ones, `huge` of reduced
// angles, and x of smaller ones. Not inlined, as these are rare.
template <class V, class Ordinary, class Huge>
NPP_LONG_FUNCTION V at_any_angle(V x, Element<V> least, Ordinary ordinary, Huge huge) {
  const V size = vector::magnitude(x);
  const Bits<V> is_tiny = vector::is_size_below(size, least);
  const Bits<V> is_below = vector::is_size_below(size, AngleParts<Element<V>>::kHuge);
  const Bits<V> is_finite = vector::is_size_below(size, Limits<Element<V>>::kInfinity);
  const Bits<V> is_ordinary = is_below & ~is_tiny;
  const V other = at_huge_angles(is_finite & ~is_below, x, huge);
  const V value = select(is_ordinary, ordinary(select(is_ordinary, x, all<V>(1))), other);
  const V flagged = value * vector::flagged<V>(vector::is_infinite(x), Bits<V>{});
  return select(vector::is_nan(x), vector::quiet(x), flagged);
}
// The same, quickly if all numbers are ordinary.
template <class V, class Ordinary, class Huge>
NPP_FUNCTION V at_angle(V x, Element<V> least, Ordinary ordinary, Huge huge) {
  constexpr Element<V> kHuge = AngleParts<Element<V>>::kHuge;
  const Bits<V> is_ordinary =
      vector::within(vector::bits_of(vector::magnitude(x)), bit_cast<Element<Bits<V>>>(least),
                     bit_cast<Element<Bits<V>>>(kHuge));
  if (__builtin_expect(vector::any(~is_ordinary), 0)) return at_any_angle(x, least, ordinary, huge);
  return ordinary(x);
}

// The sine of an angle that is `more` quarters of a turn larger.
NPP_FUNCTION double sine_of(Angle<double> angle, int more) {
  const int64 quadrant = angle.quadrant + more;
  const double value = (quadrant & 1) != 0 ? short_cosine(angle) : short_sine(angle);
  return vector::with_sign_of(value, quadrant << 62);
}

// The sine of x - n pi, negated for odd integers `rounded`.
template <class V>
NPP_FUNCTION V alternating_sine(V x, V n, V rounded) {
  constexpr int kShift = int(sizeof(Element<V>)) * 8 - 1;
  const V sine = sine_of_rest(reduce_by(x, n, Bits<V>{}));
  return vector::with_sign_of(sine, vector::bits_of(rounded) << kShift);
}

template <class V>
NPP_FUNCTION V sin(V x) {
  const auto ordinary = [](V y) {
    const V rounded = vector::fma(y, all<V>(AngleParts<Element<V>>::kInverse), all<V>(kRounder<V>));
    return alternating_sine(y, rounded - kRounder<V>, rounded);
  };
  return at_angle(x, kTiny<V>, ordinary, [](auto angle) { return sine_of(angle, 0); });
}

template <class V>
NPP_FUNCTION V cos(V x) {
  // cos(y) = sin(y + pi / 2).
  const auto ordinary = [](V y) {
    const V turns = vector::fma(y, all<V>(AngleParts<Element<V>>::kInverse), all<V>(0.5));
    const V rounded = turns + kRounder<V>;
    return alternating_sine(y, rounded - kRounder<V> - 0.5f, rounded);
  };
  return at_angle(x, Element<V>(0), ordinary, [](auto angle) { return sine_of(angle, 1); });
}

template <class V>
NPP_FUNCTION V tan(V x) {
  const auto ordinary = [](V y) {
    const V rounded =
        vector::fma(y, all<V>(2 * AngleParts<Element<V>>::kInverse), all<V>(kRounder<V>));
    const Bits<V> quadrant = vector::bits_of(rounded);
    const Angle<V> angle = reduce_by(y, (rounded - kRounder<V>)*0.5f, quadrant);
    const V sine = short_sine(angle), cosine = short_cosine(angle);
    const Bits<V> is_odd = Bits<V>{} - (quadrant & 1);
    const V over = select(is_odd, cosine, sine), under = select(is_odd, sine, cosine);
    return vector::with_sign_of(over / under, is_odd);
  };
  return at_angle(x, kTiny<V>, ordinary,
                  [](auto angle) { return sine_of(angle, 0) / sine_of(angle, 1); });
}

}  // namespace npp::vector_math
