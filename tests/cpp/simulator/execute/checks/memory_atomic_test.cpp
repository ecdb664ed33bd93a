// Atomic operations: every form, in the order of lanes, and from several blocks at once.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "simulator/execute/checks/memory_environment.hpp"

namespace numpy_plugin::sim {
namespace {

class memory_atomic : public MemoryTest {
 protected:
  struct Outcome {
    std::vector<std::uint64_t> old;  // low bits of each thread's result
    std::uint64_t left = 0;
  };

  // Every thread of a block performs an operation on one location. With a second operand: cas.
  Outcome atomics(const std::string& operation, int n_bits, std::uint64_t first,
                  const std::vector<std::uint64_t>& operands,
                  const std::vector<std::uint64_t>& second = {}) {
    const std::string bits = std::to_string(n_bits);
    load(R"(.entry k(.param .u64 place, .param .u64 old, .param .u64 x, .param .u64 y) {
      .reg .b64 %rd<8>; .reg .b32 %r<4>; .reg .b)" +
         bits + R"( %v<4>;
      ld.param.u64 %rd0, [place]; ld.param.u64 %rd1, [old]; ld.param.u64 %rd2, [x];
      ld.param.u64 %rd3, [y]; mov.u32 %r0, %tid.x; mul.wide.u32 %rd4, %r0, 8;
      add.s64 %rd1, %rd1, %rd4; add.s64 %rd2, %rd2, %rd4; add.s64 %rd3, %rd3, %rd4;
      ld.global.b)" +
         bits + " %v1, [%rd2]; ld.global.b" + bits + " %v2, [%rd3]; " + "mov.b" + bits +
         " %v3, 0; " +
         (operation.starts_with("red.") ? operation + " [%rd0]"
                                        : "atom." + operation + " %v3, [%rd0]") +
         ", %v1" + (second.empty() ? "" : ", %v2") + "; st.global.b" + bits +
         " [%rd1], %v3; ret; }");
    const std::uint64_t place = buffer(std::vector{first});
    const std::uint64_t old = buffer(std::vector<std::uint64_t>(operands.size()));
    run({1, 1, 1}, {static_cast<std::uint32_t>(operands.size()), 1, 1}, place, old,
        buffer(operands), buffer(second.empty() ? operands : second));
    return {read<std::uint64_t>(old, operands.size()), read<std::uint64_t>(place, 1)[0]};
  }

  using Values = std::vector<std::uint64_t>;
};

std::uint64_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }
std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }
std::uint64_t bits(std::int32_t value) { return std::bit_cast<std::uint32_t>(value); }
std::uint64_t bits(std::int64_t value) { return std::bit_cast<std::uint64_t>(value); }

TEST_P(memory_atomic, add) {
  Outcome outcome = atomics("global.add.u32", 32, 10, {1, 2, 3});
  EXPECT_EQ(outcome.old, (Values{10, 11, 13}));
  EXPECT_EQ(outcome.left, 16u);
  outcome = atomics("global.add.u32", 32, 0xffffffff, {1, 5});
  EXPECT_EQ(outcome.old, (Values{0xffffffff, 0}));
  EXPECT_EQ(outcome.left, 5u);
  outcome = atomics("add.relaxed.cta.f32", 32, bits(1.5f), {bits(2.0f), bits(-0.25f)});
  EXPECT_EQ(outcome.old, (Values{bits(1.5f), bits(3.5f)}));
  EXPECT_EQ(outcome.left, bits(3.25f));
  outcome = atomics("global.add.f64", 64, bits(1e300), {bits(-1e300), bits(0.125)});
  EXPECT_EQ(outcome.old, (Values{bits(1e300), bits(0.0)}));
  EXPECT_EQ(outcome.left, bits(0.125));
  outcome = atomics("add.u64", 64, 0xffffffffull, {1, std::uint64_t{1} << 40});
  EXPECT_EQ(outcome.old, (Values{0xffffffff, 0x100000000}));
  EXPECT_EQ(outcome.left, 0x10100000000u);
  EXPECT_EQ(atomics("add.acquire.sys.s32", 32, bits(-5), {bits(-6)}).left, bits(-11));
}

