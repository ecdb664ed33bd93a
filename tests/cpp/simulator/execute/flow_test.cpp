// Divergent lanes: loops, branches, guards, exits, and reconvergence.
#include "simulator/execute/environment.hpp"

namespace numpy_plugin::sim {
namespace {

class FlowTest : public ExecuteTest {};

// out[i] = number of Collatz steps from i + 1 to 1
constexpr const char* kCollatz = R"(.visible .entry collatz(.param .u64 out, .param .u32 n) {
  .reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %rd<4>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  ld.param.u32 %r5, [n];
  setp.ge.u32 %p1, %r4, %r5;
  @%p1 bra $done;
  add.u32 %r6, %r4, 1;
  mov.u32 %r7, 0;
$loop:
  setp.eq.u32 %p2, %r6, 1;
  @%p2 bra $store;
  and.b32 %r8, %r6, 1;
  setp.eq.u32 %p3, %r8, 0;
  @%p3 bra $even;
  mad.lo.u32 %r6, %r6, 3, 1;
  bra.uni $next;
$even:
  shr.u32 %r6, %r6, 1;
$next:
  add.u32 %r7, %r7, 1;
  bra.uni $loop;
$store:
  ld.param.u64 %rd1, [out];
  cvta.to.global.u64 %rd1, %rd1;
  mul.wide.u32 %rd2, %r4, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r7;
$done:
  ret;
})";

std::uint32_t collatz_steps(std::uint32_t value) {
  std::uint32_t n_steps = 0;
  for (; value != 1; ++n_steps) value = value % 2 == 0 ? value / 2 : value * 3 + 1;
  return n_steps;
}

TEST_F(FlowTest, LoopsOfDifferentLengthGiveEachLaneItsOwnCount) {
  load(kCollatz);
  const std::uint32_t n = 1000;
  const auto out = buffer(std::vector<std::uint32_t>(n, 0));
  const Counters counters = run({8, 1, 1}, {128, 1, 1}, out, n);
  const auto counts = read<std::uint32_t>(out, n);
  for (std::uint32_t i = 0; i < n; ++i) ASSERT_EQ(counts[i], collatz_steps(i + 1)) << i;
  EXPECT_GT(counters.divergent_branches, 100u);
  EXPECT_EQ(counters.n_blocks, 8u);
  EXPECT_EQ(counters.n_warps, 32u);
}

TEST_F(FlowTest, LanesMeetAgainAfterALoop) {
  load(kCollatz);
  const std::uint32_t n = 32;
  const auto out = buffer(std::vector<std::uint32_t>(n, 0));
  const Counters counters = run({1, 1, 1}, {32, 1, 1}, out, n);
  // A store by a whole warp accesses 4 sectors of 32 bytes, once.
  EXPECT_EQ(counters.global_transactions, 4u);
  EXPECT_EQ(counters.lanes_by_class[static_cast<int>(InstructionClass::kGlobalStore)], 32u);
}

TEST_F(FlowTest, PartialWarpsHaveOnlyTheirThreads) {
  load(kCollatz);
  for (const std::uint32_t n_threads : {1u, 31u, 33u, 65u}) {
    const auto out = buffer(std::vector<std::uint32_t>(100, 7777));
    const Counters counters = run({1, 1, 1}, {n_threads, 1, 1}, out, 100u);
    const auto counts = read<std::uint32_t>(out, 100);
    for (std::uint32_t i = 0; i < 100; ++i) {
      ASSERT_EQ(counts[i], i < n_threads ? collatz_steps(i + 1) : 7777u) << i;
    }
    EXPECT_EQ(counters.n_warps, (n_threads + 31) / 32);
  }
}

TEST_F(FlowTest, ThreeAxesOfGridAndBlockNumberTheThreads) {
  load(R"(.visible .entry indices(.param .u64 out) {
    .reg .b32 %r<24>; .reg .b64 %rd<4>;
    mov.u32 %r1, %ctaid.z; mov.u32 %r2, %nctaid.y; mov.u32 %r3, %ctaid.y;
    mad.lo.u32 %r4, %r1, %r2, %r3;
    mov.u32 %r5, %nctaid.x; mov.u32 %r6, %ctaid.x;
    mad.lo.u32 %r7, %r4, %r5, %r6;
    mov.u32 %r8, %ntid.z; mov.u32 %r9, %tid.z;
    mad.lo.u32 %r10, %r7, %r8, %r9;
    mov.u32 %r11, %ntid.y; mov.u32 %r12, %tid.y;
    mad.lo.u32 %r13, %r10, %r11, %r12;
    mov.u32 %r14, %ntid.x; mov.u32 %r15, %tid.x;
    mad.lo.u32 %r16, %r13, %r14, %r15;
    ld.param.u64 %rd1, [out];
    mul.wide.u32 %rd2, %r16, 4;
    add.s64 %rd3, %rd1, %rd2;
    shl.b32 %r17, %r6, 8;
    or.b32 %r18, %r17, %r9;
    st.global.u32 [%rd3], %r18;
    ret;
  })");
  const std::uint32_t n = 3 * 2 * 2 * 5 * 4 * 3;
  const auto out = buffer(std::vector<std::uint32_t>(n, 0xffffffff));
  run({3, 2, 2}, {5, 4, 3}, out);
  const auto values = read<std::uint32_t>(out, n);
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t thread = i % 60;
    const std::uint32_t block = i / 60;
    ASSERT_EQ(values[i], (block % 3) << 8 | thread / 20) << i;
  }
}

