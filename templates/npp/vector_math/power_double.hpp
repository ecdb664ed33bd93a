// Logarithm and exponential of double for powers, with more digits than a double has: x**y is
// exp(y log(x)), whose integer part takes up to ten of the digits. The methods are P. T. P. Tang's,
// "Table-driven implementation of the logarithm function", ACM TOMS 16 (1990), and "... of the
// exponential function", ACM TOMS 15 (1989).
#pragma once

#include "npp/vector_math/parts/power_parts.hpp"

namespace npp::vector_math {

// x = 2**k m, r = m c - 1 is exact as c has at most 6 digits; -log(c) is a sum, the first part with
// 40 digits after the point. At m = 1 both are 0.
NPP_TABLE double kReciprocals[16] = {0x1.6p0,  0x1.58p0,  0x1.48p0,  0x1.38p0, 0x1.3p0,  0x1.28p0,
                                     0x1.18p0, 0x1.1p0,   0x1.08p0,  0x1p0,    0x1.ep-1, 0x1.c8p-1,
                                     0x1.bp-1, 0x1.98p-1, 0x1.88p-1, 0x1.7p-1};
NPP_TABLE double kLogs[16] = {-0x1.4618bc21c4p-2, -0x1.2e8e2bae1p-2,
                              -0x1.fb9186d5ep-3,  -0x1.9525a9cf48p-3,
                              -0x1.5ff3070a78p-3, -0x1.29552f82p-3,
                              -0x1.6f0d28ae5p-4,  -0x1.f0a30c012p-5,
                              -0x1.f829b0e78p-6,  0x0p0,
                              0x1.08598b59ep-4,   0x1.da7276384p-4,
                              0x1.5bf406b54p-3,   0x1.d1037f2658p-3,
                              0x1.1178e8228p-2,   0x1.522ae0738cp-2};
NPP_TABLE double kLogRests[16] = {-0x1.ec27d0b7b37b3p-42, -0x1.d309c2cc91a85p-42,
                                  -0x1.f1546aaa3361cp-42, 0x1.4a5c4df67c564p-42,
                                  -0x1.3d3c873e20a07p-43, 0x1.5b967f4471dfcp-44,
                                  -0x1.ad2e6f9266e7bp-42, 0x1.3ab33d066d1d2p-42,
                                  -0x1.980267c7e09e4p-45, 0x0p0,
                                  0x1.d034451fecdfbp-43,  0x1.1a89401fa7173p-42,
                                  0x1.ed8fdc149767ep-42,  -0x1.0c253f3adb7b7p-42,
                                  -0x1.b8421cc74be04p-42, -0x1.c2831efd36715p-42};
// 2**(i / 16), and what relative to the power is missing.
NPP_TABLE double kPowers[16] = {0x1p0,
                                0x1.0b5586cf9890fp0,
                                0x1.172b83c7d517bp0,
                                0x1.2387a6e756238p0,
                                0x1.306fe0a31b715p0,
                                0x1.3dea64c123422p0,
                                0x1.4bfdad5362a27p0,
                                0x1.5ab07dd485429p0,
                                0x1.6a09e667f3bcdp0,
                                0x1.7a11473eb0187p0,
                                0x1.8ace5422aa0dbp0,
                                0x1.9c49182a3f09p0,
                                0x1.ae89f995ad3adp0,
                                0x1.c199bdd85529cp0,
                                0x1.d5818dcfba487p0,
                                0x1.ea4afa2a490dap0};
NPP_TABLE double kPowerRests[16] = {0x0p0,
                                    0x1.79aa65d837b6dp-54,
                                    -0x1.01b15eaa59348p-55,
                                    0x1.68efde3a8a894p-54,
                                    0x1.34d754db0abb6p-55,
                                    0x1.59f48a72a4c6dp-55,
                                    0x1.690cebb7aafbp-56,
                                    0x1.063e1e21c5409p-54,
                                    -0x1.3b3efbf5e2228p-54,
                                    -0x1.b32dcb94da51dp-56,
                                    0x1.db72fc1f0eab4p-55,
                                    0x1.1affc2b91ce27p-56,
                                    0x1.c1a7792cb3387p-55,
                                    0x1.36eae30af0cb3p-56,
                                    0x1.4a385a63d07a7p-56,
                                    -0x1.ff7128fd391fp-55};

template <>
struct PowerParts<double> {
  // Of 2: the largest exponent in magnitude that the common path scales by, and steps for each.
  static constexpr int kOrdinary = 1022, kSteps = 16;
  // Rounds to these steps.
  static constexpr double kRounder = 0x1.8p48;
  // Beyond these exponents every power overflows, is 0 or 1, except that of 1.
  static constexpr double kMostExponent = 0x1p80, kLeastExponent = 0x1p-200;
  static constexpr double kLimit = 1400;

