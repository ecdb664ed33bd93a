// x**y for floating-point numbers, with the special cases of annex F of the C standard.
#pragma once

#include "npp/vector/exceptions.hpp"
#include "npp/vector/scaling.hpp"
#include "npp/vector_math/power_double.hpp"
#include "npp/vector_math/power_float.hpp"

namespace npp::vector_math {

// Masks of what C's standard distinguishes in x**y.
template <class V>
struct PowerCases {
  using I = Bits<V>;
  using Number = Element<V>;
  static constexpr Element<I> kOne = bit_cast<Element<I>>(Number(1));
  static constexpr Element<I> kInfinity = bit_cast<Element<I>>(Limits<Number>::kInfinity);
  // From here on all numbers are even.
  static constexpr Element<I> kEven =
      bit_cast<Element<I>>(sizeof(Number) == 4 ? Number(0x1p24) : Number(0x1p53));
  static constexpr int kSignShift = sizeof(Number) * 8 - 1;

  I x_size, y_size;  // bits without the sign
  I is_nan, is_limit, is_one, is_negative, is_odd, is_invalid, is_pole;

  NPP_FUNCTION PowerCases(V x, V y) {
    const I x_bits = vector::bits_of(x), y_bits = vector::bits_of(y);
    const I infinity = all<I>(kInfinity), zero = all<I>(0);
    x_size = vector::bits_of(vector::magnitude(x));
    y_size = vector::bits_of(vector::magnitude(y));
    const I is_zero = vector::equal(x_size, zero), is_constant = vector::equal(y_size, zero);
    const I is_infinite = vector::equal(y_size, infinity);
    is_nan = vector::less(infinity, x_size) | vector::less(infinity, y_size);
    is_limit = is_zero | vector::equal(x_size, infinity) | is_infinite;
    is_one = vector::equal(x_bits, all<I>(kOne)) | is_constant;
    is_negative = x_bits >> kSignShift;

    const I two = all<I>(bit_cast<Element<I>>(Number(2)));
    const I small = vector::select(vector::less(y_size, all<I>(kEven)), y_bits, two);
    const I whole = vector::convert<I>(vector::from_bits<V>(small));
    const I is_whole =
        vector::equal(vector::bits_of(vector::convert<V>(whole)), small) | is_constant;
    is_odd = is_whole & vector::equal(whole & 1, all<I>(1));
    is_invalid = is_negative & ~is_whole & ~is_limit & ~is_nan;
    is_pole = is_zero & (y_bits >> kSignShift) & ~is_infinite & ~is_constant & ~is_nan;
  }

  // The result where `is_limit`: infinite if it grows, and zero otherwise.
  NPP_FUNCTION V limit(V y) const {
    const I falls = vector::bits_of(y) >> kSignShift;
    const I grows = ~(vector::less(all<I>(kOne), x_size) ^ ~falls);
    const I is_unit = vector::equal(x_size, all<I>(kOne));
    return vector::from_bits<V>(vector::select(is_unit, all<I>(kOne), grows & kInfinity));
  }

  // A quiet one, without a flag.
  NPP_FUNCTION V nan(V x, V y) const {
    const I first = vector::less(all<I>(kInfinity), x_size);
    const I quiet = all<I>(Element<I>(1) << (Limits<Number>::kMantissaBits - 1));
    return vector::from_bits<V>(vector::bits_of(vector::select(first, x, y)) | quiet);
  }