TEST_F(FlowTest, SpecialRegistersSayWhereAThreadIs) {
  load(R"(.visible .entry places(.param .u64 out) {
    .reg .b32 %r<16>; .reg .b64 %rd<6>;
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;
    mad.lo.u32 %r4, %r2, %r3, %r1;
    ld.param.u64 %rd1, [out];
    mul.wide.u32 %rd2, %r4, 40;
    add.s64 %rd3, %rd1, %rd2;
    mov.u32 %r5, %laneid; st.global.u32 [%rd3], %r5;
    mov.u32 %r6, %warpid; st.global.u32 [%rd3+4], %r6;
    mov.u32 %r7, %smid; st.global.u32 [%rd3+8], %r7;
    mov.u32 %r8, %lanemask_lt; st.global.u32 [%rd3+12], %r8;
    mov.u32 %r9, %lanemask_ge; st.global.u32 [%rd3+16], %r9;
    mov.u32 %r10, %lanemask_eq; st.global.u32 [%rd3+20], %r10;
    mov.u32 %r11, %lanemask_le; st.global.u32 [%rd3+24], %r11;
    mov.u32 %r12, %lanemask_gt; st.global.u32 [%rd3+28], %r12;
    mov.u64 %rd4, %gridid; st.global.u64 [%rd3+32], %rd4;
    ret;
  })");
  launch_.number = 0x100000007;
  launch_.n_multiprocessors = 3;
  const auto out = buffer(std::vector<std::uint32_t>(5 * 64 * 10, 0));
  run({5, 1, 1}, {64, 1, 1}, out);
  const auto values = read<std::uint32_t>(out, 5 * 64 * 10);
  for (std::uint32_t i = 0; i < 5 * 64; ++i) {
    const std::uint32_t* of = values.data() + i * 10;
    const std::uint64_t bit = std::uint64_t{1} << i % 32;
    ASSERT_EQ(of[0], i % 32);
    ASSERT_EQ(of[1], i % 64 / 32);
    ASSERT_EQ(of[2], i / 64 % 3);
    ASSERT_EQ(of[3], bit - 1);
    ASSERT_EQ(of[4], static_cast<std::uint32_t>(~(bit - 1)));
    ASSERT_EQ(of[5], bit);
    ASSERT_EQ(of[6], bit * 2 - 1);
    ASSERT_EQ(of[7], static_cast<std::uint32_t>(~(bit * 2 - 1)));
    ASSERT_EQ(of[8], 7u);
    ASSERT_EQ(of[9], 1u);
  }
}

// The first block writes a register that the others read without having written it.
TEST_F(FlowTest, RegistersHaveNoValuesOfAnEarlierBlock) {
  load(R"(.visible .entry stale(.param .u64 out) {
    .reg .pred %p<3>; .reg .b32 %r<4>; .reg .b64 %rd<4>;
    mov.u32 %r1, %ctaid.x;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra $store;
    mov.u32 %r2, 7;
    mov.u64 %rd3, 8;
    setp.eq.u32 %p2, %r1, 1;
  $store:
    ld.param.u64 %rd1, [out];
    mul.wide.u32 %rd2, %r1, 16;
    add.s64 %rd1, %rd1, %rd2;
    selp.u32 %r3, 1, 0, %p2;
    st.global.v2.u32 [%rd1], {%r2, %r3};
    st.global.u64 [%rd1+8], %rd3;
    ret;
  })");
  const std::uint32_t n = 64;
  const auto out = buffer(std::vector<std::uint32_t>(4 * n, 0));
  run({n, 1, 1}, {1, 1, 1}, out);
  const auto values = read<std::uint32_t>(out, 4 * n);
  for (std::uint32_t i = 1; i < n; ++i) {
    ASSERT_EQ(values[4 * i], UINT32_MAX) << i;
    ASSERT_EQ(values[4 * i + 1], 1u) << i;
    ASSERT_EQ(values[4 * i + 2], UINT32_MAX) << i;
    ASSERT_EQ(values[4 * i + 3], UINT32_MAX) << i;
  }
}

