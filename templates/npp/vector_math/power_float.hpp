// Logarithm and exponential of float for powers, with more digits than a float has: x**y is 2 to
// the power y log2(x), whose integer part takes up to seven of the digits. The method is that of P.
// T. P. Tang, "Table-driven implementation of the logarithm function", ACM TOMS 16 (1990): x = 2**k
// m, r = m c - 1 for a short c near 1/m from a table is exact, and log2(x) = k - log2(c) + log2(1 +
// r).
#pragma once

#include "npp/vector_math/parts/power_parts.hpp"

namespace npp::vector_math {

// c has at most 7 digits, so that products with floats near 1/c lose nothing; -log2(c) is a sum,
// the first part with 15 digits after the point. At m = 1 both are 0.
NPP_TABLE float kFloatReciprocals[32] = {
    0x1.6cp0f,  0x1.64p0f, 0x1.5cp0f,  0x1.54p0f,  0x1.5p0f,  0x1.48p0f,  0x1.4p0f,   0x1.3cp0f,
    0x1.34p0f,  0x1.3p0f,  0x1.28p0f,  0x1.24p0f,  0x1.2p0f,  0x1.1cp0f,  0x1.14p0f,  0x1.1p0f,
    0x1.0cp0f,  0x1.08p0f, 0x1.04p0f,  0x1p0f,     0x1.fp-1f, 0x1.ep-1f,  0x1.d8p-1f, 0x1.c8p-1f,
    0x1.b8p-1f, 0x1.bp-1f, 0x1.a8p-1f, 0x1.98p-1f, 0x1.9p-1f, 0x1.88p-1f, 0x1.8p-1f,  0x1.78p-1f};
NPP_TABLE float kFloatLogs[32] = {
    -0x1.03fcp-1f, -0x1.e728p-2f, -0x1.c59p-2f, -0x1.a338p-2f, -0x1.91b8p-2f, -0x1.6e2p-2f,
    -0x1.49a8p-2f, -0x1.371p-2f,  -0x1.113p-2f, -0x1.fbcp-3f,  -0x1.acfp-3f,  -0x1.84cp-3f,
    -0x1.5cp-3f,   -0x1.32bp-3f,  -0x1.bc8p-4f, -0x1.664p-4f,  -0x1.0ecp-4f,  -0x1.6bcp-5f,
    -0x1.6e8p-6f,  0x0p0f,        0x1.774p-5f,  0x1.7d6p-4f,   0x1.e0cp-4f,   0x1.564p-3f,
    0x1.bfcp-3f,   0x1.f6p-3f,    0x1.16ap-2f,  0x1.4f7p-2f,   0x1.6cbp-2f,   0x1.8a88p-2f,
    0x1.a9p-2f,    0x1.c818p-2f};
NPP_TABLE float kFloatLogRests[32] = {
    -0x1.a8b97ap-17f, 0x1.55e18ap-18f,  -0x1.7d694ap-17f, 0x1.3eb014p-19f,  -0x1.d448f8p-17f,
    -0x1.0e6ce8p-17f, 0x1.ed0cbap-20f,  -0x1.267526p-17f, -0x1.f6b4c2p-20f, -0x1.6b9026p-19f,
    -0x1.78b6d4p-17f, -0x1.5e8178p-18f, -0x1.a39fbep-19f, 0x1.61d876p-19f,  -0x1.0902b6p-18f,
    0x1.20a6dep-21f,  0x1.8ec0bap-17f,  0x1.2c8a72p-17f,  0x1.a5e8f4p-20f,  0x0p0f,
    -0x1.acd89ap-19f, 0x1.25b3eep-22f,  -0x1.ca2e1ap-17f, -0x1.1eb002p-18f, 0x1.9eap-17f,
    -0x1.3ab7cep-18f, -0x1.fd64ep-17f,  -0x1.134c4ep-20f, 0x1.ed0cbap-19f,  0x1.80abfcp-18f,
    -0x1.a39fbep-20f, 0x1.dc2d46p-18f};

// 2**(i / 32).
NPP_TABLE float kFloatPowers[32] = {
    0x1p0f,        0x1.059b0ep0f, 0x1.0b5586p0f, 0x1.11301ep0f, 0x1.172b84p0f, 0x1.1d4874p0f,
    0x1.2387a6p0f, 0x1.29e9ep0f,  0x1.306fep0f,  0x1.371a74p0f, 0x1.3dea64p0f, 0x1.44e086p0f,
    0x1.4bfdaep0f, 0x1.5342b6p0f, 0x1.5ab07ep0f, 0x1.6247ecp0f, 0x1.6a09e6p0f, 0x1.71f75ep0f,
    0x1.7a1148p0f, 0x1.82589ap0f, 0x1.8ace54p0f, 0x1.93737cp0f, 0x1.9c4918p0f, 0x1.a5503cp0f,
    0x1.ae89fap0f, 0x1.b7f77p0f,  0x1.c199bep0f, 0x1.cb720ep0f, 0x1.d5818ep0f, 0x1.dfc974p0f,
    0x1.ea4afap0f, 0x1.f50766p0f};

// The rest of each, relative to it: powers of integers that a float holds are exact.
NPP_TABLE float kFloatPowerRests[32] = {
    0x0p0f,           -0x1.947414p-25f, 0x1.8d96d4p-25f,  -0x1.dda2fcp-25f, -0x1.9c0c22p-27f,
    -0x1.a2fbb2p-25f, 0x1.964904p-25f,  -0x1.2b0dbcp-25f, 0x1.125002p-25f,  -0x1.cde8cep-26f,
    0x1.370be4p-25f,  0x1.336de2p-30f,  -0x1.0a355p-25f,  -0x1.c541b4p-26f, -0x1.00d8acp-27f,
    -0x1.6cb284p-25f, 0x1.26055cp-26f,  0x1.8b2bb8p-26f,  -0x1.05cb44p-25f, -0x1.1c2142p-26f,
    0x1.67a1cap-28f,  -0x1.348e56p-25f, 0x1.a3b5e4p-28f,  -0x1.0b7ec8p-25f, -0x1.f9c304p-27f,
    -0x1.e4c886p-26f, -0x1.6961b4p-28f, -0x1.b5151ep-28f, -0x1.a5217cp-28f, -0x1.ab7132p-26f,
    0x1.61428ep-28f,  -0x1.2ad5f8p-27f};

template <>
struct PowerParts<float> {
  // Of 2: the largest exponent in magnitude that the common path scales by.
  static constexpr int kOrdinary = 126;
  // Steps of the exponent's integer for each power of 2.
  static constexpr int kSteps = 32;
  // Rounds to these steps.
  static constexpr float kRounder = 0x1.8p18;
  // Beyond these exponents every power overflows, is 0 or 1, except that of 1.
  static constexpr float kMostExponent = 0x1p40f, kLeastExponent = 0x1p-70f;
  // y log2(x) beyond which the result overflows or is 0.
  static constexpr float kLimit = 250;

