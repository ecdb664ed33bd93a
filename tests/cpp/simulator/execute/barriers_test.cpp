// Barriers of a block: arrivals, releases, and messages where no release is possible.
#include <algorithm>

#include "simulator/execute/environment.hpp"

namespace numpy_plugin::sim {
namespace {

// A kernel that stores %r0 of each thread; %r1 is its number. The body begins on line 5.
class BarrierTest : public ExecuteTest {
 protected:
  void load_body(const std::string& body) {
    load(R"(.visible .entry k(.param .u64 out) {
    .shared .align 4 .b8 shared[4096];
    .reg .pred %p<9>; .reg .b32 %r<16>; .reg .b64 %rd<6>;
    mov.u32 %r1, %tid.x; mov.u32 %r0, 0; shl.b32 %r15, %r1, 2; mov.u32 %r14, shared;
)" + body +
         R"(
  $store:
    ld.param.u64 %rd1, [out];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mad.lo.u32 %r2, %r2, %r3, %r1;
    mul.wide.u32 %rd2, %r2, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r0;
  $end:
    ret;
  })");
  }

  // Of one block; two blocks give the same.
  std::vector<std::uint32_t> results(const std::string& body, std::uint32_t n_threads) {
    load_body(body);
    const auto out = buffer(std::vector<std::uint32_t>(2 * n_threads, 0xeeeeeeee));
    run({2, 1, 1}, {n_threads, 1, 1}, out);
    const auto of_both = read<std::uint32_t>(out, 2 * n_threads);
    const auto middle = of_both.begin() + n_threads;
    EXPECT_TRUE(std::equal(of_both.begin(), middle, middle));
    return {of_both.begin(), middle};
  }

  std::string fault_of(const std::string& body, std::uint32_t n_threads) {
    load_body(body);
    return fault({1, 1, 1}, {n_threads, 1, 1}, buffer(std::vector<std::uint32_t>(n_threads, 0)));
  }
};

constexpr const char* kReverse = R"(
    add.u32 %r2, %r14, %r15;
    st.shared.u32 [%r2], %r1;
    bar.sync 0;
    mov.u32 %r3, %ntid.x;
    sub.u32 %r4, %r3, %r1;
    sub.u32 %r4, %r4, 1;
    shl.b32 %r4, %r4, 2;
    add.u32 %r4, %r14, %r4;
    ld.shared.u32 %r0, [%r4];)";

TEST_F(BarrierTest, AllWarpsComeBeforeAnyGoesOn) {
  for (const std::uint32_t n : {1u, 32u, 33u, 256u, 1000u, 1024u}) {
    const auto values = results(kReverse, n);
    for (std::uint32_t i = 0; i < n; ++i) ASSERT_EQ(values[i], n - 1 - i) << n;
  }
}

TEST_F(BarrierTest, ATreeReductionSumsTheBlock) {
  const auto values = results(R"(
    add.u32 %r2, %r14, %r15;
    st.shared.u32 [%r2], %r1;
    mov.u32 %r3, 128;
  $loop:
    bar.sync 0;
    setp.ge.u32 %p1, %r1, %r3;
    @%p1 bra $next;
    shl.b32 %r4, %r3, 2;
    add.u32 %r5, %r2, %r4;
    ld.shared.u32 %r6, [%r5];
    ld.shared.u32 %r7, [%r2];
    add.u32 %r7, %r7, %r6;
    st.shared.u32 [%r2], %r7;
  $next:
    shr.u32 %r3, %r3, 1;
    setp.ne.u32 %p2, %r3, 0;
    @%p2 bra $loop;
    bar.sync 0;
    ld.shared.u32 %r0, [%r14];)",
                              256);
  EXPECT_EQ(values, std::vector<std::uint32_t>(256, 255 * 256 / 2));
}

TEST_F(BarrierTest, ReductionsGiveAllThreadsTheirResult) {
  EXPECT_EQ(results("setp.lt.u32 %p1, %r1, 45; bar.red.popc.u32 %r0, 0, %p1;", 70),
            std::vector<std::uint32_t>(70, 45));
  EXPECT_EQ(results("setp.lt.u32 %p1, %r1, 45; bar.red.popc.u32 %r0, 0, !%p1;", 70),
            std::vector<std::uint32_t>(70, 25));
  for (const auto& [limit, all, any] :
       {std::array{0u, 0u, 0u}, std::array{69u, 0u, 1u}, std::array{70u, 1u, 1u}}) {
    const std::string test = "setp.lt.u32 %p1, %r1, " + std::to_string(limit) + ";";
    EXPECT_EQ(results(test + "bar.red.and.pred %p2, 3, %p1; selp.u32 %r0, 1, 0, %p2;", 70),
              std::vector<std::uint32_t>(70, all));
    EXPECT_EQ(results(test + "bar.red.or.pred %p2, 3, %p1; selp.u32 %r0, 1, 0, %p2;", 70),
              std::vector<std::uint32_t>(70, any));
  }
}

