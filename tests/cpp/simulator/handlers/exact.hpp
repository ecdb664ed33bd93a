// Floating-point numbers in integers: decoding, exact sums, products, quotients and roots, and one
// final rounding. Independent of the handlers' arithmetic.
#pragma once

#include <algorithm>
#include <cstdint>

#include "simulator/program/operation.hpp"

namespace numpy_plugin::sim::exact {

__extension__ typedef unsigned __int128 Wide;
__extension__ typedef __int128 SignedWide;

struct Format {
  int fraction_bits;
  int exponent_bits;

  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  int largest_field() const { return (1 << exponent_bits) - 1; }
  int lowest_exponent() const { return 1 - bias() - fraction_bits; }
  std::uint64_t infinity() const {
    return static_cast<std::uint64_t>(largest_field()) << fraction_bits;
  }
  std::uint64_t sign() const { return std::uint64_t{1} << (fraction_bits + exponent_bits); }
  std::uint64_t one() const { return static_cast<std::uint64_t>(bias()) << fraction_bits; }
};

constexpr Format kHalf = {10, 5};
constexpr Format kBrainHalf = {7, 8};
constexpr Format kSingle = {23, 8};
constexpr Format kDouble = {52, 11};
constexpr Format kTf32 = {10, 8};

inline Format format_of(Type type) {
  switch (type) {
    case Type::kF16:
    case Type::kF16x2:
      return kHalf;
    case Type::kBf16:
    case Type::kBf16x2:
      return kBrainHalf;
    case Type::kF32:
    case Type::kF32x2:
      return kSingle;
    case Type::kTf32:
      return kTf32;
    default:
      return kDouble;
  }
}

// (-1)^is_negative * magnitude * 2^exponent. A magnitude with a sticky last bit has enough bits
// above it.
struct Number {
  bool is_nan = false;
  bool is_infinite = false;
  bool is_negative = false;
  Wide magnitude = 0;
  int exponent = 0;

  bool is_zero() const { return !is_nan && !is_infinite && magnitude == 0; }
};

constexpr Number kNotANumber = {.is_nan = true};

inline int bit_length(Wide value) {
  int length = 0;
  for (; value != 0; value >>= 1) ++length;
  return length;
}

inline Number decode(std::uint64_t bits, const Format& format) {
  Number number;
  number.is_negative = (bits & format.sign()) != 0;
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << format.fraction_bits) - 1);
  const int field = static_cast<int>(bits >> format.fraction_bits) & format.largest_field();
  number.is_nan = field == format.largest_field() && fraction != 0;
  number.is_infinite = field == format.largest_field() && fraction == 0;
  const std::uint64_t implicit = field == 0 ? 0 : std::uint64_t{1} << format.fraction_bits;
  number.magnitude = fraction | implicit;
  number.exponent = format.lowest_exponent() + std::max(field, 1) - 1;
  return number;
}

inline bool rounds_up(Rounding rounding, bool is_negative, bool is_odd, int against_half,
                      bool is_exact) {
  if (is_exact) return false;
  switch (rounding) {
    case Rounding::kZero:
    case Rounding::kZeroInteger:
      return false;
    case Rounding::kDown:
    case Rounding::kDownInteger:
      return is_negative;
    case Rounding::kUp:
    case Rounding::kUpInteger:
      return !is_negative;
    case Rounding::kNearestAway:
      return against_half >= 0;
    default:
      return against_half > 0 || (against_half == 0 && is_odd);
  }
}

// magnitude * 2^-shift, rounded to an integer.
inline Wide shift_rounded(Wide magnitude, int shift, bool is_negative, Rounding rounding) {
  if (shift <= 0) return magnitude << -shift;
  const bool is_far = shift > 127;
  const Wide kept = is_far ? 0 : magnitude >> shift;
  const Wide rest = is_far ? magnitude : magnitude - (kept << shift);
  const Wide half = is_far ? ~Wide{0} : Wide{1} << (shift - 1);
  const int against_half = rest > half ? 1 : rest == half ? 0 : -1;
  return kept +
         (rounds_up(rounding, is_negative, (kept & 1) != 0, against_half, rest == 0) ? 1 : 0);
}

// The canonical NaN for NaN.
inline std::uint64_t encode(const Number& number, const Format& format, Rounding rounding) {
  if (number.is_nan) return format.sign() - 1;
  const std::uint64_t sign = number.is_negative ? format.sign() : 0;
  if (number.is_infinite) return sign | format.infinity();
  const int precision = format.fraction_bits + 1;
  int exponent = std::max(number.exponent + bit_length(number.magnitude) - precision,
                          format.lowest_exponent());
  Wide kept =
      shift_rounded(number.magnitude, exponent - number.exponent, number.is_negative, rounding);
  if (kept >> precision != 0) {
    kept >>= 1;
    ++exponent;
  }
  const bool is_normal = kept >> format.fraction_bits != 0;
  const int field = is_normal ? exponent - format.lowest_exponent() + 1 : 0;
  if (field >= format.largest_field()) {
    const bool is_outward = rounds_up(rounding, number.is_negative, true, 1, false);
    return sign | (format.infinity() - (is_outward ? 0 : 1));
  }
  const std::uint64_t fraction =
      static_cast<std::uint64_t>(kept) & ((std::uint64_t{1} << format.fraction_bits) - 1);
  return sign | static_cast<std::uint64_t>(field) << format.fraction_bits | fraction;
}

