// Approximate instructions: bounds of PTX's documentation, its tables of special cases, and
// identical bits from every build of the handlers.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "simulator/handlers/inputs.hpp"
#include "simulator/handlers/runner.hpp"

namespace numpy_plugin::sim {
namespace {

// Every float whose bits are a multiple of an odd number: about a million of them.
constexpr std::uint32_t kStride = 4099;

float single(std::uint64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
std::uint64_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

// The distance from this value to the next float.
long double unit_of(long double value) {
  if (value == 0) return 0x1p-149L;
  return std::ldexp(1.0L, std::max(std::ilogb(value), -126) - 23);
}

// The largest error over all floats of the stride, by the given measure.
long double largest_error(const std::string& mnemonic,
                          const std::function<long double(float a, float result)>& measure) {
  std::vector<InstructionRunner> runners;
  for (const HostIsa isa : usable_isas()) runners.emplace_back(mnemonic, isa);
  long double largest = 0;
  Inputs inputs;
  inputs.sources.resize(1);
  for (std::uint64_t first = 0; first < std::uint64_t{1} << 32; first += kWarpSize * kStride) {
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
      inputs.sources[0][lane] = (first + lane * kStride) & 0xffff'ffff;
    }
    runners[0].run(inputs);
    const Lanes results = runners[0].results();
    for (std::size_t other = 1; other < runners.size(); ++other) {
      runners[other].run(inputs);
      EXPECT_EQ(runners[other].results(), results) << mnemonic;
    }
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
      largest = std::max(largest, measure(single(inputs.sources[0][lane]), single(results[lane])));
    }
  }
  testing::Test::RecordProperty(mnemonic, std::to_string(static_cast<double>(largest)));
  return largest;
}

bool is_finite(float value) { return std::isfinite(value); }

TEST(handlers_approximate, ex2_is_within_2_units) {
  const auto error = [](float a, float result) -> long double {
    const long double exact = std::exp2(static_cast<long double>(a));
    if (!is_finite(a) || exact >= 0x1p128L) return 0;
    return std::fabs(result - exact) / unit_of(exact);
  };
  EXPECT_LT(largest_error("ex2.approx.f32", error), 0.51L);
}

// The largest error over all numbers of a narrow type, relative to the result.
long double largest_narrow_error(const std::string& mnemonic, const exact::Format& format,
                                 long double (*function)(long double)) {
  long double largest = 0;
  const auto value_of = [&](std::uint64_t bits) {
    const exact::Number number = exact::decode(bits, format);
    const auto magnitude = static_cast<long double>(number.magnitude);
    return std::ldexp(number.is_negative ? -magnitude : magnitude, number.exponent);
  };
  for (const HostIsa isa : usable_isas()) {
    InstructionRunner runner(mnemonic, isa);
    Inputs inputs;
    inputs.sources.resize(1);
    for (std::uint64_t first = 0; first < 0x1'0000; first += kWarpSize) {
      for (std::size_t lane = 0; lane < kWarpSize; ++lane) inputs.sources[0][lane] = first + lane;
      runner.run(inputs);
      const Lanes results = runner.results();
      for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
        const std::uint64_t source = first + lane;
        const long double wanted = function(value_of(source));
        const long double least = value_of(std::uint64_t{1} << format.fraction_bits);
        const long double most = value_of(format.infinity() - 1);
        const exact::Number number = exact::decode(source, format);
        if (number.is_nan || number.is_infinite || wanted < least || wanted > most) continue;
        largest = std::max(largest, std::fabs(value_of(results[lane]) - wanted) / wanted);
      }
    }
  }
  return largest;
}

TEST(handlers_approximate, ex2_of_narrow_types_is_rounded_once) {
  const auto power = [](long double a) { return std::exp2(a); };
  EXPECT_LT(largest_narrow_error("ex2.approx.f16", exact::kHalf, power), 0x1.01p-11L);
  EXPECT_LT(largest_narrow_error("ex2.approx.ftz.bf16", exact::kBrainHalf, power), 0x1.01p-8L);
}

TEST(handlers_approximate, lg2_is_within_2_to_the_minus_22) {
  const auto error = [](float a, float result) -> long double {
    if (!is_finite(a) || a <= 0) return 0;
    const long double exact = std::log2(static_cast<long double>(a));
    const long double scale = a > 0.5f && a < 2 ? 1 : std::fabs(exact);
    return std::fabs(result - exact) / scale;
  };
  EXPECT_LT(largest_error("lg2.approx.f32", error), 0x1p-23L);
}