TEST_F(BarrierTest, ThreadsThatHaveExitedDoNotCount) {
  const std::string exits = R"(
    setp.ge.u32 %p1, %r1, %r13;
    @%p1 bra $end;
    add.u32 %r2, %r14, %r15;
    st.shared.u32 [%r2], %r1;
    bar.sync 0;
    xor.b32 %r3, %r15, 4;
    add.u32 %r4, %r14, %r3;
    ld.shared.u32 %r0, [%r4];)";
  for (const std::uint32_t n_left : {2u, 16u, 32u, 40u, 64u, 100u}) {
    const auto values = results("mov.u32 %r13, " + std::to_string(n_left) + ";" + exits, 128);
    for (std::uint32_t i = 0; i < 128; ++i) {
      ASSERT_EQ(values[i], i < n_left ? i ^ 1 : 0xeeeeeeee) << n_left;
    }
  }
}

TEST_F(BarrierTest, ThreadsThatExitLateReleaseThoseThatWait) {
  EXPECT_EQ(results(R"(
    setp.lt.u32 %p1, %r1, 48;
    @%p1 bra $wait;
    mov.u32 %r2, 3000;
  $work:
    sub.u32 %r2, %r2, 1;
    setp.ne.u32 %p2, %r2, 0;
    @%p2 bra $work;
    exit;
  $wait:
    bar.sync 0;
    mov.u32 %r0, 4;)",
                    128)[40],
            4u);
}

TEST_F(BarrierTest, ABarrierOfSomeWarpsWaitsForTheirNumber) {
  // Warps 0 and 1 meet at barrier 1, warps 2 and 3 at barrier 2, each twice.
  const auto values = results(R"(
    add.u32 %r2, %r14, %r15;
    setp.ge.u32 %p1, %r1, 64;
    st.shared.u32 [%r2], %r1;
    @%p1 bra $high;
    bar.sync 1, 64;
    xor.b32 %r3, %r15, 128;
    add.u32 %r4, %r14, %r3;
    ld.shared.u32 %r0, [%r4];
    bar.sync 1, 64;
    bra $store;
  $high:
    bar.sync 2, 64;
    xor.b32 %r3, %r15, 128;
    add.u32 %r4, %r14, %r3;
    ld.shared.u32 %r0, [%r4];
    bar.sync 2, 64;)",
                              128);
  for (std::uint32_t i = 0; i < 128; ++i) ASSERT_EQ(values[i], i ^ 32);
}

// Warp 0 produces ten values in sequence; warp 1 consumes them.
TEST_F(BarrierTest, AProducerArrivesAndGoesOn) {
  const auto values = results(R"(
    mov.u32 %r5, 0;
    setp.ge.u32 %p1, %r1, 32;
    @%p1 bra $consume;
  $produce:
    bar.sync 2, 64;
    add.u32 %r2, %r14, %r15;
    mad.lo.u32 %r6, %r5, 100, %r1;
    st.shared.u32 [%r2], %r6;
    barrier.cta.arrive 1, 64;
    add.u32 %r5, %r5, 1;
    setp.lt.u32 %p2, %r5, 10;
    @%p2 bra $produce;
    bra $store;
  $consume:
    barrier.cta.arrive 2, 64;
    bar.sync 1, 64;
    xor.b32 %r3, %r15, 128;
    add.u32 %r2, %r14, %r3;
    ld.shared.u32 %r6, [%r2];
    add.u32 %r0, %r0, %r6;
    add.u32 %r5, %r5, 1;
    setp.lt.u32 %p2, %r5, 10;
    @%p2 bra $consume;)",
                              64);
  for (std::uint32_t i = 32; i < 64; ++i) ASSERT_EQ(values[i], 4500 + (i - 32) * 10) << i;
}

TEST_F(BarrierTest, AWarpThatArrivesInPartsCountsOnce) {
  const auto values = results(R"(
    setp.ge.u32 %p1, %r1, 32;
    @%p1 bra $wait;
    setp.ge.u32 %p1, %r1, 9;
    @%p1 bra $high;
    barrier.cta.arrive 1, 64;
    bra $store;
  $high:
    barrier.cta.arrive 1, 64;
    bra $store;
  $wait:
    bar.sync 1, 64;
    mov.u32 %r0, 3;)",
                              64);
  EXPECT_EQ(values[40], 3u);
}