TEST_P(memory_atomic, minimum_and_maximum_by_the_sign_of_the_type) {
  EXPECT_EQ(atomics("global.min.s32", 32, bits(3), {bits(-1), bits(7)}).left, bits(-1));
  EXPECT_EQ(atomics("global.min.u32", 32, 3, {0xffffffff, 7}).left, 3u);
  EXPECT_EQ(atomics("global.max.s32", 32, bits(-3), {bits(-5), bits(-1)}).left, bits(-1));
  EXPECT_EQ(atomics("global.max.u32", 32, 3, {0xffffffff, 7}).left, 0xffffffff);
  const std::int64_t large = std::int64_t{1} << 40;
  EXPECT_EQ(atomics("min.s64", 64, bits(large), {bits(-large), 0}).left, bits(-large));
  EXPECT_EQ(atomics("max.s64", 64, bits(-large), {bits(-large - 1), 0}).left, 0u);
  EXPECT_EQ(atomics("min.u64", 64, 5, {bits(-large), 9}).left, 5u);
  EXPECT_EQ(atomics("max.u64", 64, 5, {bits(-large), 9}).left, bits(-large));
}

TEST_P(memory_atomic, bitwise) {
  EXPECT_EQ(atomics("global.and.b32", 32, 0xff, {0xf0, 0x3c}).left, 0x30u);
  EXPECT_EQ(atomics("global.or.b32", 32, 1, {2, 8}).left, 11u);
  EXPECT_EQ(atomics("global.xor.b32", 32, 1, {3, 8}).left, 10u);
  EXPECT_EQ(atomics("and.b64", 64, ~0ull, {0xf0f0f0f0f0ull}).left, 0xf0f0f0f0f0u);
  EXPECT_EQ(atomics("or.b64", 64, 1, {1ull << 63}).left, 1ull << 63 | 1);
  EXPECT_EQ(atomics("xor.b64", 64, 3, {1ull << 63}).left, 1ull << 63 | 3);
}

TEST_P(memory_atomic, increments_wrap_to_zero_and_decrements_to_their_limit) {
  const Outcome up = atomics("global.inc.u32", 32, 1, {2, 2, 2, 0});
  EXPECT_EQ(up.old, (Values{1, 2, 0, 1}));
  EXPECT_EQ(up.left, 0u);
  const Outcome down = atomics("global.dec.u32", 32, 1, {2, 2, 2, 0});
  EXPECT_EQ(down.old, (Values{1, 0, 2, 1}));
  EXPECT_EQ(down.left, 0u);
  EXPECT_EQ(atomics("global.dec.u32", 32, 9, {2}).left, 2u);
  EXPECT_EQ(atomics("global.inc.u32", 32, 9, {2}).left, 0u);
}

TEST_P(memory_atomic, exchange_and_compare_and_swap) {
  const Outcome swap = atomics("exch.b64", 64, 9, {1, 2, 3});
  EXPECT_EQ(swap.old, (Values{9, 1, 2}));
  EXPECT_EQ(swap.left, 3u);
  EXPECT_EQ(atomics("global.exch.b32", 32, 9, {4}).left, 4u);
  const Outcome chain = atomics("cas.b32", 32, 0, {0, 1, 5, 2}, {1, 2, 6, 7});
  EXPECT_EQ(chain.old, (Values{0, 1, 2, 2}));
  EXPECT_EQ(chain.left, 7u);
  EXPECT_EQ(atomics("global.cas.b64", 64, 1ull << 40, {0}, {5}).left, 1ull << 40);
  EXPECT_EQ(atomics("relaxed.global.cas.b64", 64, 1ull << 40, {1ull << 40}, {5}).left, 5u);
  EXPECT_EQ(atomics("global.cas.b16", 16, 0x12345678, {0x5678}, {0xabcd}).left, 0x1234abcdu);
}

