// Results derived by hand from PTX's documentation, one row each.
#include <gtest/gtest.h>

#include "simulator/handlers/runner.hpp"

namespace numpy_plugin::sim {
namespace {

struct Row {
  const char* mnemonic;
  std::vector<std::uint64_t> sources;
  std::uint64_t result;
};

void check(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    for (const HostIsa isa : usable_isas()) {
      const std::size_t n_sources = find_mnemonic(row.mnemonic)->form->sources.size();
      InstructionRunner runner(row.mnemonic, isa, row.sources.size() == n_sources);
      Inputs inputs;
      ASSERT_EQ(row.sources.size(), runner.shape().sources.size()) << row.mnemonic;
      for (const std::uint64_t source : row.sources) {
        inputs.sources.emplace_back().fill(source);
      }
      runner.run(inputs);
      Lanes expected;
      expected.fill(row.result);
      EXPECT_EQ(runner.results(), expected)
          << row.mnemonic << " of " << std::hex << row.sources[0] << " on " << name_of(isa);
    }
  }
}

TEST(handlers_known_values, of_prmt) {
  check({{"prmt.b32", {0x3322'1100, 0x7766'5544, 0x3210}, 0x3322'1100},
         {"prmt.b32", {0x3322'1100, 0x7766'5544, 0x7654}, 0x7766'5544},
         {"prmt.b32", {0x3322'1100, 0x7766'5544, 0x0123}, 0x0011'2233},
         {"prmt.b32", {0x3322'1100, 0x7766'5544, 0x7531}, 0x7755'3311},
         {"prmt.b32", {0x8000'0080, 0, 0xba98}, 0xff00'00ff},
         {"prmt.b32", {0x1234'5678, 0x9abc'def0, 0xffff'fff4}, 0xffff'fff0}});
}

TEST(handlers_known_values, of_lop3) {
  const std::uint64_t a = 0xf0f0'f0f0, b = 0xcccc'cccc, c = 0xaaaa'aaaa;
  check({{"lop3.b32", {a, b, c, 0x80}, a & b & c},
         {"lop3.b32", {a, b, c, 0xfe}, a | b | c},
         {"lop3.b32", {a, b, c, 0x96}, a ^ b ^ c},
         {"lop3.b32", {a, b, c, 0xea}, (a & b) | c},
         {"lop3.b32", {a, b, c, 0x40}, a & b & ~c},
         {"lop3.b32", {a, b, c, 0xca}, (a & b) | (~a & c & 0xffff'ffff)},
         {"lop3.b32", {a, b, c, 0}, 0},
         {"lop3.b32", {a, b, c, 0xff}, 0xffff'ffff}});
}

TEST(handlers_known_values, of_bit_fields) {
  check({{"bfe.u32", {0x1234'5678, 8, 8}, 0x56},
         {"bfe.u32", {0xffff'ffff, 28, 8}, 0xf},
         {"bfe.u32", {0xffff'ffff, 32, 8}, 0},
         {"bfe.u32", {0xffff'ffff, 0, 0}, 0},
         {"bfe.u32", {0xdead'beef, 0, 32}, 0xdead'beef},
         {"bfe.u32", {0xdead'beef, 0x104, 0x108}, 0xee},
         {"bfe.s32", {0x80, 0, 8}, 0xffff'ff80},
         {"bfe.s32", {0x80, 0, 9}, 0x80},
         {"bfe.s32", {0x8000'0000, 31, 4}, 0xffff'ffff},
         {"bfe.s32", {0x8000'0000, 40, 4}, 0xffff'ffff},
         {"bfe.s32", {0x8000'0000, 40, 0}, 0},
         {"bfe.u64", {0x0123'4567'89ab'cdef, 32, 16}, 0x4567},
         {"bfe.s64", {0x0000'8000'0000'0000, 40, 8}, 0xffff'ffff'ffff'ff80},
         {"bfi.b32", {0xff, 0, 8, 4}, 0xf00},
         {"bfi.b32", {0, 0xffff'ffff, 28, 8}, 0x0fff'ffff},
         {"bfi.b32", {0, 0xffff'ffff, 32, 8}, 0xffff'ffff},
         {"bfi.b64", {0xabcd, 0x1111'1111'1111'1111, 48, 16}, 0xabcd'1111'1111'1111},
         {"bfi.b64", {5, 7, 0, 64}, 5}});
}

TEST(handlers_known_values, of_shifts) {
  check({{"shl.b32", {1, 31}, 0x8000'0000},
         {"shl.b32", {1, 32}, 0},
         {"shl.b32", {1, 0xffff'ffff}, 0},
         {"shl.b16", {0x1234, 8}, 0x3400},
         {"shr.u32", {0x8000'0000, 31}, 1},
         {"shr.u32", {0x8000'0000, 32}, 0},
         {"shr.s32", {0x8000'0000, 64}, 0xffff'ffff},
         {"shr.s64", {0x8000'0000'0000'0000, 63}, 0xffff'ffff'ffff'ffff},
         {"shf.l.clamp.b32", {0x89ab'cdef, 0x0123'4567, 8}, 0x2345'6789},
         {"shf.l.clamp.b32", {0x89ab'cdef, 0x0123'4567, 40}, 0x89ab'cdef},
         {"shf.l.wrap.b32", {0x89ab'cdef, 0x0123'4567, 40}, 0x2345'6789},
         {"shf.r.clamp.b32", {0x89ab'cdef, 0x0123'4567, 8}, 0x6789'abcd},
         {"shf.r.clamp.b32", {0x89ab'cdef, 0x0123'4567, 32}, 0x0123'4567},
         {"shf.r.wrap.b32", {0x89ab'cdef, 0x0123'4567, 32}, 0x89ab'cdef}});
}

TEST(handlers_known_values, of_counting) {
  check({{"popc.b32", {0xf00f'0001}, 9},
         {"popc.b64", {~std::uint64_t{0}}, 64},
         {"clz.b32", {0}, 32},
         {"clz.b32", {1}, 31},
         {"clz.b64", {0}, 64},
         {"brev.b32", {1}, 0x8000'0000},
         {"brev.b64", {0xf}, 0xf000'0000'0000'0000},
         {"bfind.u32", {0}, 0xffff'ffff},
         {"bfind.u32", {0x100}, 8},
         {"bfind.s32", {0xffff'ffff}, 0xffff'ffff},
         {"bfind.s32", {0xffff'fe00}, 8},
         {"bfind.shiftamt.u32", {0x100}, 23},
         {"bfind.shiftamt.u32", {0}, 0xffff'ffff},
         {"bfind.s64", {0x8000'0000'0000'0000}, 62}});
}

TEST(handlers_known_values, of_sums_over_bytes) {
  check({{"dp4a.u32.u32", {0x0102'0304, 0x0101'0101, 10}, 20},
         {"dp4a.s32.s32", {0xffff'ffff, 0x0202'0202, 0}, 0xffff'fff8},
         {"dp4a.u32.s32", {0xffff'ffff, 0xffff'ffff, 0}, 0xffff'fc04},
         {"dp2a.lo.u32.u32", {0x0002'0003, 0x0a0b'0405, 0}, 2 * 4 + 3 * 5},
         {"dp2a.hi.u32.u32", {0x0002'0003, 0x0a0b'0405, 1}, 2 * 10 + 3 * 11 + 1},
         {"dp2a.lo.s32.s32", {0xffff'0001, 0x0000'80ff, 0}, 127},
         {"vabsdiff4.u32.u32.u32", {0x01ff'8000, 0x0200'7f01, 0}, 0x01ff'0101},
         {"vabsdiff4.u32.u32.u32.add", {0x01ff'8000, 0x0200'7f01, 5}, 1 + 255 + 1 + 1 + 5},
         {"vabsdiff2.u32.u32.u32.add", {0x0001'ffff, 0x0003'0000, 1}, 2 + 65535 + 1},
         {"sad.s32", {0xffff'fff6, 10, 5}, 25},
         {"sad.u32", {5, 0xffff'ffff, 0}, 0xffff'fffa}});
}

struct CarryRow {
  const char* mnemonic;
  std::vector<std::uint64_t> sources;
  bool carry_read;
  std::uint64_t result;
  bool carry;
};

// A GPU subtracts by adding the complement and one: the flag is set where there is no borrow.
TEST(handlers_known_values, of_carries) {
  const std::uint64_t ones = 0xffff'ffff, wide_ones = ~std::uint64_t{0};
  const std::vector<CarryRow> rows = {{"add.cc.u32", {ones, 1}, false, 0, true},
                                      {"add.cc.u64", {wide_ones, 0}, false, wide_ones, false},
                                      {"addc.cc.u64", {wide_ones, 0}, true, 0, true},
                                      {"sub.cc.u32", {1, 2}, false, ones, false},
                                      {"sub.cc.u32", {2, 1}, false, 1, true},
                                      {"sub.cc.s64", {7, 7}, false, 0, true},
                                      {"subc.cc.u32", {0, 0}, false, ones, false},
                                      {"subc.cc.u32", {0, 0}, true, 0, true},
                                      {"subc.cc.u64", {5, wide_ones}, true, 6, false},
                                      {"subc.cc.u64", {5, wide_ones}, false, 5, false},
                                      {"madc.hi.cc.u32", {ones, ones, 1}, true, 0, true},
                                      {"madc.lo.cc.u64", {wide_ones, 1, 0}, true, 0, true}};
  for (const CarryRow& row : rows) {
    for (const HostIsa isa : usable_isas()) {
      InstructionRunner runner(row.mnemonic, isa);
      Inputs inputs;
      for (const std::uint64_t source : row.sources) inputs.sources.emplace_back().fill(source);
      inputs.carries = row.carry_read ? kAllLanes : 0;
      runner.run(inputs);
      EXPECT_EQ(runner.results()[9], row.result) << row.mnemonic << " on " << name_of(isa);
      EXPECT_EQ(runner.carries()[9], row.carry ? 1u : 0u) << row.mnemonic << " on " << name_of(isa);
    }
  }
}

// Division by zero: the result of NVIDIA's assembler; PTX leaves it unspecified.
TEST(handlers_known_values, of_division_that_the_host_would_trap) {
  check({{"div.s32", {0x8000'0000, 0xffff'ffff}, 0x8000'0000},
         {"rem.s32", {0x8000'0000, 0xffff'ffff}, 0},
         {"div.s64", {0x8000'0000'0000'0000, ~std::uint64_t{0}}, 0x8000'0000'0000'0000},
         {"rem.s64", {0x8000'0000'0000'0000, ~std::uint64_t{0}}, 0},
         {"div.s16", {0x8000, 0xffff}, 0x8000},
         {"div.s32", {7, 0}, 0xffff'ffff},
         {"rem.s32", {7, 0}, 0xffff'ffff},
         {"div.u64", {7, 0}, ~std::uint64_t{0}},
         {"rem.u16", {7, 0}, 0xffff}});
}

TEST(handlers_known_values, of_saturating_conversions) {
  check({{"cvt.rzi.s32.f32", {0x4f32'd05e}, 0x7fff'ffff},  // 3e9
         {"cvt.rzi.s32.f32", {0xcf32'd05e}, 0x8000'0000},
         {"cvt.rzi.s32.f32", {0x7f80'0000}, 0x7fff'ffff},
         {"cvt.rzi.s32.f32", {0x7fc0'0000}, 0},
         {"cvt.rzi.u32.f32", {0xbf80'0000}, 0},
         {"cvt.rzi.u32.f32", {0x4f80'0000}, 0xffff'ffff},
         {"cvt.rzi.u32.f32", {0x7fc0'0000}, 0},
         {"cvt.rzi.u64.f32", {0x7fc0'0000}, 0x8000'0000'0000'0000},
         {"cvt.rzi.s64.f32", {0x7fc0'0000}, 0x8000'0000'0000'0000},
         {"cvt.rzi.s32.f64", {0x7ff8'0000'0000'0000}, 0x8000'0000},
         {"cvt.rzi.u16.f32", {0x4780'0000}, 0xffff},
         {"cvt.rzi.s16.f32", {0xc780'0000}, 0x8000},
         {"cvt.rni.s32.f32", {0x3f00'0000}, 0},  // 0.5
         {"cvt.rni.s32.f32", {0x3fc0'0000}, 2},  // 1.5
         {"cvt.rmi.s32.f32", {0xbf00'0000}, 0xffff'ffff},
         {"cvt.rpi.s32.f32", {0x3f00'0001}, 1},
         {"cvt.rpi.ftz.s32.f32", {1}, 0},
         {"cvt.rpi.s32.f32", {1}, 1},
         {"cvt.rni.f32.f32", {0xbe80'0000}, 0x8000'0000},  // -0.25
         {"cvt.sat.f32.f32", {0x4000'0000}, 0x3f80'0000},
         {"cvt.sat.f32.f32", {0xc000'0000}, 0},
         {"cvt.sat.f32.f32", {0x7fc0'0000}, 0},
         {"cvt.rn.f16.f64", {0x3f00'0000'0000'0001}, 0x0200},  // just above 2^-15
         {"cvt.rn.f16.f64", {0x3ff0'0200'0000'0001}, 0x3c01},  // a float would round to a tie
         {"cvt.rn.f16x2.f32", {0x3f80'0000, 0xc000'0000}, 0x3c00'c000},
         {"cvt.rn.bf16x2.f32", {0x3f80'0000, 0xc000'0000}, 0x3f80'c000}});
}

// The arithmetic of doubles looks for NaN in all lanes at once.
TEST(handlers_known_values, of_nan_in_one_lane) {
  const std::uint64_t one = 0x3ff0'0000'0000'0000, two = 0x4000'0000'0000'0000;
  const std::uint64_t infinity = 0x7ff0'0000'0000'0000, generated = 0xfff8'0000'0000'0000;
  for (const HostIsa isa : usable_isas()) {
    InstructionRunner runner("sub.f64", isa);
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
      Inputs inputs;
      inputs.sources.emplace_back().fill(two);
      inputs.sources.emplace_back().fill(one);
      for (Lanes& lanes : inputs.sources) lanes[lane] = infinity;
      inputs.active = 0x7fff'fffe;
      runner.run(inputs);
      for (std::size_t other = 0; other < kWarpSize; ++other) {
        const bool is_active = (inputs.active >> other & 1) != 0;
        const std::uint64_t expected = other == lane ? generated : one;
        EXPECT_EQ(runner.results()[other], is_active ? expected : runner.untouched(other))
            << lane << ' ' << other << ' ' << name_of(isa);
      }
    }
  }
}

// The NaN of f32 and of the narrower types is always PTX's canonical one. Of f64 it is the first
// operand's, or that which GPUs generate.
TEST(handlers_known_values, of_nan) {
  const std::uint64_t infinity = 0x7f80'0000, minus_infinity = 0xff80'0000, payload = 0xffc0'1234;
  const std::uint64_t wide_infinity = 0x7ff0'0000'0000'0000, wide_nan = 0x7ff0'0000'0000'0123;
  const std::uint64_t quiet = 0x7ff8'0000'0000'0123, generated = 0xfff8'0000'0000'0000;
  const std::uint64_t one = 0x3ff0'0000'0000'0000, other = 0xfff8'0000'0000'0456;
  check({{"add.f32", {infinity, minus_infinity}, 0x7fff'ffff},
         {"sub.rz.ftz.f32", {infinity, infinity}, 0x7fff'ffff},
         {"mul.f32", {payload, 0x3f80'0000}, 0x7fff'ffff},
         {"mul.sat.f32", {payload, 0x3f80'0000}, 0},
         {"fma.rn.f32", {0, infinity, 0}, 0x7fff'ffff},
         {"div.rn.f32", {0, 0}, 0x7fff'ffff},
         {"div.full.f32", {0, 0}, 0x7fff'ffff},
         {"rcp.rn.f32", {payload}, 0x7fff'ffff},
         {"sqrt.rn.f32", {0xbf80'0000}, 0x7fff'ffff},
         {"sqrt.approx.f32", {0xbf80'0000}, 0x7fff'ffff},
         {"rsqrt.approx.f32", {0xbf80'0000}, 0x7fff'ffff},
         {"ex2.approx.f32", {payload}, 0x7fff'ffff},
         {"lg2.approx.f32", {payload}, 0x7fff'ffff},
         {"sin.approx.f32", {infinity}, 0x7fff'ffff},
         {"cos.approx.f32", {payload}, 0x7fff'ffff},
         {"tanh.approx.f32", {payload}, 0x7fff'ffff},
         {"min.f32", {payload, payload}, 0x7fff'ffff},
         {"max.NaN.f32", {payload, 0}, 0x7fff'ffff},
         {"max.f16", {0xfe01, 0x7e02}, 0x7fff},
         {"min.bf16", {0xffc1, 0x7f81}, 0x7fff},
         {"add.f16", {0x7c00, 0xfc00}, 0x7fff},
         {"cvt.rn.f32.f64", {other}, 0x7fff'ffff},
         {"cvt.f32.f16", {0xfe01}, 0x7fff'ffff},
         {"cvt.rni.f32.f32", {payload}, 0x7fff'ffff},
         {"cvt.f32.f32", {payload}, payload},
         {"cvt.ftz.f32.f32", {payload}, 0x7fff'ffff},
         {"cvt.f32.bf16", {0xff81}, 0xff81'0000},
         {"cvt.f16.f16", {0xfe01}, 0x7fff},
         {"neg.f32", {payload}, 0x7fff'ffff},
         {"abs.bf16", {0xffc1}, 0x7fff},
         {"neg.f64", {wide_nan}, wide_nan | std::uint64_t{1} << 63},
         {"cvt.f64.f32", {payload}, 0xfff8'0246'8000'0000},
         {"add.f64", {wide_infinity, wide_infinity | std::uint64_t{1} << 63}, generated},
         {"sqrt.rn.f64", {one | std::uint64_t{1} << 63}, generated},
         {"mul.f64", {one, wide_nan}, quiet},
         {"add.f64", {other, wide_nan}, other},
         {"add.f64", {wide_nan, other}, quiet},
         {"fma.rn.f64", {one, other, wide_nan}, other},
         {"fma.rn.f64", {one, one, wide_nan}, quiet},
         {"max.f64", {wide_nan, other}, other}});
}

TEST(handlers_known_values, of_floats_of_equal_value_and_nan) {
  check({{"min.f32", {0x8000'0000, 0}, 0x8000'0000},
         {"min.f32", {0, 0x8000'0000}, 0x8000'0000},
         {"max.f32", {0x8000'0000, 0}, 0},
         {"max.f32", {0x7fc0'0000, 0xbf80'0000}, 0xbf80'0000},
         {"min.f64", {0x3ff0'0000'0000'0000, 0x7ff8'0000'0000'0000}, 0x3ff0'0000'0000'0000},
         {"min.NaN.f16", {0x3c00, 0x7e00}, 0x7fff},
         {"max.bf16x2", {0x8000'7fc0, 0x0000'3f80}, 0x0000'3f80},
         {"copysign.f32", {0x8000'0000, 0x3f80'0000}, 0xbf80'0000},
         {"add.ftz.f32", {1, 0x8000'0001}, 0},
         {"mul.ftz.f32", {0x0080'0000, 0xbf00'0000}, 0x8000'0000},
         {"fma.rn.sat.f16", {0x4000, 0x4000, 0}, 0x3c00},
         {"fma.rn.relu.f16", {0x3c00, 0xbc00, 0}, 0},
         {"fma.rn.relu.bf16", {0x3f80, 0x7fc0, 0}, 0x7fff},
         {"set.eq.f16x2.f16x2", {0x3c00'0000, 0x3c00'3c00}, 0x3c00'0000},
         {"set.lt.f16.f32", {0x3f80'0000, 0x4000'0000}, 0x3c00},
         {"set.lt.bf16.s32", {0xffff'ffff, 0}, 0x3f80},
         {"set.lo.f16.u32", {0xffff'ffff, 0}, 0},
         {"set.gt.bf16.f64", {0x4000'0000'0000'0000, 0x3ff0'0000'0000'0000}, 0x3f80},
         {"set.eq.f16.b16", {7, 7}, 0x3c00},
         {"set.lt.u16.f16", {0x3c00, 0x4000}, 0xffff},
         {"set.num.s16.f16", {0x3c00, 0x7e00}, 0},
         {"set.ge.s16.bf16", {0x3f80, 0x3f80}, 0xffff},
         {"set.neu.u32.f16x2", {0x7e00'0000, 0x7e00'0000}, 0xffff'0000}});
}

}  // namespace
}  // namespace numpy_plugin::sim
