// Matrix products of f16, bf16, tf32, e4m3 and e5m2. PTX leaves the order and the precision of
// their sums open; this is the model that was measured for sm_90 to sm_120 (Xie et al., "MMA-Sim",
// 2025; Khattak and Mikaitis, "Accurate models of NVIDIA tensor cores", 2025; for its features Fasi
// et al., "Numerical behavior of NVIDIA tensor cores", 2021), where one step takes 32 bytes of A's
// row: as many as the longest row of an instruction.
//
// - Products are exact. They and C are aligned to the largest exponent among them (a product's is
//   the sum of its factors'), cut off 25 bits below it, towards zero, and then added exactly.
// - The sum is rounded once: to f32 towards zero, to f16 to nearest, even.
//
// e4m3 and e5m2 are f16 on sm_90 and sm_100, for which ptxas makes of one instruction two sums of
// f16, of the factors at k % 4 < 2 and of the others, and adds C last, to nearest.
//
// Subnormals count, NaN results are canonical, and what is zero has no exponent.
#include "simulator/handlers/common/families.hpp"
#include "simulator/handlers/common/narrow_float.hpp"
#include "simulator/handlers/matrix/fragments.hpp"

namespace numpy_plugin::sim::NPP_ISA {
namespace {

constexpr int kFactorBits = 10;  // fraction bits of a factor's significand
constexpr int kSumBits = 23;     // of the sum's
constexpr int kKeptBits = 25;    // of the aligned ones
constexpr int kNoExponent = -4096;
constexpr int kInfinite = 4096;
constexpr int kNan = 4097;

struct FloatFormat {
  int exponent_bits;
  int fraction_bits;
  int unused_bits = 0;  // below
  bool has_infinity = true;
};

FloatFormat format_of_element(Type type) {
  switch (type) {
    case Type::kBf16:
      return {8, 7};
    case Type::kTf32:
      return {8, 10, 13};
    case Type::kF32:
      return {8, 23};
    case Type::kE4m3:
      return {4, 3, 0, false};
    case Type::kE5m2:
      return {5, 2};
    default:
      return {5, 10};
  }
}

// significand * 2^(exponent - fraction bits), where the exponent is not one of the constants.
struct Term {
  std::int32_t significand = 0;
  std::int32_t exponent = kNoExponent;
};

Term term_of(std::uint32_t bits, const FloatFormat& format, int fraction_bits) {
  bits >>= format.unused_bits;
  const int largest_field = (1 << format.exponent_bits) - 1;
  const int field = static_cast<int>(bits >> format.fraction_bits) & largest_field;
  const auto fraction = static_cast<std::int32_t>(bits & ((1u << format.fraction_bits) - 1));
  const bool is_negative = (bits >> (format.fraction_bits + format.exponent_bits) & 1) != 0;
  const std::int32_t whole = field == 0 ? fraction : fraction | 1 << format.fraction_bits;
  Term term;
  term.significand = whole << (fraction_bits - format.fraction_bits);
  const int bias = largest_field / 2;
  if (whole != 0) term.exponent = (field == 0 ? 1 : field) - bias;
  if (field == largest_field) {
    const bool is_nan =
        format.has_infinity ? fraction != 0 : fraction == (1 << format.fraction_bits) - 1;
    if (is_nan) term.exponent = kNan;
    if (!is_nan && format.has_infinity) term.exponent = kInfinite;
  }
  if (is_negative) term.significand = -term.significand;
  return term;
}

// A matrix of factors; the inner dimension is contiguous.
struct Factors {
  std::int32_t significands[kMostElements];
  std::int32_t exponents[kMostElements];
  bool is_special[kWarpSize] = {};  // rows of A, columns of B with an infinity or a NaN
};

bool has_eight_bits(Type type) { return type == Type::kE4m3 || type == Type::kE5m2; }

// The place of the factor `i` of k: those of 8 bits are in the order of their two sums.
int place_in_sums(int i, int k, bool is_halved) {
  if (!is_halved) return i;
  return i / 4 * 2 + i % 2 + (i % 4 < 2 ? 0 : k / 2);
}

void gather_factors(const Warp& warp, const Slot* slots, const Fragment& fragment, int k,
                    Factors* factors) {
  std::uint32_t bits[kMostElements];
  gather_matrix(warp, slots, fragment, bits);
  const FloatFormat format = format_of_element(fragment.type);
  for (int i = 0; i < static_cast<int>(fragment.n_rows * fragment.n_columns); ++i) {
    const Term term = term_of(bits[i], format, kFactorBits);
    const int place = i / k * k + place_in_sums(i % k, k, has_eight_bits(fragment.type));
    factors->significands[place] = term.significand;
    factors->exponents[place] = term.exponent;
    if (term.exponent >= kInfinite) factors->is_special[i / k] = true;
  }
}

// A row of A or a column of B.
struct Factor {
  const std::int32_t* significands;
  const std::int32_t* exponents;
};

Factor factor_at(const Factors& factors, int position) {
  return {factors.significands + position, factors.exponents + position};
}

// The bits of the result where an infinity or a NaN is among the operands.
std::uint32_t special_sum(const Factor& a, const Factor& b, int k, const Term& sum, bool is_half) {
  bool is_nan = sum.exponent == kNan;
  bool is_infinite[2] = {};  // positive, negative
  if (sum.exponent == kInfinite) is_infinite[sum.significand < 0] = true;
  for (int i = 0; i < k; ++i) {
    const int greater = a.exponents[i] > b.exponents[i] ? a.exponents[i] : b.exponents[i];
    if (greater < kInfinite) continue;
    is_nan |= greater == kNan || a.significands[i] == 0 || b.significands[i] == 0;
    is_infinite[(a.significands[i] < 0) != (b.significands[i] < 0)] = true;
  }
  is_nan |= is_infinite[0] && is_infinite[1];
  if (is_half) return is_nan ? 0x7fff : is_infinite[1] ? 0xfc00 : 0x7c00;
  return is_nan ? 0x7fff'ffff : is_infinite[1] ? 0xff80'0000 : 0x7f80'0000;
}

std::int64_t cut(std::int32_t significand, int up, int down) {
  const std::uint32_t magnitude =
      static_cast<std::uint32_t>(significand < 0 ? -significand : significand) << up;
  const auto kept = static_cast<std::int64_t>(magnitude >> (down < 31 ? down : 31));
  return significand < 0 ? -kept : kept;
}

// value * 2^(exponent - kKeptBits)
struct AlignedSum {
  std::int64_t value = 0;
  int exponent = kNoExponent;
};

AlignedSum add_aligned(const Factor& a, const Factor& b, int k, const Term& sum) {
  int largest = sum.exponent;
  for (int i = 0; i < k; ++i) {
    const int exponent = a.exponents[i] + b.exponents[i];
    largest = exponent > largest ? exponent : largest;
  }
  AlignedSum total;
  total.exponent = largest;
  total.value = cut(sum.significand, kKeptBits - kSumBits, largest - sum.exponent);
  for (int i = 0; i < k; ++i) {
    total.value += cut(a.significands[i] * b.significands[i], kKeptBits - 2 * kFactorBits,
                       largest - a.exponents[i] - b.exponents[i]);
  }
  return total;
}

// magnitude * 2^-shift, and the digits below cut off or rounded to nearest, even.
std::uint64_t shift_down(std::uint64_t magnitude, int shift, bool to_nearest) {
  if (shift <= 0) return magnitude << -shift;
  if (shift > 62) return 0;
  const std::uint64_t kept = magnitude >> shift;
  const std::uint64_t rest = magnitude - (kept << shift);
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  return kept + (to_nearest && (rest > half || (rest == half && (kept & 1) != 0)) ? 1 : 0);
}

// Beyond the largest number: infinity, whatever the rounding.
std::uint32_t rounded_sum(const AlignedSum& sum, bool is_half) {
  if (sum.value == 0) return 0;
  const FloatFormat format = format_of_element(is_half ? Type::kF16 : Type::kF32);
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const std::uint32_t sign =
      sum.value < 0 ? 1u << (format.exponent_bits + format.fraction_bits) : 0;
  const auto magnitude = static_cast<std::uint64_t>(sum.value < 0 ? -sum.value : sum.value);
  const int unit = sum.exponent - kKeptBits;
  const int leading = unit + 63 - __builtin_clzll(magnitude);
  const bool is_normal = leading > -bias;
  const int last = (is_normal ? leading : 1 - bias) - format.fraction_bits;
  const std::uint64_t kept = shift_down(magnitude, last - unit, is_half);
  // A carry out of the fraction increments the exponent.
  const std::uint64_t field = is_normal ? static_cast<std::uint64_t>(leading + bias - 1) : 0;
  const std::uint64_t bits = (field << format.fraction_bits) + kept;
  const std::uint64_t infinity = ((std::uint64_t{1} << format.exponent_bits) - 1)
                                 << format.fraction_bits;
  return sign | static_cast<std::uint32_t>(bits < infinity ? bits : infinity);
}

std::uint32_t add_to_nearest(std::uint32_t a, std::uint32_t b, bool is_half) {
  if (!is_half) return bit_cast<std::uint32_t>(bit_cast<float>(a) + bit_cast<float>(b));
  const float wide_a = widen(Half{static_cast<std::uint16_t>(a)});
  const float wide_b = widen(Half{static_cast<std::uint16_t>(b)});
  return narrow<Half>(add_to_odd(wide_a, wide_b)).bits;
}

// The sum of C and of products of 8 bits.
std::uint32_t sum_of_halves(const Factor& a, const Factor& b, int k, std::uint32_t c,
                            bool is_half) {
  const FloatFormat format = format_of_element(is_half ? Type::kF16 : Type::kF32);
  std::uint32_t sum = rounded_sum(add_aligned(a, b, k / 2, {}), is_half);
  const Term first = term_of(sum, format, kSumBits);
  if (first.exponent < kInfinite) {
    const Factor rest_a = {a.significands + k / 2, a.exponents + k / 2};
    const Factor rest_b = {b.significands + k / 2, b.exponents + k / 2};
    sum = rounded_sum(add_aligned(rest_a, rest_b, k / 2, first), is_half);
  }
  return add_to_nearest(c, sum, is_half);
}

}  // namespace

void multiply_rounded_sums(Warp& warp, const Instruction& instruction) {
  const MatrixOperands operands = matrix_operands(warp, instruction);
  const int k = static_cast<int>(operands.a.n_columns);
  Factors a, b;
  std::uint32_t c[kMostElements], sums[kMostElements];
  gather_factors(warp, operands.a_slots, operands.a, k, &a);
  gather_factors(warp, operands.b_slots, operands.b, k, &b);
  gather_matrix(warp, operands.c_slots, operands.c, c);
  const FloatFormat c_format = format_of_element(operands.c.type);
  const bool is_half = operands.d.type == Type::kF16;
  const bool is_halved = has_eight_bits(operands.a.type);
  const int n_columns = static_cast<int>(operands.d.n_columns);
  for (int i = 0; i < static_cast<int>(operands.d.n_rows) * n_columns; ++i) {
    const int row = i / n_columns;
    const int column = i % n_columns;
    const Factor factor_a = factor_at(a, row * k);
    const Factor factor_b = factor_at(b, column * k);
    const Term sum = term_of(c[i], c_format, kSumBits);
    if (a.is_special[row] || b.is_special[column] || sum.exponent >= kInfinite) {
      sums[i] = special_sum(factor_a, factor_b, k, sum, is_half);
    } else if (is_halved) {
      sums[i] = sum_of_halves(factor_a, factor_b, k, c[i], is_half);
    } else {
      sums[i] = rounded_sum(add_aligned(factor_a, factor_b, k, sum), is_half);
    }
  }
  scatter_matrix(warp, operands.d_slots, operands.d, sums);
}

}  // namespace numpy_plugin::sim::NPP_ISA