TEST_F(FlowTest, GuardsKeepLanesFromAnInstruction) {
  load(R"(.visible .entry guards(.param .u64 out) {
    .reg .pred %p<3>; .reg .b32 %r<4>; .reg .b64 %rd<4>;
    mov.u32 %r1, %tid.x;
    setp.lt.u32 %p1, %r1, 10;
    setp.lt.u32 %p2, %r1, 100;
    mov.u32 %r2, 1;
    @%p1 mov.u32 %r2, 2;
    @!%p1 add.u32 %r2, %r2, 10;
    @!%p2 trap;
    @!%p2 bra $end;
    ld.param.u64 %rd1, [out];
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r2;
  $end:
    ret;
  })");
  const auto out = buffer(std::vector<std::uint32_t>(32, 0));
  const Counters counters = run({1, 1, 1}, {32, 1, 1}, out);
  const auto values = read<std::uint32_t>(out, 32);
  for (std::uint32_t i = 0; i < 32; ++i) ASSERT_EQ(values[i], i < 10 ? 2u : 11u);
  EXPECT_EQ(counters.divergent_branches, 0u);
  EXPECT_EQ(counters.warp_instructions, 13u);
  EXPECT_EQ(counters.lane_instructions, 13u * 32 - 22 - 10 - 64);
}

TEST_F(FlowTest, ATrapNamesThreadAndLine) {
  load(R"(.visible .entry _Z5trapsPf() {
    .reg .pred %p<2>; .reg .b32 %r<2>;
    mov.u32 %r1, %tid.y;
    setp.eq.u32 %p1, %r1, 3;
    @%p1 trap;
    ret;
  })");
  EXPECT_EQ(fault({1, 1, 1}, {8, 8, 1}),
            "719: kernel 'traps(float*)', block (0,0,0), thread (0,3,0), line 5 of the PTX: the "
            "kernel ended itself (trap)");
}

// Each lane takes the lock, whose owner is not the lowest lane.
TEST_F(FlowTest, ALockThatLanesOfAWarpSpinForIsPassedOn) {
  load(R"(.visible .entry locks(.param .u64 lock, .param .u64 count) {
    .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [lock];
    ld.param.u64 %rd2, [count];
  $spin:
    atom.global.cas.b32 %r1, [%rd1], 0, 1;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra $spin;
    ld.volatile.global.u32 %r2, [%rd2];
    add.u32 %r2, %r2, 1;
    st.volatile.global.u32 [%rd2], %r2;
    atom.global.exch.b32 %r3, [%rd1], 0;
    ret;
  })");
  const auto lock = buffer(std::vector<std::uint32_t>{0});
  const auto count = buffer(std::vector<std::uint32_t>{0});
  run({3, 1, 1}, {64, 1, 1}, lock, count);
  EXPECT_EQ(read<std::uint32_t>(count, 1)[0], 192u);
}

// The waiting lane is lower than the one it waits for.
TEST_F(FlowTest, ALaneThatWaitsForAStoreOfItsWarpGetsIt) {
  launch_.checks.races = false;  // the load that is not volatile races
  for (const std::string load_flag : {"ld.volatile.global.u32", "ld.global.u32"}) {
    load(R"(.visible .entry waits(.param .u64 flag) {
      .reg .pred %p<3>; .reg .b32 %r<4>; .reg .b64 %rd<4>;
      ld.param.u64 %rd1, [flag];
      mov.u32 %r1, %tid.x;
      setp.eq.u32 %p1, %r1, 7;
      @%p1 bra $set;
    $wait:
      )" +
         load_flag + R"( %r2, [%rd1];
      setp.eq.u32 %p2, %r2, 0;
      @%p2 bra $wait;
      st.global.u32 [%rd1+4], %r2;
      ret;
    $set:
      mov.u32 %r3, 5;
      st.global.u32 [%rd1], %r3;
      ret;
    })");
    const auto flag = buffer(std::vector<std::uint32_t>{0, 0});
    run({1, 1, 1}, {32, 1, 1}, flag);
    EXPECT_EQ(read<std::uint32_t>(flag, 2)[1], 5u);
  }
}

#if defined(__x86_64__)
TEST_F(FlowTest, SubnormalsAreKeptWhateverTheCallersThreadDoes) {
  load(R"(.visible .entry halve(.param .u64 x) {
    .reg .f32 %f<3>; .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [x];
    ld.global.f32 %f1, [%rd1];
    mul.rn.f32 %f2, %f1, 0f3F000000;
    st.global.f32 [%rd1], %f2;
    ret;
  })");
  constexpr unsigned kFlushAndReadAsZero = 0x8040;
  const unsigned before = __builtin_ia32_stmxcsr();
  const auto x = buffer(std::vector<std::uint32_t>{0x00800000});  // the smallest normal number
  __builtin_ia32_ldmxcsr(before | kFlushAndReadAsZero);
  run({1, 1, 1}, {1, 1, 1}, x);
  const unsigned after = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(before);
  EXPECT_EQ(read<std::uint32_t>(x, 1).front(), 0x00400000u);
  EXPECT_EQ(after & kFlushAndReadAsZero, kFlushAndReadAsZero);
}
#endif

}  // namespace
}  // namespace numpy_plugin::sim
