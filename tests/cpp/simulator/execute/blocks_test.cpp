// Blocks of a grid that wait for each other, never end, or fail.
#include "numpy_plugin/system/threads/thread_pool.hpp"
#include "simulator/execute/environment.hpp"

namespace numpy_plugin::sim {
namespace {

class BlockTest : public ExecuteTest {
 protected:
  // With one host thread and with the maximum.
  void TearDown() override { system::set_n_threads(0); }
};

constexpr const char* kWaitForNext = R"(.visible .entry waits(.param .u64 flags) {
    .reg .pred %p<3>; .reg .b32 %r<6>; .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [flags];
    mov.u32 %r1, %ctaid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    mov.u32 %r2, %nctaid.x;
    sub.u32 %r2, %r2, 1;
    setp.eq.u32 %p1, %r1, %r2;
    mov.u32 %r3, 0;
    @%p1 bra $set;
  $wait:
    ld.acquire.gpu.global.u32 %r3, [%rd3+4];
    setp.eq.u32 %p2, %r3, 0;
    @%p2 bra $wait;
  $set:
    add.u32 %r3, %r3, 1;
    st.release.gpu.global.u32 [%rd3], %r3;
    ret;
  })";

TEST_F(BlockTest, ABlockWaitsForTheNextOne) {
  load(kWaitForNext);
  for (const std::size_t n_host_threads : {1, 2, 3}) {
    system::set_n_threads(n_host_threads);
    const auto flags = buffer(std::vector<std::uint32_t>(20, 0));
    run({20, 1, 1}, {1, 1, 1}, flags);
    EXPECT_EQ(read<std::uint32_t>(flags, 20)[0], 20u);
  }
}

TEST_F(BlockTest, ABarrierOfTheGridIsPassedManyTimes) {
  load(R"(.visible .entry grid_barrier(.param .u64 count, .param .u32 n_rounds) {
    .reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [count];
    ld.param.u32 %r1, [n_rounds];
    mov.u32 %r2, %nctaid.x;
    mov.u32 %r3, %tid.x;
    mov.u32 %r4, 0;
  $round:
    add.u32 %r4, %r4, %r2;
    bar.sync 0;
    setp.ne.u32 %p1, %r3, 0;
    @%p1 bra $passed;
    atom.global.add.u32 %r5, [%rd1], 1;
  $wait:
    ld.volatile.global.u32 %r6, [%rd1];
    setp.lt.u32 %p2, %r6, %r4;
    @%p2 bra $wait;
  $passed:
    bar.sync 0;
    sub.u32 %r1, %r1, 1;
    setp.ne.u32 %p3, %r1, 0;
    @%p3 bra $round;
    ret;
  })");
  const auto count = buffer(std::vector<std::uint32_t>{0});
  run({8, 1, 1}, {64, 1, 1}, count, 20u);
  EXPECT_EQ(read<std::uint32_t>(count, 1)[0], 160u);
}

constexpr const char* kEndless = R"(.visible .entry endless() {
    .reg .b32 %r<4>;
    mov.u32 %r1, 0;
  $loop:
    add.u32 %r1, %r1, 1;
    bra $loop;
  })";

TEST_F(BlockTest, AnEndlessLoopIsEndedAndNamed) {
  load(kEndless);
  launch_.max_steps = 100'000;
  EXPECT_EQ(
      fault({1, 1, 1}, {64, 1, 1}),
      "702: kernel 'endless', block (0,0,0), thread (0,0,0), line 6 of the PTX: no progress: "
      "the block has not ended after 100000 instructions of its warps; threads (0,0,0) to "
      "(31,0,0) are on line 6 of the PTX; threads (32,0,0) to (63,0,0) are on line 6 of the PTX");
}

TEST_F(BlockTest, ManyEndlessBlocksEndSoonToo) {
  load(kEndless);
  launch_.max_steps = 200'000;
  EXPECT_NE(fault({1000, 1, 1}, {32, 1, 1}).find("block (0,0,0)"), std::string::npos);
}

