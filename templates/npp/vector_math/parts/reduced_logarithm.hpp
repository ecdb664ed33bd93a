// log(x) = k log(2) - log(c) + log(1 + r), x = 2**k m, r = m c - 1 for a short c near 1/m from a
// table, after P. T. P. Tang, "Table-driven implementation of the logarithm function", ACM TOMS 16
// (1990). Floats need no table: c is 1, and m between 3/4 and 3/2.
#pragma once

#include "npp/vector/scaling.hpp"
#include "npp/vector/tables.hpp"

namespace npp::vector_math {

using vector::all;
using vector::Bits;
using vector::Element;
using vector::kRounder;
using vector::select;

// Of the intervals of m from 1 + i / 16 on: c has at most 7 digits; -log(c) is a sum, whose first
// part and that of log(2) have 40 digits after the point.
NPP_TABLE double kInverses[16] = {0x1p0,     0x1.d4p-1, 0x1.bcp-1, 0x1.a4p-1, 0x1.9p-1,  0x1.7cp-1,
                                  0x1.6cp-1, 0x1.5cp-1, 0x1.5p-1,  0x1.4p-1,  0x1.34p-1, 0x1.28p-1,
                                  0x1.2p-1,  0x1.14p-1, 0x1.0cp-1, 0x1p-1};
NPP_TABLE double kInverseLogs[16] = {0x0p0,
                                     0x1.700d30aebp-4,
                                     0x1.23d712a4ap-3,
                                     0x1.95a5adcf7p-3,
                                     0x1.f991c6cb38p-3,
                                     0x1.314f1e1d34p-2,
                                     0x1.5d5bddf594p-2,
                                     0x1.8b639a88b4p-2,
                                     0x1.af5295248cp-2,
                                     0x1.e148a1a274p-2,
                                     0x1.04360be76p-1,
                                     0x1.188ee40f24p-1,
                                     0x1.269621134ep-1,
                                     0x1.3c6080c36cp-1,
                                     0x1.4b6fd6f97p-1,
                                     0x1.62e42fefa4p-1};
NPP_TABLE double kInverseLogRests[16] = {0x0p0,
                                         -0x1.f8f85c959884bp-43,
                                         -0x1.eff2dc702c20ap-42,
                                         0x1.7f22858a0ff6fp-47,
                                         0x1.9bcbecca0cdf3p-42,
                                         0x1.ce3b0a59bd869p-42,
                                         0x1.f2fa6afbadcd1p-42,
                                         -0x1.20b5c3cbce08ep-42,
                                         0x1.ba0ceab622eeap-43,
                                         -0x1.9326b20732293p-42,
                                         0x1.d6774030d58c4p-44,
                                         -0x1.accec41d52e6cp-44,
                                         -0x1.1b61f10522625p-43,
                                         -0x1.2b7367cfe13c2p-47,
                                         0x1.83ee22bda98a8p-42,
                                         -0x1.8432a1b0e2634p-43};

// A number's k, m c - 1, c, and -log(c).
template <class V>
struct Reduced {
  V k, r, inverse, log, log_rest;
};

template <class T>
struct LogarithmParts;
template <>
struct LogarithmParts<float> {
  // log(2) is a sum, too: k times its first part is exact.
  static constexpr float kLog2 = 0x1.62e4p-1f, kLog2Rest = 0x1.7f7d1cp-20f;
  static constexpr float kFromSubnormal = 0x1p24f;
  static constexpr int kShift = 24;
  // (log(1 + r) - r) / r**2.
  template <class V>
  NPP_FUNCTION static V series(V r) {
    return vector::polynomial(r, -0.5f, 0x1.5555acp-2f, -0x1.000082p-2f, 0x1.99671cp-3f,
                              -0x1.54d6b6p-3f, 0x1.2870dap-3f, -0x1.0e6a24p-3f, 0x1.b143fcp-4f,
                              -0x1.78408p-5f);
  }
  template <class V>
  NPP_FUNCTION static Reduced<V> reduced(V k, V m) {
    return {k, m - 1, all<V>(1), V{}, V{}};
  }
  // Of normal numbers; others give finite results.
  template <class V>
  NPP_FUNCTION static Reduced<V> reduce_normal(V x) {
    const Bits<V> exponent = (vector::bits_of(x) - 0x3f400000) & ~0x7fffff;
    return reduced(vector::convert<V>(exponent) * 0x1p-23f,
                   vector::from_bits<V>(vector::bits_of(x) - exponent));
  }
};
template <>
struct LogarithmParts<double> {
  static constexpr double kLog2 = 0x1.62e42fefa4p-1, kLog2Rest = -0x1.8432a1b0e2634p-43;
  static constexpr double kFromSubnormal = 0x1p53;
  static constexpr int kShift = 53;
  template <class V>
  NPP_FUNCTION static V series(V r) {
    return vector::polynomial(r, -0x1.0000000000003p-1, 0x1.5555555555eb9p-2, -0x1.ffffffffecb0bp-3,
                              0x1.9999998174c6bp-3, -0x1.555554e497fc5p-3, 0x1.2492d7e33dafap-3,
                              -0x1.000940ab80db1p-3, 0x1.c565bb51bf9f8p-4, -0x1.65a8bd9f0d07ap-4);
  }
  template <class V>
  NPP_FUNCTION static Reduced<V> reduced(V k, V m) {
    const Bits<V> index = vector::bits_of(m) >> 48;
    const V inverse = vector::lookup<V>(kInverses, index);
    return {k, vector::fma(m, inverse, all<V>(-1)), inverse, vector::lookup<V>(kInverseLogs, index),
            vector::lookup<V>(kInverseLogRests, index)};
  }
  template <class V>
  NPP_FUNCTION static Reduced<V> reduce_normal(V x) {
    const Bits<V> bits = vector::bits_of(x);
    const Bits<V> mantissa = (bits & 0xfffffffffffff) | vector::bits_of(all<V>(1));
    return reduced(vector::to_number<V>((bits >> 52) - 1023), vector::from_bits<V>(mantissa));
  }
};

// Of positive numbers; others give results without flags.
template <class V>
NPP_FUNCTION Reduced<V> reduce_logarithm(V x) {
  using Parts = LogarithmParts<Element<V>>;
#if NPP_NATIVE_VECTOR_BYTES == 64
  // 4: without the sign; 7: between 3/4 and 3/2.
  if constexpr (vector::kHasScaling<V> && sizeof(Element<V>) == 4) {
    const V m = __builtin_ia32_getmantps512_mask(x, 7, x, vector::kAllFloats, 4);
    return Parts::reduced(__builtin_ia32_getexpps512_mask(x, x, vector::kAllFloats, 4) -
                              __builtin_ia32_getexpps512_mask(m, m, vector::kAllFloats, 4),
                          m);
  } else if constexpr (vector::kHasScaling<V>) {
    return Parts::reduced(__builtin_ia32_getexppd512_mask(x, x, vector::kAllDoubles, 4),
                          __builtin_ia32_getmantpd512_mask(x, 4, x, vector::kAllDoubles, 4));
  } else
#endif
  {
    constexpr Element<Bits<V>> kNormal = Element<Bits<V>>(1) << Limits<Element<V>>::kMantissaBits;
    const Bits<V> is_subnormal = vector::within(vector::bits_of(x), 0, kNormal);
    Reduced<V> found =
        Parts::reduce_normal(x * select(is_subnormal, all<V>(Parts::kFromSubnormal), all<V>(1)));
    found.k = found.k - select(is_subnormal, all<V>(Element<V>(Parts::kShift)), V{});
    return found;
  }
}

// log(x) = high + low, relative error 2**-27 or 2**-56.
template <class V>
struct LogarithmSum {
  V high, low;
};
template <class V>
NPP_FUNCTION LogarithmSum<V> logarithm_sum(Reduced<V> x) {
  using Parts = LogarithmParts<Element<V>>;
  const V large = vector::fma(x.k, all<V>(Parts::kLog2), x.log);
  const V high = large + x.r;
  const V small = vector::fma(x.k, all<V>(Parts::kLog2Rest), x.log_rest) + ((large - high) + x.r);
  return {high, vector::fma(x.r * x.r, Parts::series(x.r), small)};
}

}  // namespace npp::vector_math