  // 1, or NaN or infinity by a division that raises its flag.
  NPP_FUNCTION V flagged() const {
    return vector::from_bits<V>(~is_invalid & kOne) /
           vector::from_bits<V>(~(is_invalid | is_pole) & kOne);
  }
};

// |x|**y for ordinary and subnormal x, with overflow and underflow.
template <class V>
NPP_FUNCTION V power_of_size(V x, V y) {
  using Number = Element<V>;
  using Parts = PowerParts<Number>;
  constexpr int kShift = Limits<Number>::kMantissaBits + 1;
  constexpr Element<Bits<V>> kLeast = Element<Bits<V>>(1) << Limits<Number>::kMantissaBits;
  const Bits<V> is_subnormal = vector::less(vector::bits_of(x), all<Bits<V>>(kLeast));
  const V factor = all<V>(Number(Element<Bits<V>>(1) << kShift));
  const V normal = x * vector::select(is_subnormal, factor, all<V>(1));
  Logarithm<V> log = Parts::logarithm(normal, is_subnormal & -kShift);
  // A larger product is replaced by one of the same sign.
  const V limit = all<V>(Parts::kLimit), size = vector::magnitude(y * log.high);
  const Bits<V> is_large = vector::less(vector::bits_of(limit), vector::bits_of(size));
  y = vector::select(is_large, vector::with_sign_of(limit, vector::bits_of(y)), y);
  const V unit = vector::with_sign_of(all<V>(1), vector::bits_of(log.high));
  log.high = vector::select(is_large, unit, log.high);
  log.near = vector::select(is_large, unit, log.near);
  log.low = vector::select(is_large, V{}, log.low);
  const Exponent<V> exponent = Parts::exponent(y, log);
  return vector::scale(Parts::mantissa(exponent),
                       Parts::integer(vector::bits_of(exponent.rounded)));
}

// x**y for all numbers, without branches.
template <class V>
NPP_FUNCTION V any_pow(V x, V y) {
  using I = Bits<V>;
  using Number = Element<V>;
  const PowerCases<V> cases(x, y);
  const I is_special = cases.is_limit | cases.is_nan | cases.is_one | cases.is_invalid;
  const V size = vector::from_bits<V>(vector::select(is_special, all<I>(cases.kOne), cases.x_size));
  // No product overflows, and none underflows.
  const I most = all<I>(bit_cast<Element<I>>(PowerParts<Number>::kMostExponent));
  const I least = all<I>(bit_cast<Element<I>>(PowerParts<Number>::kLeastExponent));
  const I shorter = vector::select(vector::less(cases.y_size, most), cases.y_size, most);
  const I kept = vector::select(vector::less(shorter, least) | is_special, all<I>(0), shorter);
  const V exponent = vector::with_sign_of(vector::from_bits<V>(kept), vector::bits_of(y));
  const V ordinary = power_of_size(size, exponent);

  const V absolute = vector::select(cases.is_limit, cases.limit(y), ordinary) * cases.flagged();
  const V power = vector::with_sign_of(absolute, cases.is_negative & cases.is_odd);
  const V other = vector::select(cases.is_nan, cases.nan(x, y), power);
  return vector::select(cases.is_one, all<V>(1), other);
}

// The same, not inlined: rare, and the common path is to stay short.
template <class V>
NPP_LONG_FUNCTION V flagged_pow(V x, V y) {
  return any_pow(x, y);
}

#if NPP_DEVICE
template <class V>
NPP_FUNCTION V pow(V x, V y) {
  return any_pow(x, y);
}
#else
// The same, at once if all elements are ordinary. Flags may be raised for infinite exponents, and
// for exponents whose product with a logarithm overflows.
template <class V>
NPP_FUNCTION V pow(V x, V y) {
  if constexpr (vector::kIsNumber<V>) return any_pow(x, y);
  using Number = Element<V>;
  using Parts = PowerParts<Number>;
  using I = Bits<V>;
  const vector::Exceptions<V> exceptions = vector::not_positive_normal(x);
  const Exponent<V> exponent = Parts::exponent(y, Parts::logarithm(x, I{}));
  const V mantissa = Parts::mantissa(exponent);
#if NPP_NATIVE_VECTOR_BYTES == 64
  if constexpr (vector::kHasScaling<V>) {
    // Infinite, 0 or NaN, too, where the integer is too large for its steps to be exact.
    const V power = vector::scale_by_floor(mantissa, exponent.rounded - Parts::kRounder);
    const bool is_rare = vector::any_of(exceptions, vector::not_positive_normal(power));
    return __builtin_expect(is_rare, 0) ? flagged_pow(x, y) : power;
  } else
#endif
  {
    const I bits = vector::bits_of(exponent.rounded);
    constexpr Element<I> kZero = bit_cast<Element<I>>(Parts::kRounder);
    constexpr Element<I> kMost = Parts::kOrdinary * Parts::kSteps;
    // At the least exponent a mantissa below 1 would make a subnormal number.
    constexpr Element<I> kFirst = kZero - kMost + Parts::kSteps;
    const I out_of_range = ~vector::within(bits, kFirst, kZero + kMost);
    if (__builtin_expect(vector::any_of(exceptions, out_of_range), 0)) return flagged_pow(x, y);
    const I integer = Parts::integer(bits) << Limits<Number>::kMantissaBits;
    return vector::from_bits<V>(vector::bits_of(mantissa) + integer);
  }
}
#endif

}  // namespace npp::vector_math