constexpr const char* kTrapIn = R"(.visible .entry traps(.param .u32 first, .param .u64 out) {
    .reg .pred %p<3>; .reg .b32 %r<4>; .reg .b64 %rd<4>;
    ld.param.u32 %r1, [first];
    mov.u32 %r2, %ctaid.x;
    setp.ge.u32 %p1, %r2, %r1;
    @%p1 trap;
    ld.param.u64 %rd1, [out];
    mul.wide.u32 %rd2, %r2, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r2;
    ret;
  })";

TEST_F(BlockTest, TheFirstBlockThatFailsIsNamed) {
  load(kTrapIn);
  for (int trial = 0; trial < 20; ++trial) {
    const auto out = buffer(std::vector<std::uint32_t>(200, 0));
    EXPECT_NE(fault({200, 1, 1}, {32, 1, 1}, 100u, out).find("block (100,0,0)"), std::string::npos);
    EXPECT_EQ(read<std::uint32_t>(out, 200)[99], 99u);  // written values stay
  }
}

// Block 1 fails before block 0 reaches its own fault.
TEST_F(BlockTest, AnEarlierBlockThatFailsLaterIsNamed) {
  load(R"(.visible .entry traps() {
    .reg .pred %p<3>; .reg .b32 %r<4>;
    mov.u32 %r1, %ctaid.x;
    setp.eq.u32 %p1, %r1, 1;
    @%p1 trap;
    mov.u32 %r2, 20000;
  $work:
    sub.u32 %r2, %r2, 1;
    setp.ne.u32 %p2, %r2, 0;
    @%p2 bra $work;
    trap;
  })");
  EXPECT_NE(fault({2, 1, 1}, {32, 1, 1}).find("block (0,0,0)"), std::string::npos);
}

// Block 0 waits for a flag that block 1, which fails, does not set.
TEST_F(BlockTest, AFaultEndsBlocksThatWaitForTheOneThatFailed) {
  load(R"(.visible .entry waits(.param .u64 flag) {
    .reg .pred %p<3>; .reg .b32 %r<4>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [flag];
    mov.u32 %r1, %ctaid.x;
    setp.eq.u32 %p1, %r1, 1;
    @%p1 trap;
  $wait:
    ld.volatile.global.u32 %r2, [%rd1];
    setp.eq.u32 %p2, %r2, 0;
    @%p2 bra $wait;
    ret;
  })");
  const auto flag = buffer(std::vector<std::uint32_t>{0});
  EXPECT_NE(fault({2, 1, 1}, {32, 1, 1}, flag).find("block (1,0,0)"), std::string::npos);
}

TEST_F(BlockTest, AWarpWaitsForAStoreOfALaterOne) {
  load(R"(.visible .entry waits(.param .u64 out) {
    .shared .align 4 .b8 flag[4];
    .reg .pred %p<3>; .reg .b32 %r<6>; .reg .b64 %rd<4>;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, flag;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra $begun;
    mov.u32 %r3, 0;
    st.volatile.shared.u32 [%r2], %r3;
  $begun:
    bar.sync 0;
    setp.eq.u32 %p1, %r1, 1023;
    @%p1 bra $set;
  $wait:
    ld.volatile.shared.u32 %r3, [%r2];
    setp.eq.u32 %p2, %r3, 0;
    @%p2 bra $wait;
    ld.param.u64 %rd1, [out];
    st.global.u32 [%rd1], %r3;
    ret;
  $set:
    mov.u32 %r3, 9;
    st.volatile.shared.u32 [%r2], %r3;
    ret;
  })");
  const auto out = buffer(std::vector<std::uint32_t>{0});
  run({1, 1, 1}, {1024, 1, 1}, out);
  EXPECT_EQ(read<std::uint32_t>(out, 1)[0], 9u);
}