inline Number negate(Number number) {
  number.is_negative = !number.is_negative;
  return number;
}

// The larger first; of an operand more than 60 bits below the other's last bit only a sticky bit
// remains.
inline Number add(Number a, Number b, Rounding rounding) {
  if (a.is_nan || b.is_nan) return kNotANumber;
  if (a.is_infinite && b.is_infinite && a.is_negative != b.is_negative) return kNotANumber;
  if (a.is_infinite) return a;
  if (b.is_infinite) return b;
  if (a.magnitude == 0 && b.magnitude == 0) {
    a.is_negative = a.is_negative == b.is_negative ? a.is_negative : rounding == Rounding::kDown;
    return a;
  }
  if (a.magnitude == 0) return b;
  if (b.magnitude == 0) return a;
  if (a.exponent + bit_length(a.magnitude) < b.exponent + bit_length(b.magnitude)) std::swap(a, b);
  // Room to align: the lowest bit of either, but 120 bits in total.
  const int top = a.exponent + bit_length(a.magnitude);
  const int lowest = std::max(std::min(a.exponent, b.exponent), top - 120);
  const auto align = [lowest](const Number& number) {
    const int shift = number.exponent - lowest;
    if (shift >= 0) return static_cast<SignedWide>(number.magnitude << shift);
    const Wide kept = -shift > 127 ? 0 : number.magnitude >> -shift;
    const bool is_cut = -shift > 127 || (kept << -shift) != number.magnitude;
    return static_cast<SignedWide>(kept | (is_cut ? 1 : 0));
  };
  const SignedWide left = align(a);
  const SignedWide right = align(b);
  const SignedWide sum = a.is_negative == b.is_negative ? left + right : left - right;
  Number result = a;
  result.exponent = lowest;
  result.magnitude = static_cast<Wide>(sum < 0 ? -sum : sum);
  if (sum < 0) result.is_negative = !a.is_negative;
  if (sum == 0) result.is_negative = rounding == Rounding::kDown;
  return result;
}

inline Number multiply(const Number& a, const Number& b) {
  if (a.is_nan || b.is_nan) return kNotANumber;
  Number result;
  result.is_negative = a.is_negative != b.is_negative;
  result.is_infinite = a.is_infinite || b.is_infinite;
  if (result.is_infinite && (a.is_zero() || b.is_zero())) return kNotANumber;
  result.magnitude = a.magnitude * b.magnitude;
  result.exponent = a.exponent + b.exponent;
  return result;
}

inline Number divide(Number a, Number b) {
  if (a.is_nan || b.is_nan || (a.is_infinite && b.is_infinite) || (a.is_zero() && b.is_zero())) {
    return kNotANumber;
  }
  Number result;
  result.is_negative = a.is_negative != b.is_negative;
  result.is_infinite = a.is_infinite || b.is_zero();
  if (result.is_infinite || b.is_infinite || a.is_zero()) return result;
  const int shift = 120 - bit_length(a.magnitude);
  const Wide scaled = a.magnitude << shift;
  const bool is_cut = scaled % b.magnitude != 0;
  result.magnitude = scaled / b.magnitude | (is_cut ? 1 : 0);
  result.exponent = a.exponent - shift - b.exponent;
  return result;
}

inline Number square_root(const Number& a) {
  if (a.is_nan || a.is_zero()) return a;
  if (a.is_negative) return kNotANumber;
  if (a.is_infinite) return a;
  int shift = 120 - bit_length(a.magnitude);
  if (((a.exponent - shift) & 1) != 0) --shift;
  const Wide scaled = a.magnitude << shift;
  Wide root = 0;
  for (int bit = 61; bit >= 0; --bit) {
    const Wide larger = root | Wide{1} << bit;
    if (larger * larger <= scaled) root = larger;
  }
  Number result;
  result.magnitude = root << 1 | (root * root != scaled ? 1 : 0);
  result.exponent = (a.exponent - shift) / 2 - 1;
  return result;
}

// Rounded to an integer, keeping its sign.
inline Number round_whole(Number number, Rounding rounding) {
  if (number.is_nan || number.is_infinite || number.exponent >= 0) return number;
  number.magnitude =
      shift_rounded(number.magnitude, -number.exponent, number.is_negative, rounding);
  number.exponent = 0;
  return number;
}

inline Number from_integer(SignedWide value) {
  Number number;
  number.is_negative = value < 0;
  number.magnitude = static_cast<Wide>(value < 0 ? -value : value);
  return number;
}

// An integer, clamped to the bounds.
inline SignedWide to_integer(const Number& whole, SignedWide lowest, SignedWide highest) {
  const bool is_large = whole.is_infinite || whole.exponent + bit_length(whole.magnitude) > 100;
  if (is_large && whole.magnitude != 0) return whole.is_negative ? lowest : highest;
  const SignedWide magnitude = static_cast<SignedWide>(whole.magnitude << whole.exponent);
  return std::clamp(whole.is_negative ? -magnitude : magnitude, lowest, highest);
}

}  // namespace numpy_plugin::sim::exact