  // log2(x 2**shift) = high + low, relative error 2**-31, for positive normal x.
  template <class V>
  NPP_FUNCTION static Logarithm<V> logarithm(V x, Bits<V> shift) {
    // The table's first interval begins here: 1 is in the middle of one.
    const Bits<V> offset = vector::bits_of(x) - 0x3f320000;
    const Bits<V> exponent = offset & ~0x7fffff;
    const Bits<V> index = offset >> 18;
    const V m = vector::from_bits<V>(vector::bits_of(x) - exponent);
    const V r = vector::fma(m, vector::lookup<V>(kFloatReciprocals, index), all<V>(-1));
    const V k = vector::convert<V>(exponent + (shift << 23));
    const V short_part = vector::fma(k, all<V>(0x1p-23f), vector::lookup<V>(kFloatLogs, index));
    // log2(e), and the rest of it.
    const V high = vector::fma(r, all<V>(0x1.715476p0f), short_part);
    const V rest = vector::fma(r, all<V>(0x1.715476p0f), short_part - high);
    const V more = vector::polynomial(r, 0x1.4ae0cp-26f, -0x1.715476p-1f, 0x1.ec709cp-2f,
                                      -0x1.717d04p-2f, 0x1.27a4ep-2f);
    return {high, rest + vector::fma(r, more, vector::lookup<V>(kFloatLogRests, index)),
            vector::fma(r * r, all<V>(-0x1.715476p-1f), high)};
  }

  template <class V>
  NPP_FUNCTION static Exponent<V> exponent(V y, Logarithm<V> x) {
    const V rounded = vector::fma(y, x.near, all<V>(kRounder));
    const V integer = rounded - kRounder;
    return {rounded, vector::fma(y, x.low, vector::fma(y, x.high, -integer))};
  }

  // 2**(i / 32 + fraction) for the last five bits i of `rounded`, relative error 2**-28.
  template <class V>
  NPP_FUNCTION static V mantissa(Exponent<V> exponent) {
    const V power = vector::lookup<V>(kFloatPowers, vector::bits_of(exponent.rounded));
    const V rest = vector::lookup<V>(kFloatPowerRests, vector::bits_of(exponent.rounded));
    const V f = exponent.fraction;
    const V more = vector::polynomial(f, 0x1.62e43p-1f, 0x1.ebfd06p-3f, 0x1.c6b182p-5f);
    return vector::fma(power, vector::fma(f, more, rest), power);
  }

  template <class I>
  NPP_FUNCTION static I integer(I rounded) {
    return (rounded - bit_cast<int32>(kRounder)) >> 5;
  }
};

}  // namespace npp::vector_math
