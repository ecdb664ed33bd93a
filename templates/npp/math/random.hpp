// Stateless random numbers from a seed and an index: identical bits on every target, because only +
// - * / and sqrt are used.
#pragma once

#include "npp/core/builtin.hpp"

// Ten rounds are expensive to compile. In a kernel's loop they are never vectorized, so that one
// copy serves all calls.
#if defined(NPP_HAS_LOOPS) && !NPP_DEVICE
#define NPP_ROUNDS_FUNCTION __attribute__((noinline)) static
#else
#define NPP_ROUNDS_FUNCTION NPP_FUNCTION
#endif

namespace npp {

// ---- Philox 4x32-10

// Four words of random bits per counter and key: Salmon, Moraes, Dror and Shaw, "Parallel random
// numbers: as easy as 1, 2, 3" (2011).
struct PhiloxBlock {
  uint32 words[4];
};

NPP_FUNCTION constexpr PhiloxBlock philox_round(const PhiloxBlock& block, uint32 key0,
                                                uint32 key1) {
  const uint64 product0 = uint64(0xD2511F53u) * block.words[0];
  const uint64 product1 = uint64(0xCD9E8D57u) * block.words[2];
  return {{uint32(product1 >> 32) ^ block.words[1] ^ key0, uint32(product1),
           uint32(product0 >> 32) ^ block.words[3] ^ key1, uint32(product0)}};
}

NPP_ROUNDS_FUNCTION constexpr PhiloxBlock philox(PhiloxBlock counter, uint64 key) {
  uint32 key0 = uint32(key);
  uint32 key1 = uint32(key >> 32);
  for (int round = 0; round < 10; ++round) {
    counter = philox_round(counter, key0, key1);
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return counter;
}

// The block of a seed and an index: the index is the lower half of the counter.
NPP_FUNCTION constexpr PhiloxBlock random_block(uint64 seed, uint64 index) {
  return philox({{uint32(index), uint32(index >> 32), 0, 0}}, seed);
}

NPP_FUNCTION constexpr uint64 random_bits(uint64 seed, uint64 index) {
  const PhiloxBlock block = random_block(seed, index);
  return uint64(block.words[1]) << 32 | block.words[0];
}

// ---- uniform

// The upper 53 bits: all numbers k / 2**53 are equally likely.
NPP_FUNCTION constexpr double random_uniform(uint64 seed, uint64 index) {
  return double(int64(random_bits(seed, index) >> 11)) * 0x1p-53;
}

// ---- normal

namespace random_detail {

template <int count>
NPP_FUNCTION constexpr double polynomial(const double (&coefficients)[count], double x) {
  double sum = coefficients[count - 1];
  for (int i = count - 2; i >= 0; --i) sum = sum * x + coefficients[i];
  return sum;
}

// The logarithm of a normal number, 2 ulp: series of the inverse hyperbolic tangent.
NPP_FUNCTION constexpr double logarithm(double x) {
  const uint64 bits = __builtin_bit_cast(uint64, x);
  // Approximately from sqrt(1/2) to sqrt(2).
  constexpr uint64 kHalfway = 0x0006a09e667f3bcdul;
  const bool is_large = (bits & 0x000ffffffffffffful) >= kHalfway;
  const int64 exponent = int64(bits >> 52) - 1023 + (is_large ? 1 : 0);
  const uint64 mantissa =
      (bits & 0x000ffffffffffffful) | (is_large ? 0x3fe0000000000000ul : 0x3ff0000000000000ul);
  const double m = __builtin_bit_cast(double, mantissa);
  const double f = (m - 1.0) / (m + 1.0);
  constexpr double kOdd[] = {1.0,        1.0 / 3.0,  1.0 / 5.0,  1.0 / 7.0,
                             1.0 / 9.0,  1.0 / 11.0, 1.0 / 13.0, 1.0 / 15.0,
                             1.0 / 17.0, 1.0 / 19.0, 1.0 / 21.0, 1.0 / 23.0};
  return double(exponent) * 0.693147180559945309417 + 2.0 * f * polynomial(kOdd, f * f);
}

template <int count>
NPP_FUNCTION constexpr double quotient(const double (&above)[count], const double (&below)[count],
                                       double x) {
  return polynomial(above, x) / polynomial(below, x);
}

// Quantile of the normal distribution at 1/2 + q, for |q| < 1/2: Wichura, "Algorithm AS 241: the
// percentage points of the normal distribution" (1988), PPND16.
NPP_FUNCTION double normal_quantile(double q) {
  constexpr double kCenterAbove[] = {3.3871328727963666080e0, 1.3314166789178437745e2,
                                     1.9715909503065514427e3, 1.3731693765509461125e4,
                                     4.5921953931549871457e4, 6.7265770927008700853e4,
                                     3.3430575583588128105e4, 2.5090809287301226727e3};
  constexpr double kCenterBelow[] = {1.0,
                                     4.2313330701600911252e1,
                                     6.8718700749205790830e2,
                                     5.3941960214247511077e3,
                                     2.1213794301586595867e4,
                                     3.9307895800092710610e4,
                                     2.8729085735721942674e4,
                                     5.2264952788528545610e3};
  constexpr double kMiddleAbove[] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                     5.76949722146069140550e0,  3.64784832476320460504e0,
                                     1.27045825245236838258e0,  2.41780725177450611770e-1,
                                     2.27238449892691845833e-2, 7.74545014278341407640e-4};
  constexpr double kMiddleBelow[] = {1.0,
                                     2.05319162663775882187e0,
                                     1.67638483018380384940e0,
                                     6.89767334985100004550e-1,
                                     1.48103976427480074590e-1,
                                     1.51986665636164571966e-2,
                                     5.47593808499534494600e-4,
                                     1.05075007164441684324e-9};
  constexpr double kTailAbove[] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                   1.78482653991729133580e0,  2.96560571828504891230e-1,
                                   2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                   2.71155556874348757815e-5, 2.01033439929228813265e-7};
  constexpr double kTailBelow[] = {1.0,
                                   5.99832206555887937690e-1,
                                   1.36929880922735805310e-1,
                                   1.48753612908506148525e-2,
                                   7.86869131145613259100e-4,
                                   1.84631831751005468180e-5,
                                   1.42151175831644588870e-7,
                                   2.04426310338993978564e-15};
  const double distance = q < 0.0 ? -q : q;
  if (distance <= 0.425) return q * quotient(kCenterAbove, kCenterBelow, 0.180625 - q * q);
  const double r = builtin::sqrt(-logarithm(0.5 - distance));
  const double x = r <= 5.0 ? quotient(kMiddleAbove, kMiddleBelow, r - 1.6)
                            : quotient(kTailAbove, kTailBelow, r - 5.0);
  return q < 0.0 ? -x : x;
}

}  // namespace random_detail

// From the other two words of the block, so that it is independent of random_uniform.
NPP_FUNCTION double random_normal(uint64 seed, uint64 index) {
  const PhiloxBlock block = random_block(seed, index);
  const uint64 bits = uint64(block.words[3]) << 32 | block.words[2];
  // Midpoints of 2**52 equal parts of (-1/2, 1/2): all exact, none at an end.
  const double q = (double(int64(bits >> 12)) + 0.5) * 0x1p-52 - 0.5;
  return random_detail::normal_quantile(q);
}

}  // namespace npp