TEST(handlers_approximate, sin_and_cos_are_within_2_to_the_minus_20_in_two_turns) {
  const auto error_of = [](long double (*function)(long double)) {
    return [function](float a, float result) -> long double {
      if (!is_finite(a) || std::fabs(a) > 100 * std::numbers::pi_v<float>) return 0;
      return std::fabs(result - function(a));
    };
  };
  EXPECT_LT(largest_error("sin.approx.f32", error_of(std::sin)), 0x1p-24L);
  EXPECT_LT(largest_error("cos.approx.f32", error_of(std::cos)), 0x1p-24L);
}

TEST(handlers_approximate, sin_and_cos_of_large_angles_stay_within_one) {
  const auto magnitude = [](float a, float result) -> long double {
    return is_finite(a) ? std::fabs(result) : 0;
  };
  EXPECT_LE(largest_error("sin.approx.ftz.f32", magnitude), 1);
  EXPECT_LE(largest_error("cos.approx.ftz.f32", magnitude), 1);
}

TEST(handlers_approximate, tanh_is_within_2_to_the_minus_11_of_itself) {
  const auto error = [](float a, float result) -> long double {
    if (!is_finite(a) || a == 0) return 0;
    const long double exact = std::tanh(static_cast<long double>(a));
    return std::fabs(result - exact) / std::max(std::fabs(exact), 0x1p-126L);
  };
  EXPECT_LT(largest_error("tanh.approx.f32", error), 0x1p-23L);
}

TEST(handlers_approximate, reciprocals_and_roots_are_rounded_once) {
  const auto within = [](long double (*function)(long double)) {
    return [function](float a, float result) -> long double {
      const long double exact = function(a);
      if (!is_finite(a) || a == 0 || !std::isfinite(exact) || std::fabs(exact) >= 0x1p128L)
        return 0;
      return std::fabs(result - exact) / unit_of(exact);
    };
  };
  EXPECT_LE(largest_error("rcp.approx.f32", within([](long double a) { return 1 / a; })), 0.5L);
  EXPECT_LE(largest_error("sqrt.approx.f32", within([](long double a) { return std::sqrt(a); })),
            0.5L);
}

TEST(handlers_approximate, rsqrt_is_within_2_to_the_minus_22_9_of_itself) {
  const auto error = [](float a, float result) -> long double {
    if (!is_finite(a) || a <= 0) return 0;
    return std::fabs(result * std::sqrt(static_cast<long double>(a)) - 1);
  };
  EXPECT_LT(largest_error("rsqrt.approx.f32", error), 0x1p-23L);
}

void check(const char* mnemonic, const std::vector<std::pair<std::uint64_t, std::uint64_t>>& rows) {
  for (const HostIsa isa : usable_isas()) {
    InstructionRunner runner(mnemonic, isa);
    for (const auto& [source, result] : rows) {
      Inputs inputs;
      inputs.sources.resize(1);
      inputs.sources[0].fill(source);
      runner.run(inputs);
      const std::uint64_t found = runner.results()[5];
      const Type type = runner.shape().mnemonic.operation.type;
      const exact::Format format = exact::format_of(type);
      const bool are_both_nan =
          exact::decode(found, format).is_nan && exact::decode(result, format).is_nan;
      EXPECT_TRUE(found == result || are_both_nan) << mnemonic << " of " << std::hex << source
                                                   << " gave " << found << " on " << name_of(isa);
    }
  }
}

constexpr std::uint64_t kInfinity = 0x7f80'0000;
constexpr std::uint64_t kMinusInfinity = 0xff80'0000;
constexpr std::uint64_t kMinusZero = 0x8000'0000;
constexpr std::uint64_t kOne = 0x3f80'0000;
constexpr std::uint64_t kMinusOne = 0xbf80'0000;
constexpr std::uint64_t kNan = 0x7fff'ffff;
constexpr std::uint64_t kTiny = 1;

