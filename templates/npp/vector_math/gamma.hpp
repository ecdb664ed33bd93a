// tgamma and lgamma, C's names of gamma and of the logarithm of its size. Those of floats are
// computed in double, and rounded.
//
// Next to the zeros of lgamma at negative numbers, where its size is below 1/16, its error in
// double is below 2**-54, and has no bound in units in the last place.
#pragma once

#include "npp/vector/poles.hpp"
#include "npp/vector_math/parts/gamma_parts.hpp"

namespace npp::vector_math {

// function(double(x)) as a float. A vector has two halves.
template <class V, class Function>
NPP_FUNCTION V in_double(V x, Function function) {
  if constexpr (vector::kIsNumber<V>) {
    return static_cast<float>(function(static_cast<double>(x)));
  } else {
    constexpr int kHalf = vector::kCount<V> / 2;
    using Floats = vector::Vector<float, kHalf>;
    using Doubles = vector::Vector<double, kHalf>;
    Floats halves[2];
    __builtin_memcpy(halves, &x, sizeof x);
    for (Floats& half : halves)
      half = vector::convert<Floats>(function(vector::convert<Doubles>(half)));
    __builtin_memcpy(&x, halves, sizeof x);
    return x;
  }
}

// Arguments of which gamma is infinite, NaN or 1 / x, and 1 in their place.
template <class V>
struct GammaCases {
  Bits<V> is_tiny, is_finite, is_pole;  // is_pole: of negative integers, and -infinity
  V used;