// Compilers write the operation first or last.
TEST_P(memory_atomic, orders_scopes_and_spaces_in_any_order) {
  for (const char* operation :
       {"add.u32", "add.relaxed.gpu.u32", "add.acq_rel.sys.global.u32", "relaxed.gpu.add.u32",
        "acquire.add.u32", "relaxed.gpu.global.add.u32", "release.global.gpu.add.u32",
        "global.acq_rel.gpu.add.u32", "global.cta.add.u32", "add.global.u32"}) {
    EXPECT_EQ(atomics(operation, 32, 10, {1, 2, 3}).left, 16u) << operation;
  }
  EXPECT_EQ(atomics("and.acquire.gpu.b32", 32, 0xff, {0xf0}).left, 0xf0u);
  EXPECT_EQ(atomics("or.release.cta.b64", 64, 1, {6}).left, 7u);
  EXPECT_EQ(atomics("xor.acq_rel.gpu.b32", 32, 5, {1}).left, 4u);
  EXPECT_EQ(atomics("min.relaxed.gpu.s64", 64, 5, {bits(std::int64_t{-1})}).left, ~0ull);
  EXPECT_EQ(atomics("max.acquire.sys.u32", 32, 5, {9}).left, 9u);
  EXPECT_EQ(atomics("inc.relaxed.gpu.u32", 32, 5, {9}).left, 6u);
  EXPECT_EQ(atomics("dec.relaxed.gpu.u32", 32, 5, {9}).left, 4u);
  EXPECT_EQ(atomics("exch.acquire.cluster.b64", 64, 5, {9}).left, 9u);
  EXPECT_EQ(atomics("cas.acq_rel.gpu.b16", 16, 5, {5}, {9}).left, 9u);
  EXPECT_EQ(atomics("cas.relaxed.sys.b64", 64, 5, {4}, {9}).left, 5u);
}

TEST_P(memory_atomic, reductions_have_no_result) {
  struct Row {
    const char* operation;
    int n_bits;
    std::uint64_t first, operand, left;
  };
  for (const Row& row : {Row{"add.u32", 32, 5, 9, 14},
                         {"global.add.s32", 32, 5, 9, 14},
                         {"relaxed.gpu.global.add.u64", 64, 5, 9, 14},
                         {"add.release.sys.f32", 32, bits(0.5f), bits(2.0f), bits(2.5f)},
                         {"global.add.f64", 64, bits(0.5), bits(2.0), bits(2.5)},
                         {"add.noftz.bf16", 16, 0x3f80, 0x4000, 0x4040},
                         {"global.add.noftz.f16x2", 32, 0x3c003c00, 0x40004200, 0x42004400},
                         {"min.s32", 32, 5, bits(-9), bits(-9)},
                         {"global.max.u64", 64, 5, 9, 9},
                         {"inc.u32", 32, 5, 5, 0},
                         {"dec.relaxed.gpu.u32", 32, 0, 5, 5},
                         {"and.b32", 32, 5, 6, 4},
                         {"global.or.b64", 64, 5, 6, 7},
                         {"xor.release.cta.b32", 32, 5, 6, 3}}) {
    const Outcome found =
        atomics(std::string("red.") + row.operation, row.n_bits, row.first, {row.operand});
    EXPECT_EQ(found.left, row.left) << row.operation;
    EXPECT_EQ(found.old, Values{0}) << row.operation;
  }
}