TEST_F(BlockTest, ALockIsPassedOnBetweenBlocks) {
  load(R"(.visible .entry locks(.param .u64 lock) {
    .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [lock];
  $spin:
    atom.global.cas.b32 %r1, [%rd1], 0, 1;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra $spin;
    ld.volatile.global.u32 %r2, [%rd1+4];
    add.u32 %r2, %r2, 1;
    st.volatile.global.u32 [%rd1+4], %r2;
    membar.gl;
    atom.global.exch.b32 %r3, [%rd1], 0;
    ret;
  })");
  const auto lock = buffer(std::vector<std::uint32_t>{0, 0});
  run({200, 1, 1}, {1, 1, 1}, lock);
  EXPECT_EQ(read<std::uint32_t>(lock, 2)[1], 200u);
}

TEST_F(BlockTest, AtomicsOfAllBlocksAddUp) {
  load(R"(.visible .entry adds(.param .u64 sums) {
    .reg .b32 %r<4>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [sums];
    mov.u32 %r1, %tid.x;
    atom.global.add.u32 %r2, [%rd1], %r1;
    atom.global.add.u32 %r2, [%rd1+4], 1;
    ret;
  })");
  const auto sums = buffer(std::vector<std::uint32_t>{0, 0});
  const Counters counters = run({300, 1, 1}, {96, 1, 1}, sums);
  EXPECT_EQ(read<std::uint32_t>(sums, 2), (std::vector<std::uint32_t>{300 * 96 * 95 / 2, 28800}));
  EXPECT_EQ(counters.n_launches, 1u);
  EXPECT_EQ(counters.n_blocks, 300u);
  EXPECT_EQ(counters.n_warps, 900u);
  EXPECT_EQ(counters.warp_instructions, 900u * 5);
  EXPECT_EQ(counters.lane_instructions, 28800u * 5);
  EXPECT_EQ(counters.lanes_by_class[static_cast<int>(InstructionClass::kAtomic)], 28800u * 2);
}

TEST_F(BlockTest, RegistersOfEveryBlockBeginAsNan) {
  load(R"(.visible .entry unset(.param .u64 out) {
    .reg .f32 %f<3>; .reg .b32 %r<6>; .reg .b64 %rd<4>;
    mov.u32 %r1, %ctaid.x;
    ld.param.u64 %rd1, [out];
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    add.rn.f32 %f2, %f1, %f1;
    st.global.f32 [%rd3], %f2;
    mov.f32 %f1, 0f3F800000;
    ret;
  })");
  const auto out = buffer(std::vector<float>(10, 0));
  run({10, 1, 1}, {1, 1, 1}, out);
  for (const float value : read<float>(out, 10)) EXPECT_NE(value, value);
}

TEST_F(BlockTest, SharedMemoryOfEveryBlockBeginsUnwritten) {
  load(R"(.visible .entry unset(.param .u64 out) {
    .shared .align 4 .b8 shared[4];
    .reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %rd<4>;
    mov.u32 %r1, %ctaid.x;
    ld.param.u64 %rd1, [out];
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    mov.u32 %r2, shared;
    setp.lt.u32 %p1, %r1, 7;
    @%p1 bra $write;
    ld.shared.u32 %r3, [%r2];
    st.global.u32 [%rd3], %r3;
  $write:
    st.shared.u32 [%r2], 1;
    ret;
  })");
  const auto out = buffer(std::vector<std::uint32_t>(10, 0));
  EXPECT_NE(fault({10, 1, 1}, {1, 1, 1}, out).find("block (7,0,0), thread (0,0,0), line 12"),
            std::string::npos);
  launch_.checks.uninitialized = false;
  run({10, 1, 1}, {1, 1, 1}, out);
  EXPECT_EQ(read<std::uint32_t>(out, 10)[9], 0xffffffff);
}

}  // namespace
}  // namespace numpy_plugin::sim