  NPP_FUNCTION GammaCases(V x, V distance) {
    const V size = vector::magnitude(x);
    // Below, gamma(x) is 1 / x.
    is_tiny = vector::is_size_below(size, 0x1p-60);
    is_finite = vector::is_size_below(size, Limits<double>::kInfinity);
    is_pole = vector::is_negative(x) & vector::equal(vector::bits_of(distance), Bits<V>{}) &
              ~is_tiny & ~vector::is_nan(x);
    used = select(is_finite & ~is_tiny & ~is_pole, x, all<V>(1));
  }
};

// gamma of finite numbers of ordinary size, without the sign of a reflected one.
template <class V>
NPP_FUNCTION V size_of_gamma(GammaParts<V> parts) {
  using Powers = PowerParts<double>;
  const Pair<V> log = parts.logarithm;
  const V rounded =
      vector::fma(log.high + log.low, all<V>(0x1.71547652b82fep0), all<V>(Powers::kRounder));
  const Exponent<V> exponent{rounded, Powers::fraction(rounded, log.high, log.low)};
  const V power = vector::lookup<V>(kPowers, vector::bits_of(rounded));
  const Pair<V> grown = sum_of_sorted(power, power * Powers::growth(exponent));
  const Pair<V> product = product_of(parts.denominator, grown);
  const Pair<V> value = quotient_of(either(parts.is_reflected, parts.numerator, product),
                                    either(parts.is_reflected, product, parts.numerator));
  const Bits<V> k = Powers::integer(vector::bits_of(rounded));
  return vector::scale(value.high + value.low, select(parts.is_reflected, -k, k));
}

template <class V>
NPP_FUNCTION V tgamma_of_doubles(V x) {
  const Neighbours<V> neighbours = neighbours_of(x);
  const GammaCases<V> cases(x, neighbours.distance);
  // From 172 on the result is infinite, below -190 it is 0.
  const GammaParts<V> parts = gamma_parts(cases.used, neighbours.distance, 190);
  const Bits<V> sign = parts.is_reflected & ~vector::bits_of(neighbours.odd);
  const V ordinary = vector::with_sign_of(size_of_gamma(parts), sign);
  // 1 / x, also of zeros, or NaN, with the flag of the division.
  const V one = all<V>(1);
  const V inverse =
      select(cases.is_pole, V{}, one) / select(cases.is_pole, V{}, select(cases.is_tiny, x, one));
  const V value = select(cases.is_tiny | cases.is_pole, inverse, ordinary);
  const V other = select(vector::is_nan(x), vector::quiet(x), x);
  return select(cases.is_finite | cases.is_pole, value, other);
}

// lgamma(1 + t) and lgamma(2 + t) for sizes of t up to 1/8; the first term is of two parts.
template <class V>
NPP_FUNCTION V log_gamma_near(Bits<V> is_two, V t) {
  const V first = vector::polynomial(
      t, 0x1.a51a6625307d3p-1, -0x1.9a4d55beab241p-2, 0x1.151322ac7d522p-2, -0x1.a8b9c17b0192bp-3,
      0x1.5b40cb111487cp-3, -0x1.2703a1489d2e6p-3, 0x1.010b35857ee6ap-3, -0x1.c8074cf966721p-4,
      0x1.9a033a0387292p-4, -0x1.743981cd8a03p-4, 0x1.5501b5263127ep-4, -0x1.4a495c47a2dcep-4,
      0x1.34f66c8c66f3dp-4);
  const V second = vector::polynomial(
      t, 0x1.4a34cc4a60faap-2, -0x1.13e001a557625p-4, 0x1.51322ac7c61f4p-6, -0x1.e404fc21361a7p-8,
      0x1.7add6f7b9180dp-9, -0x1.38ac5d8dc0172p-10, 0x1.0b34d634da3eep-11, -0x1.d3f86435d7e74p-13,
      0x1.a4dc9799bc48ep-14, -0x1.7ce4172b6259ep-15);
  const V slope = select(is_two, all<V>(0x1.b0ee6072093cep-2), all<V>(-0x1.2788cfc6fb619p-1));
  const V linear = t * slope;
  const V low = vector::fma(t, all<V>(0x1.6cb90701fbfabp-58), vector::fma(t, slope, -linear));
  return linear + vector::fma(t * t, select(is_two, second, first), low);
}

// lgamma of finite numbers, and of tiny ones -log(tiny).
template <class V>
NPP_FUNCTION V log_of_size_of_gamma(GammaParts<V> parts, Bits<V> is_tiny, V tiny) {
  constexpr int kShift = 200;
  const Pair<V> quotient = magnitude(quotient_of(parts.numerator, parts.denominator));
  const Pair<V> factor = either(is_tiny, Pair<V>{tiny * 0x1p200, V{}}, quotient);
  const Logarithm<V> log = PowerParts<double>::logarithm(factor.high, is_tiny & -kShift);
  const Pair<V> grown = either(is_tiny, Pair<V>{V{}, V{}}, parts.logarithm);
  const Pair<V> sum = sum_of(grown.high, -log.high);
  const V low = grown.low - (log.low + factor.low / factor.high);
  const V size = sum.high + (sum.low + low);
  return vector::with_sign_of(size, parts.is_reflected) * parts.growth;
}

template <class V>
NPP_FUNCTION V lgamma_of_doubles(V x) {
  const Neighbours<V> neighbours = neighbours_of(x);
  const GammaCases<V> cases(x, neighbours.distance);
  const V size = vector::magnitude(x), one = all<V>(1);
  const Bits<V> is_zero = vector::equal(vector::bits_of(size), Bits<V>{});
  const GammaParts<V> parts =
      gamma_parts(cases.used, neighbours.distance, Limits<double>::kInfinity);
  const V tiny = vector::longer(vector::shorter(size, 1), 0x1p-1074);
  const V ordinary = log_of_size_of_gamma(parts, cases.is_tiny, tiny);

  const Bits<V> is_two = vector::is_size_below(vector::magnitude(cases.used - 2), 0.125);
  const V t = cases.used - select(is_two, all<V>(2), one);
  const Bits<V> is_near = vector::is_size_below(vector::magnitude(t), 0.125) & ~cases.is_tiny;
  const V near = log_gamma_near(is_two, vector::clamp_size(t, 0.25));
  const Bits<V> is_pole = is_zero | (cases.is_pole & cases.is_finite);
  const V value =
      select(is_pole, vector::flagged<V>(Bits<V>{}, is_pole), select(is_near, near, ordinary));
  const V other = select(vector::is_nan(x), vector::quiet(x), size);
  return select(cases.is_finite, value, other);
}

template <class V>
NPP_FUNCTION V tgamma(V x) {
  if constexpr (vector::kIsFloat<V>) {
    return in_double(x, [](auto y) { return tgamma_of_doubles(y); });
  } else {
    return tgamma_of_doubles(x);
  }
}

template <class V>
NPP_FUNCTION V lgamma(V x) {
  if constexpr (vector::kIsFloat<V>) {
    return in_double(x, [](auto y) { return lgamma_of_doubles(y); });
  } else {
    return lgamma_of_doubles(x);
  }
}

}  // namespace npp::vector_math