TEST_P(memory_atomic, sums_that_are_nan_have_canonical_bits) {
  EXPECT_EQ(atomics("global.add.f32", 32, 0xffc12345, {bits(1.0f)}).left, 0x7fffffffu);
  EXPECT_EQ(atomics("global.add.f32", 32, 0x7f800000, {0xff800000}).left, 0x7fffffffu);
  EXPECT_EQ(atomics("add.noftz.f16", 16, 0xfe01, {0x3c00}).left, 0x7fffu);
  EXPECT_EQ(atomics("add.noftz.bf16x2", 32, 0x3f80ffc1, {0x3f803f80}).left, 0x40007fffu);
}

TEST_P(memory_atomic, halves_are_rounded_once) {
  // 1 + 2^-11 is a tie and rounds to even; 1 + 3 * 2^-11 rounds up.
  EXPECT_EQ(atomics("add.noftz.f16", 16, 0x3c00, {0x1000}).left, 0x3c00u);
  EXPECT_EQ(atomics("add.noftz.f16", 16, 0x3c00, {0x1600}).left, 0x3c02u);
  EXPECT_EQ(atomics("add.noftz.f16", 16, 0x0001, {0x0001}).left, 0x0002u);
  EXPECT_EQ(atomics("add.noftz.bf16", 16, 0x3f80, {0x4000}).left, 0x4040u);
  EXPECT_EQ(atomics("add.noftz.f16x2", 32, 0x3c003c00, {0x40004200}).left, 0x42004400u);
  EXPECT_EQ(atomics("add.noftz.bf16x2", 32, 0x3f804000, {0x3f803f80}).left, 0x40004040u);
}

TEST_P(memory_atomic, floats_in_global_memory_flush_subnormal_numbers) {
  const std::uint64_t tiny = 0x00000123;
  EXPECT_EQ(atomics("global.add.f32", 32, tiny, {tiny}).left, 0u);
  EXPECT_EQ(atomics("global.add.f32", 32, 0x80000123, {0x80000123}).left, 0x80000000u);
  EXPECT_EQ(atomics("add.f32", 32, bits(1.0f), {tiny}).left, bits(1.0f));
  EXPECT_EQ(atomics("global.add.f64", 64, 5, {6}).left, 11u);
}

TEST_P(memory_atomic, floats_in_shared_memory_keep_subnormal_numbers) {
  load(R"(.entry k(.param .u64 q) { .reg .b64 %rd<4>; .reg .b32 %r<4>;
    .shared .align 4 .b8 s[4]; ld.param.u64 %rd0, [q]; mov.b32 %r0, 0x123; st.shared.b32 [s], %r0;
    atom.shared.add.f32 %r1, [s], %r0; mov.u64 %rd1, s; cvta.shared.u64 %rd1, %rd1;
    atom.add.f32 %r2, [%rd1], %r0; ld.shared.b32 %r3, [s];
    st.global.v2.b32 [%rd0], {%r2, %r3}; ret; })");
  const std::uint64_t target = buffer(std::vector<std::uint32_t>(2));
  run({1, 1, 1}, {1, 1, 1}, target);
  EXPECT_EQ(read<std::uint32_t>(target, 2), (std::vector<std::uint32_t>{0x246, 0x369}));
}

TEST_P(memory_atomic, vectors_of_floats) {
  load(R"(.entry k(.param .u64 p, .param .u64 q) { .reg .b64 %rd<4>; .reg .f32 %f<8>;
    ld.param.u64 %rd0, [p]; ld.param.u64 %rd1, [q];
    mov.f32 %f0, 0f3F800000; mov.f32 %f1, 0f40000000; mov.f32 %f2, 0f40400000;
    mov.f32 %f3, 0f40800000;
    atom.global.add.v4.f32 {%f3, %f2, %f1, %f0}, [%rd0], {%f0, %f1, %f2, %f3};
    st.global.v4.f32 [%rd1], {%f3, %f2, %f1, %f0};
    atom.global.add.v2.f32 {%f4, %f5}, [%rd0+8], {%f0, %f0}; ret; })");
  const std::uint64_t place = buffer(std::vector<float>{10, 20, 30, 40});
  const std::uint64_t old = buffer(std::vector<float>(4));
  run({1, 1, 1}, {1, 1, 1}, place, old);
  EXPECT_EQ(read<float>(old, 4), (std::vector<float>{10, 20, 30, 40}));
  EXPECT_EQ(read<float>(place, 4), (std::vector<float>{11, 22, 73, 84}));
}