TEST_F(BarrierTest, ABarrierOfTheClusterIsOneOfTheBlock) {
  const auto values = results(R"(
    add.u32 %r2, %r14, %r15;
    st.shared.u32 [%r2], %r1;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    xor.b32 %r3, %r15, 128;
    add.u32 %r4, %r14, %r3;
    ld.shared.u32 %r0, [%r4];
    barrier.cluster.arrive;
    barrier.cluster.wait;
    st.shared.u32 [%r2], %r0;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    ld.shared.u32 %r0, [%r4];)",
                              64);
  EXPECT_EQ(values, counting<std::uint32_t>(64));
}

TEST_F(BarrierTest, ABarrierOfTheWarpOrdersItsLanes) {
  const std::string exchange = R"(
    add.u32 %r2, %r14, %r15;
    st.shared.u32 [%r2], %r1;
    BARRIER
    xor.b32 %r3, %r15, 4;
    add.u32 %r4, %r14, %r3;
    ld.shared.u32 %r0, [%r4];)";
  const auto with = [&](const std::string& barrier) {
    std::string body = exchange;
    return body.replace(body.find("BARRIER"), 7, barrier);
  };
  EXPECT_EQ(results(with("bar.warp.sync -1;"), 64)[33], 32u);
  EXPECT_NE(fault_of(with(""), 64).find("race"), std::string::npos);
}

constexpr const char* kApart = R"(
    setp.lt.u32 %p1, %r1, 10;
    @%p1 bra $low;
    bar.sync 0;
    bra $store;
  $low:
    bar.sync 0;)";

TEST_F(BarrierTest, LanesThatComeToTwoBarriersAreReported) {
  EXPECT_EQ(fault_of(kApart, 64),
            "719: kernel 'k', block (0,0,0), thread (10,0,0), line 8 of the PTX: barrier "
            "divergence: the threads of a warp must come to one barrier together; threads (0,0,0) "
            "to (9,0,0) wait at bar.sync on line 11 of the PTX; threads (10,0,0) to (31,0,0) wait "
            "at bar.sync "
            "on line 8 of the PTX");
}

TEST_F(BarrierTest, WithoutTheCheckTheyAreCountedApart) {
  launch_.checks.barriers = false;
  EXPECT_EQ(results(kApart, 64), std::vector<std::uint32_t>(64, 0));
}

// Each half of a warp waits in its own place, and all threads then see what all stored before.
TEST_F(BarrierTest, LanesMayComeToAnUnalignedBarrierAtTwoPlaces) {
  const std::string exchange = R"(
    add.u32 %r2, %r14, %r15;
    st.shared.u32 [%r2], %r1;
    and.b32 %r3, %r1, 1;
    setp.eq.u32 %p1, %r3, 0;
    @%p1 bra $even;
    barrier.sync 0;
    bra $read;
  $even:
    barrier.cta.sync 0;
  $read:
    xor.b32 %r3, %r15, 132;
    add.u32 %r4, %r14, %r3;
    ld.shared.u32 %r0, [%r4];)";
  const auto values = results(exchange, 64);
  for (std::uint32_t i = 0; i < 64; ++i) ASSERT_EQ(values[i], i ^ 33);
}

TEST_F(BarrierTest, LanesMayComeToAnUnalignedBarrierInTwoCalls) {
  load(R"(.func wait(.param .b32 x) { barrier.sync 0; ret; }
  .func deeper(.param .b32 x) { { .param .b32 a; call wait, (a); } ret; }
  .visible .entry k(.param .u64 out) {
    .shared .align 4 .b8 shared[256];
    .reg .pred %p<9>; .reg .b32 %r<16>; .reg .b64 %rd<6>;
    mov.u32 %r1, %tid.x; shl.b32 %r15, %r1, 2; mov.u32 %r14, shared; add.u32 %r2, %r14, %r15;
    st.shared.u32 [%r2], %r1;
    and.b32 %r3, %r1, 3;
    setp.lt.u32 %p1, %r3, 2;
    @%p1 bra $low;
    { .param .b32 a; call deeper, (a); }
    bra $read;
  $low:
    setp.eq.u32 %p2, %r3, 0;
    @%p2 bra $lowest;
    { .param .b32 a; call wait, (a); }
    bra $read;
  $lowest:
    barrier.red.popc.u32 %r5, 0, %p1;
  $read:
    xor.b32 %r3, %r15, 252;
    add.u32 %r4, %r14, %r3;
    ld.shared.u32 %r0, [%r4];
    ld.param.u64 %rd1, [out];
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r0;
    ret; })");
  const auto out = buffer(std::vector<std::uint32_t>(64));
  run({1, 1, 1}, {64, 1, 1}, out);
  const auto values = read<std::uint32_t>(out, 64);
  for (std::uint32_t i = 0; i < 64; ++i) ASSERT_EQ(values[i], 63 - i);
}