TEST(handlers_approximate, special_cases_are_those_of_the_tables) {
  check("ex2.approx.f32", {{kMinusInfinity, 0},
                           {kMinusZero, kOne},
                           {0, kOne},
                           {kInfinity, kInfinity},
                           {kNan, kNan},
                           {kTiny, kOne},
                           {bits_of(-149), kTiny},
                           {bits_of(128), kInfinity},
                           {bits_of(-1e30f), 0},
                           {bits_of(-127), 0x0040'0000}});
  check("ex2.approx.ftz.f32", {{bits_of(-127), 0}, {bits_of(-126), 0x0080'0000}});
  check("lg2.approx.f32", {{kMinusInfinity, kNan},
                           {kMinusOne, kNan},
                           {kMinusZero, kMinusInfinity},
                           {0, kMinusInfinity},
                           {kInfinity, kInfinity},
                           {kNan, kNan},
                           {kTiny, bits_of(-149)},
                           {kOne, 0},
                           {bits_of(8), bits_of(3)}});
  check("lg2.approx.ftz.f32", {{kTiny, kMinusInfinity}});
  check("sin.approx.f32", {{kMinusInfinity, kNan},
                           {kMinusZero, kMinusZero},
                           {0, 0},
                           {kInfinity, kNan},
                           {kNan, kNan},
                           {kTiny, kTiny}});
  check("sin.approx.ftz.f32", {{kTiny, 0}, {kTiny | kMinusZero, kMinusZero}});
  check("cos.approx.f32",
        {{kMinusInfinity, kNan}, {kMinusZero, kOne}, {0, kOne}, {kInfinity, kNan}, {kNan, kNan}});
  check("rcp.approx.f32", {{kMinusInfinity, kMinusZero},
                           {kMinusZero, kMinusInfinity},
                           {0, kInfinity},
                           {kInfinity, 0},
                           {kNan, kNan},
                           {kTiny, kInfinity}});
  check("rcp.approx.ftz.f32", {{kTiny, kInfinity}, {0x7f00'0001, 0}});
  check("sqrt.approx.f32", {{kMinusInfinity, kNan},
                            {kMinusOne, kNan},
                            {kMinusZero, kMinusZero},
                            {0, 0},
                            {kInfinity, kInfinity},
                            {kNan, kNan}});
  check("sqrt.approx.ftz.f32", {{kTiny, 0}});
  check("rsqrt.approx.f32", {{kMinusInfinity, kNan},
                             {kMinusOne, kNan},
                             {kMinusZero, kMinusInfinity},
                             {0, kInfinity},
                             {kInfinity, 0},
                             {kNan, kNan},
                             {bits_of(4), bits_of(0.5f)}});
  check("tanh.approx.f32", {{kMinusInfinity, kMinusOne},
                            {kMinusZero, kMinusZero},
                            {0, 0},
                            {kInfinity, kOne},
                            {kNan, kNan},
                            {kTiny, kTiny}});
  check("tanh.approx.f16",
        {{0xfc00, 0xbc00}, {0x8000, 0x8000}, {0, 0}, {0x7c00, 0x3c00}, {0x7e00, 0x7fff}, {1, 1}});
  check("tanh.approx.bf16x2", {{0xff80'7f80, 0xbf80'3f80}, {0x8000'0000, 0x8000'0000}});
}

std::uint64_t bits_of(double value) { return std::bit_cast<std::uint64_t>(value); }

TEST(handlers_approximate, upper_words_of_doubles_are_what_is_read_and_written) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  const std::uint64_t infinity = bits_of(std::numeric_limits<double>::infinity());
  const std::uint64_t nan = 0x7fff'ffff'0000'0000;
  check("rcp.approx.ftz.f64", {{infinity | kSign, kSign},
                               {kSign | 1, infinity | kSign},
                               {kSign, infinity | kSign},
                               {0, infinity},
                               {1, infinity},
                               {0x000f'ffff'0000'0000, infinity},
                               {infinity, 0},
                               {nan, nan},
                               {bits_of(2.0) | 0xffff'ffff, bits_of(0.5)},
                               {bits_of(0x1p1023), 0},
                               {bits_of(0x1p1022), bits_of(0x1p-1022)}});
  check("rsqrt.approx.ftz.f64", {{infinity | kSign, nan},
                                 {bits_of(-1.0), nan},
                                 {kSign | 1, infinity | kSign},
                                 {kSign, infinity | kSign},
                                 {0, infinity},
                                 {1, infinity},
                                 {infinity, 0},
                                 {nan, nan},
                                 {bits_of(4.0) | 0xffff'ffff, bits_of(0.5)}});
  check("rsqrt.approx.f64", {{bits_of(-1.0), nan},
                             {kSign, infinity | kSign},
                             {0, infinity},
                             {infinity, 0},
                             {bits_of(0x1p-1074), bits_of(0x1p537)}});
}

TEST(handlers_approximate, doubles_are_as_good_as_their_upper_words_allow) {
  InputMaker maker(1);
  for (int round = 0; round < 200; ++round) {
    Inputs inputs;
    inputs.sources.resize(1);
    for (std::uint64_t& lane : inputs.sources[0]) {
      lane = (maker.bits() >> 2) + (std::uint64_t{1} << 61);  // close to one
    }
    for (const HostIsa isa : usable_isas()) {
      InstructionRunner reciprocal("rcp.approx.ftz.f64", isa);
      InstructionRunner root("rsqrt.approx.ftz.f64", isa);
      reciprocal.run(inputs);
      root.run(inputs);
      for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
        const double a = std::bit_cast<double>(inputs.sources[0][lane] & ~0xffff'ffffull);
        const std::uint64_t inverse = reciprocal.results()[lane];
        const std::uint64_t inverse_root = root.results()[lane];
        ASSERT_EQ(inverse & 0xffff'ffff, 0u);
        ASSERT_EQ(inverse_root & 0xffff'ffff, 0u);
        ASSERT_NEAR(std::bit_cast<double>(inverse) * a, 1, 0x1.01p-21);
        ASSERT_NEAR(std::bit_cast<double>(inverse_root) * std::sqrt(a), 1, 0x1.01p-21);
      }
    }
  }
}

TEST(handlers_approximate, tanh_of_narrow_types_is_within_its_bound) {
  for (const bool is_half : {true, false}) {
    const exact::Format format = is_half ? exact::kHalf : exact::kBrainHalf;
    const long double bound = is_half ? std::exp2(-10.987L) : 0x1p-8L;
    for (const HostIsa isa : usable_isas()) {
      InstructionRunner runner(is_half ? "tanh.approx.f16" : "tanh.approx.bf16", isa);
      for (std::uint64_t first = 0; first < 0x10000; first += kWarpSize) {
        Inputs inputs;
        inputs.sources.resize(1);
        for (std::size_t lane = 0; lane < kWarpSize; ++lane) inputs.sources[0][lane] = first + lane;
        runner.run(inputs);
        const Lanes results = runner.results();
        for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
          const exact::Number a = exact::decode(first + lane, format);
          if (a.is_nan || a.is_infinite) continue;
          const auto value = [&](std::uint64_t bits) {
            const std::uint64_t wide =
                exact::encode(exact::decode(bits, format), exact::kSingle, Rounding::kNearest);
            return static_cast<long double>(single(wide));
          };
          ASSERT_LE(std::fabs(value(results[lane]) - std::tanh(value(first + lane))), bound);
        }
      }
    }
  }
}

TEST(handlers_approximate, division_is_within_2_units_and_loses_the_largest_divisors) {
  InputMaker maker(2);
  for (int round = 0; round < 400; ++round) {
    Inputs inputs;
    inputs.sources.resize(2);
    for (Lanes& source : inputs.sources) {
      for (std::uint64_t& lane : source) lane = maker.floating(exact::kSingle);
    }
    for (const HostIsa isa : usable_isas()) {
      InstructionRunner approximate("div.approx.f32", isa);
      InstructionRunner full("div.full.f32", isa);
      approximate.run(inputs);
      full.run(inputs);
      for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
        const float a = single(inputs.sources[0][lane]);
        const float b = single(inputs.sources[1][lane]);
        if (!is_finite(a) || !is_finite(b) || b == 0) continue;
        const long double exact = static_cast<long double>(a) / b;
        if (std::fabs(exact) >= 0x1p128L) continue;
        const long double unit = unit_of(exact);
        ASSERT_LE(std::fabs(single(full.results()[lane]) - exact), 2 * unit) << a << " / " << b;
        const float found = single(approximate.results()[lane]);
        if (std::fabs(b) > 0x1p126f) {
          ASSERT_EQ(found, 0.0f) << a << " / " << b;
          ASSERT_EQ(std::signbit(found), std::signbit(a) != std::signbit(b));
        } else {
          ASSERT_LE(std::fabs(found - exact), 2 * unit) << a << " / " << b;
        }
      }
    }
  }
}

TEST(handlers_approximate, division_of_infinity_by_the_largest_is_no_number) {
  for (const HostIsa isa : usable_isas()) {
    InstructionRunner runner("div.approx.f32", isa);
    Inputs inputs;
    inputs.sources.resize(2);
    inputs.sources[0].fill(kInfinity);
    inputs.sources[1].fill(bits_of(0x1.8p126f));
    runner.run(inputs);
    EXPECT_TRUE(std::isnan(single(runner.results()[0])));
  }
}

}  // namespace
}  // namespace numpy_plugin::sim