// Each half is -1 or 2, with one NaN and two zeros of both signs.
TEST_P(memory_atomic, vectors_of_halves) {
  const auto halves = [&](const std::string& operation) {
    load(R"(.entry k(.param .u64 p, .param .u64 q) { .reg .b64 %rd<4>; .reg .b16 %h<9>;
      .reg .b32 %r<5>; ld.param.u64 %rd0, [p]; ld.param.u64 %rd1, [q];
      ld.global.v4.b16 {%h0, %h1, %h2, %h3}, [%rd1]; ld.global.v4.b16 {%h4, %h5, %h6, %h7}, [%rd1+8];
      ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%rd1]; )" +
         operation + "; ret; }");
    const auto place = buffer(
        std::vector<std::uint16_t>{0x4000, 0xbc00, 0x7e01, 0x4000, 0x8000, 0x0000, 0xfe01, 0x4000});
    const auto values = buffer(
        std::vector<std::uint16_t>{0xbc00, 0x4000, 0x4000, 0xfe55, 0x0000, 0x8000, 0xfe55, 0x4000});
    run({1, 1, 1}, {1, 1, 1}, place, values);
    return read<std::uint16_t>(place, 8);
  };
  using Halves = std::vector<std::uint16_t>;
  const std::string all = "{%h0, %h1, %h2, %h3, %h4, %h5, %h6, %h7}";
  EXPECT_EQ(halves("red.global.min.noftz.v8.f16 [%rd0], " + all),
            (Halves{0xbc00, 0xbc00, 0x4000, 0x4000, 0x8000, 0x8000, 0x7fff, 0x4000}));
  EXPECT_EQ(halves("atom.global.max.noftz.v8.f16 " + all + ", [%rd0], " + all),
            (Halves{0x4000, 0x4000, 0x4000, 0x4000, 0x0000, 0x0000, 0x7fff, 0x4000}));
  EXPECT_EQ(halves("red.relaxed.gpu.global.add.noftz.v4.f16x2 [%rd0], {%r0, %r1, %r2, %r3}"),
            (Halves{0x3c00, 0x3c00, 0x7fff, 0x7fff, 0x0000, 0x0000, 0x7fff, 0x4400}));
  EXPECT_EQ(halves("atom.global.add.noftz.v2.f16 {%h0, %h1}, [%rd0+4], {%h0, %h7}")[3], 0x4400);
}

TEST_P(memory_atomic, sixteen_bytes) {
  load(R"(.entry k(.param .u64 p, .param .u64 q) { .reg .b64 %rd<8>; .reg .b128 %q<4>;
    ld.param.u64 %rd0, [p]; ld.param.u64 %rd1, [q];
    mov.u64 %rd2, 1; mov.u64 %rd3, 2; mov.u64 %rd4, 3; mov.b128 %q0, {%rd2, %rd3};
    mov.b128 %q1, {%rd3, %rd4}; atom.cas.b128 %q2, [%rd0], %q0, %q1;
    atom.cas.b128 %q3, [%rd0+16], %q0, %q1; mov.b128 {%rd5, %rd6}, %q2;
    st.global.v2.u64 [%rd1], {%rd5, %rd6}; atom.exch.b128 %q2, [%rd0], %q0;
    mov.b128 {%rd5, %rd6}, %q2; st.global.v2.u64 [%rd1+16], {%rd5, %rd6}; ret; })");
  const std::uint64_t place = buffer(Values{1, 2, 1, 9});
  const std::uint64_t old = buffer(Values(4));
  run({1, 1, 1}, {1, 1, 1}, place, old);
  EXPECT_EQ(read<std::uint64_t>(old, 4), (Values{1, 2, 2, 3}));
  EXPECT_EQ(read<std::uint64_t>(place, 4), (Values{1, 2, 1, 9}));
}