  // log(x 2**shift) = high + low, relative error 2**-64, for positive normal x.
  template <class V>
  NPP_FUNCTION static Logarithm<V> logarithm(V x, Bits<V> shift) {
    const Bits<V> offset = vector::bits_of(x) - 0x3fe6800000000000;
    const Bits<V> exponent = offset & ~0xfffffffffffff;
    const Bits<V> index = offset >> 48;
    const V m = vector::from_bits<V>(vector::bits_of(x) - exponent);
    const V r = vector::fma(m, vector::lookup<V>(kReciprocals, index), all<V>(-1));
    const V k = vector::to_number<V>((offset >> 52) + shift);
    // log(2) is a sum, too: k times its first part is exact.
    const V short_part = vector::fma(k, all<V>(0x1.62e42fefa4p-1), vector::lookup<V>(kLogs, index));
    const V linear = short_part + r;
    const V half = r * -0.5, square = r * r, cube = square * r;
    const V high = vector::fma(half, r, linear);
    const V rest = ((short_part - linear) + r) + vector::fma(half, r, linear - high);
    const V more = vector::polynomial_of_pairs(
        r, square, 0x1.5555555555555p-2, -0x1.ffffffffffda4p-3, 0x1.99999999991p-3,
        -0x1.5555555956ef3p-3, 0x1.2492492c8eb65p-3, -0x1.ffffb7e53aefap-4, 0x1.c71c0be2c2bb4p-4,
        -0x1.9aa2318cdf334p-4, 0x1.7582f4b938338p-4);
    const V small =
        vector::fma(k, all<V>(-0x1.8432a1b0e2634p-43), vector::lookup<V>(kLogRests, index));
    return {high, vector::fma(cube, more, rest + small),
            vector::fma(cube, all<V>(0x1.5555555555555p-2), high)};
  }

  template <class V>
  NPP_FUNCTION static Exponent<V> exponent(V y, Logarithm<V> x) {
    const V powers = y * 0x1.71547652b82fep0;
    const V rounded = vector::fma(powers, x.near, all<V>(kRounder));
    const V product = y * x.high;
    return {rounded,
            fraction(rounded, product, vector::fma(y, x.low, vector::fma(y, x.high, -product)))};
  }
  // The rest of high + low beside the integer of `rounded`.
  template <class V>
  NPP_FUNCTION static V fraction(V rounded, V high, V low) {
    const V integer = rounded - kRounder;
    const V coarse = vector::fma(integer, all<V>(-0x1.62e42ffp-1), high);
    return coarse + vector::fma(integer, all<V>(0x1.718432a1b0e26p-35), low);
  }

  // 2**(i / 16) * exp(fraction) for the last four bits i of `rounded`, relative error 2**-55.
  template <class V>
  NPP_FUNCTION static V mantissa(Exponent<V> exponent) {
    const V power = vector::lookup<V>(kPowers, vector::bits_of(exponent.rounded));
    return vector::fma(power, growth(exponent), power);
  }
  // The same, less 2**(i / 16), in units of that.
  template <class V>
  NPP_FUNCTION static V growth(Exponent<V> exponent) {
    const V f = exponent.fraction, square = f * f;
    const V more = vector::polynomial_of_pairs(f, square, 0x1.0000000000005p-1,
                                               0x1.555555548f875p-3, 0x1.555555545ea55p-5,
                                               0x1.11123aafa368ep-7, 0x1.6c185e1490761p-10);
    return vector::fma(square, more,
                       f + vector::lookup<V>(kPowerRests, vector::bits_of(exponent.rounded)));
  }

  template <class I>
  NPP_FUNCTION static I integer(I rounded) {
    return (rounded - bit_cast<int64>(kRounder)) >> 4;
  }
};

}  // namespace npp::vector_math