TEST_F(BarrierTest, AnAlignedBarrierDoesNotMeetAnUnalignedOne) {
  for (const char* aligned : {"bar.sync", "barrier.sync.aligned", "barrier.cta.sync.aligned"}) {
    const std::string found = fault_of(R"(
    setp.lt.u32 %p1, %r1, 10;
    @%p1 bra $low;
    barrier.cta.sync 0;
    bra $store;
  $low:
    )" + std::string(aligned) + " 0;",
                                       32);
    EXPECT_NE(found.find("thread (0,0,0), line 11 of the PTX: barrier divergence"),
              std::string::npos)
        << found;
    EXPECT_NE(found.find("threads (0,0,0) to (9,0,0) wait at " + std::string(aligned) + " on"),
              std::string::npos)
        << found;
    EXPECT_NE(found.find("threads (10,0,0) to (31,0,0) wait at barrier.cta.sync on line 8"),
              std::string::npos)
        << found;
  }
}

TEST_F(BarrierTest, UnalignedReductionsGiveAllThreadsTheirResult) {
  EXPECT_EQ(results(R"(
    setp.lt.u32 %p1, %r1, 45;
    and.b32 %r3, %r1, 1;
    setp.eq.u32 %p2, %r3, 0;
    @%p2 bra $even;
    barrier.cta.red.popc.u32 %r0, 3, 96, %p1;
    bra $store;
  $even:
    barrier.red.popc.u32 %r0, 3, 96, %p1;)",
                    70),
            std::vector<std::uint32_t>(70, 45));
}

TEST_F(BarrierTest, LanesAtABarrierAndLanesAtAShuffleAreReported) {
  const std::string found = fault_of(R"(
    setp.lt.u32 %p1, %r1, 10;
    @%p1 bra $low;
    bar.sync 0;
    bra $store;
  $low:
    shfl.sync.idx.b32 %r0, %r1, 0, 31, -1;)",
                                     32);
  EXPECT_NE(found.find("barrier divergence"), std::string::npos) << found;
  EXPECT_NE(
      found.find("threads (0,0,0) to (9,0,0) wait at shfl.sync.idx.b32 on line 11 of the PTX"),
      std::string::npos)
      << found;
}

TEST_F(BarrierTest, ANumberThatNeverComesIsADeadlock) {
  const std::string found = fault_of(R"(
    setp.ge.u32 %p1, %r1, 64;
    @%p1 bra $high;
    bar.sync 1, 96;
    bra $store;
  $high:
    bar.sync 0;)",
                                     128);
  EXPECT_EQ(found,
            "702: kernel 'k', block (0,0,0), thread (0,0,0), line 8 of the PTX: deadlock: no "
            "thread of the block can continue; all are waiting; threads (0,0,0) to "
            "(31,0,0) wait at bar.sync on line 8 of the PTX; threads (32,0,0) to (63,0,0) wait at "
            "bar.sync on "
            "line 8 of the PTX; threads (64,0,0) to (95,0,0) wait at bar.sync on line 11 of the "
            "PTX; threads (96,0,0) to "
            "(127,0,0) wait at bar.sync on line 11 of the PTX");
}

TEST_F(BarrierTest, ADeadlockOfManyWarpsIsToldInShort) {
  const std::string found = fault_of("bar.sync 1, 2048;", 1024);
  EXPECT_TRUE(found.ends_with("; and 24 more warps")) << found;
}

TEST_F(BarrierTest, WrongNumbersAreFaults) {
  EXPECT_NE(fault_of("bar.sync %r13;", 32).find("an uninitialized value is used at a barrier"),
            std::string::npos);
  EXPECT_NE(fault_of("mov.u32 %r2, 16; bar.sync %r2;", 32)
                .find("there is no barrier 16; a block "
                      "has barriers 0 to 15"),
            std::string::npos);
  EXPECT_NE(fault_of("mov.u32 %r2, 33; bar.sync 1, %r2;", 64)
                .find("a barrier of 33 threads; expected a multiple of 32"),
            std::string::npos);
  EXPECT_NE(fault_of("and.b32 %r2, %r1, 32; add.u32 %r2, %r2, 64; bar.sync 1, %r2;", 128)
                .find("a barrier of 96 threads, where others wait for 64 at the same one"),
            std::string::npos);
  EXPECT_NE(fault_of("and.b32 %r2, %r1, 1; bar.sync %r2;", 32)
                .find("name different barriers or numbers of threads, 0 and 1"),
            std::string::npos);
}

}  // namespace
}  // namespace numpy_plugin::sim