TEST_P(memory_atomic, only_active_lanes_and_results_that_are_dropped) {
  load(R"(.entry k(.param .u64 p) { .reg .pred %p<2>; .reg .b64 %rd<4>; .reg .b32 %r<4>;
    ld.param.u64 %rd0, [p]; mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 1; setp.ne.u32 %p1, %r1, 0;
    @%p1 atom.global.add.u32 _, [%rd0], %r0; ret; })");
  const std::uint64_t place = buffer(std::vector<std::uint32_t>{0});
  const Counters counters = run({1, 1, 1}, {32, 1, 1}, place);
  EXPECT_EQ(read<std::uint32_t>(place, 1)[0], 256u);
  EXPECT_EQ(counters.global_load_bytes, 64u);
  EXPECT_EQ(counters.global_store_bytes, 64u);
  EXPECT_EQ(counters.global_transactions, 1u);
}

TEST_P(memory_atomic, lose_nothing_over_many_blocks) {
  load(R"(.entry k(.param .u64 p) { .reg .pred %p<2>; .reg .b64 %rd<4>; .reg .b32 %r<8>;
    .reg .f64 %d<2>; ld.param.u64 %rd0, [p]; mov.u32 %r0, 0;
    LOOP: atom.global.add.u32 %r1, [%rd0], 1; atom.global.add.f64 %d0, [%rd0+8], 0d3FF0000000000000;
    atom.global.inc.u32 %r2, [%rd0+16], 6; atom.global.xor.b32 %r3, [%rd0+20], %r1;
    add.u32 %r0, %r0, 1; setp.lt.u32 %p1, %r0, 10; @%p1 bra LOOP; ret; })");
  const std::uint64_t place = buffer(std::vector<std::uint32_t>(6));
  run({64, 1, 1}, {64, 1, 1}, place);
  constexpr std::uint32_t kOperations = 64 * 64 * 10;
  const auto found = read<std::uint32_t>(place, 6);
  EXPECT_EQ(found[0], kOperations);
  EXPECT_EQ(read<double>(place + 8, 1)[0], kOperations);
  EXPECT_EQ(found[4], kOperations % 7);
  std::uint32_t all = 0;
  for (std::uint32_t value = 0; value < kOperations; ++value) all ^= value;
  EXPECT_EQ(found[5], all);
}

TEST_P(memory_atomic, a_block_sees_what_another_released) {
  load(R"(.entry k(.param .u64 p, .param .u64 q) { .reg .pred %p<4>; .reg .b64 %rd<8>;
    .reg .b32 %r<8>; ld.param.u64 %rd0, [p]; ld.param.u64 %rd1, [q]; mov.u32 %r0, %ctaid.x;
    setp.ne.u32 %p1, %r0, 0; @%p1 bra READ;
    st.global.u32 [%rd0+4], 42; membar.gl; st.volatile.global.u32 [%rd0], 1; ret;
    READ: ld.volatile.global.u32 %r1, [%rd0]; setp.eq.u32 %p2, %r1, 0; @%p2 bra READ;
    ld.global.u32 %r2, [%rd0+4]; mul.wide.u32 %rd2, %r0, 4; add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r2; ret; })");
  const std::uint64_t results = buffer(std::vector<std::uint32_t>(8));
  run({8, 1, 1}, {1, 1, 1}, buffer(std::vector<std::uint32_t>{0, 0}), results);
  EXPECT_EQ(read<std::uint32_t>(results, 8),
            (std::vector<std::uint32_t>{0, 42, 42, 42, 42, 42, 42, 42}));
}

NPP_MEMORY_TESTS(memory_atomic);

}  // namespace
}  // namespace numpy_plugin::sim
