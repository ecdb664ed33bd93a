// Warp operations: shuffles, votes, matches, reductions; waiting lanes.
#include <bit>

#include "simulator/execute/environment.hpp"

namespace numpy_plugin::sim {
namespace {

// A kernel of one warp that stores %r0 of each thread; %r1 is its number. The text is on line 4.
class WarpTest : public ExecuteTest {
 protected:
  void load_body(const std::string& body) {
    load(R"(.visible .entry k(.param .u64 out) {
    .reg .pred %p<9>; .reg .b32 %r<16>; .reg .b64 %rd<6>;
    mov.u32 %r1, %tid.x;
)" + body +
         R"(
  $store:
    ld.param.u64 %rd1, [out];
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r0;
  $end:
    ret;
  })");
  }

  std::vector<std::uint32_t> results(const std::string& body, std::uint32_t n_threads = 32) {
    load_body(body);
    const auto out = buffer(std::vector<std::uint32_t>(n_threads, 0xeeeeeeee));
    run({1, 1, 1}, {n_threads, 1, 1}, out);
    return read<std::uint32_t>(out, n_threads);
  }

  std::string fault_of(const std::string& body) {
    load_body(body);
    return fault({1, 1, 1}, {32, 1, 1}, buffer(std::vector<std::uint32_t>(32, 0)));
  }
};

// The source lane by the PTX documentation, -1 where the predicate is false.
int documented_source(const std::string& mode, int lane, int b, int c) {
  const int segment_mask = c >> 8;
  const int clamp = c & 31;
  const int max_lane = (lane & segment_mask) | (clamp & ~segment_mask & 31);
  const int min_lane = lane & segment_mask;
  int from = 0;
  bool is_within = false;
  if (mode == "up") {
    from = lane - b;
    is_within = from >= max_lane;
  } else if (mode == "down") {
    from = lane + b;
    is_within = from <= max_lane;
  } else if (mode == "bfly") {
    from = lane ^ b;
    is_within = from <= max_lane;
  } else {
    from = min_lane | (b & ~segment_mask & 31);
    is_within = from <= max_lane;
  }
  return is_within ? from : -1;
}

TEST_F(WarpTest, ShufflesTakeTheLaneThatTheDocumentSays) {
  for (const std::string mode : {"up", "down", "bfly", "idx"}) {
    for (const int b : {0, 1, 2, 5, 16, 31}) {
      for (const int width : {32, 16, 8, 2}) {
        const int c = (32 - width) << 8 | (mode == "up" ? 0 : 31);
        const auto values = results("mul.lo.u32 %r2, %r1, 3; shfl.sync." + mode +
                                    ".b32 %r0|%p1, %r2, " + std::to_string(b) + ", " +
                                    std::to_string(c) + ", -1; @%p1 add.u32 %r0, %r0, 1000;");
        for (int lane = 0; lane < 32; ++lane) {
          const int from = documented_source(mode, lane, b, c);
          const int expected = from < 0 ? lane * 3 : from * 3 + 1000;
          ASSERT_EQ(values[static_cast<std::size_t>(lane)], static_cast<std::uint32_t>(expected))
              << mode << " " << b << " " << width << " lane " << lane;
        }
      }
    }
  }
}

TEST_F(WarpTest, AShuffleTakesTheAmountOfEachLane) {
  const auto values = results(
      "xor.b32 %r2, %r1, 21; mul.lo.u32 %r3, %r1, %r1;"
      "shfl.sync.idx.b32 %r0, %r3, %r2, 31, 0xffffffff;");
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    ASSERT_EQ(values[lane], (lane ^ 21) * (lane ^ 21));
}

TEST_F(WarpTest, AReductionByShufflesSumsTheWarp) {
  const auto values = results(R"(mov.u32 %r0, %r1; mov.u32 %r4, 16;
  $loop:
    shfl.sync.down.b32 %r2, %r0, %r4, 31, -1;
    add.u32 %r0, %r0, %r2;
    shr.u32 %r4, %r4, 1;
    setp.ne.u32 %p1, %r4, 0;
    @%p1 bra $loop;)");
  EXPECT_EQ(values[0], 31u * 32 / 2);
}

TEST_F(WarpTest, VotesCountTheLanesOfTheirMask) {
  EXPECT_EQ(results("setp.lt.u32 %p1, %r1, 7; vote.sync.ballot.b32 %r0, %p1, -1;"),
            std::vector<std::uint32_t>(32, 0x7f));
  EXPECT_EQ(results("setp.lt.u32 %p1, %r1, 7; vote.sync.ballot.b32 %r0, !%p1, -1;"),
            std::vector<std::uint32_t>(32, 0xffffff80));
  for (const auto& [limit, all, any] :
       {std::array{0u, 0u, 0u}, std::array{7u, 0u, 1u}, std::array{32u, 1u, 1u}}) {
    const std::string test = "setp.lt.u32 %p1, %r1, " + std::to_string(limit) + ";";
    EXPECT_EQ(results(test + "vote.sync.all.pred %p2, %p1, -1; selp.u32 %r0, 1, 0, %p2;"),
              std::vector<std::uint32_t>(32, all));
    EXPECT_EQ(results(test + "vote.sync.any.pred %p2, %p1, -1; selp.u32 %r0, 1, 0, %p2;"),
              std::vector<std::uint32_t>(32, any));
  }
}

TEST_F(WarpTest, AMatchFindsTheLanesOfEqualValue) {
  const auto values = results("rem.u32 %r2, %r1, 3; match.any.sync.b32 %r0, %r2, -1;");
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    std::uint32_t expected = 0;
    for (std::uint32_t other = lane % 3; other < 32; other += 3) expected |= 1u << other;
    ASSERT_EQ(values[lane], expected);
  }
  const std::string wide = "cvt.u64.u32 %rd4, %r1; shl.b64 %rd4, %rd4, 40;";
  EXPECT_EQ(results(wide + "match.any.sync.b64 %r0, %rd4, -1;")[5], 1u << 5);
  EXPECT_EQ(results("mov.u32 %r2, 9; match.all.sync.b32 %r0|%p1, %r2, -1;"
                    "@!%p1 mov.u32 %r0, 1;"),
            std::vector<std::uint32_t>(32, 0xffffffff));
  EXPECT_EQ(results("match.all.sync.b32 %r0|%p1, %r1, -1; @%p1 mov.u32 %r0, 1;"),
            std::vector<std::uint32_t>(32, 0));
}

TEST_F(WarpTest, AReductionOfAWarpGivesAllLanesItsResult) {
  const std::string signs = "sub.u32 %r2, %r1, 5; redux.sync.";  // -5 to 26
  const auto value = [&](const std::string& rest) {
    const auto values = results(signs + rest + " %r0, %r2, -1;");
    EXPECT_EQ(values, std::vector<std::uint32_t>(32, values[0]));
    return static_cast<std::int32_t>(values[0]);
  };
  EXPECT_EQ(value("add.s32"), (-5 + 26) * 16);
  EXPECT_EQ(value("min.s32"), -5);
  EXPECT_EQ(value("max.s32"), 26);
  EXPECT_EQ(value("min.u32"), 0);
  EXPECT_EQ(value("max.u32"), -1);
  EXPECT_EQ(value("and.b32"), 0);
  EXPECT_EQ(value("or.b32"), -1);
  std::uint32_t exclusive = 0;
  for (std::uint32_t lane = 0; lane < 32; ++lane) exclusive ^= lane - 5;
  EXPECT_EQ(value("xor.b32"), static_cast<std::int32_t>(exclusive));
}

TEST_F(WarpTest, HalvesOfAWarpCanWorkApart) {
  const auto values = results(R"(setp.lt.u32 %p1, %r1, 16;
    @%p1 bra $low;
    redux.sync.add.u32 %r0, %r1, 0xffff0000;
    bra $store;
  $low:
    redux.sync.add.u32 %r0, %r1, 0xffff;
    bra $store;)");
  for (std::uint32_t lane = 0; lane < 32; ++lane) ASSERT_EQ(values[lane], lane < 16 ? 120u : 376u);
}

// Lanes meet by mask and kind, at any position in the program.
TEST_F(WarpTest, LanesMeetFromTwoBranches) {
  const auto values = results(R"(and.b32 %r2, %r1, 1;
    setp.eq.u32 %p1, %r2, 0;
    @%p1 bra $even;
    add.u32 %r3, %r1, 100;
    shfl.sync.bfly.b32 %r0, %r3, 1, 31, -1;
    bra $store;
  $even:
    add.u32 %r4, %r1, 200;
    shfl.sync.bfly.b32 %r0, %r4, 1, 31, -1;
    bra $store;)");
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    ASSERT_EQ(values[lane], (lane ^ 1) + (lane % 2 == 0 ? 100 : 200)) << lane;
  }
}

// Lanes of a converged group name their own mask each.
TEST_F(WarpTest, EachLaneMayNameTheMaskOfItsGroup) {
  const auto values = results(R"(shr.u32 %r2, %r1, 3;
    match.any.sync.b32 %r3, %r2, -1;
    redux.sync.add.u32 %r0, %r1, %r3;)");
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    ASSERT_EQ(values[lane], lane / 8 * 64 + 28) << lane;
  }
}

TEST_F(WarpTest, LanesThatExitAreNotWaitedFor) {
  const auto values = results(R"(setp.ge.u32 %p1, %r1, 20;
    @%p1 bra $end;
    setp.ge.u32 %p2, %r1, 0;
    vote.sync.ballot.b32 %r0, %p2, -1;)");
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    ASSERT_EQ(values[lane], lane < 20 ? 0xfffffu : 0xeeeeeeeeu);
  }
}

TEST_F(WarpTest, LanesThatExitLaterReleaseThoseThatWait) {
  const auto values = results(R"(setp.lt.u32 %p1, %r1, 20;
    setp.eq.u32 %p2, %r1, %r1;
    @%p1 bra $vote;
    mov.u32 %r5, 50;
  $work:
    sub.u32 %r5, %r5, 1;
    setp.ne.u32 %p3, %r5, 0;
    @%p3 bra $work;
    exit;
  $vote:
    vote.sync.ballot.b32 %r0, %p2, -1;)");
  EXPECT_EQ(values[3], 0xfffffu);
}

TEST_F(WarpTest, ThreadsThatDoNotExistAreNotWaitedFor) {
  const auto values = results("setp.eq.u32 %p1, %r1, %r1; vote.sync.ballot.b32 %r0, %p1, -1;", 33);
  EXPECT_EQ(values[0], 0xffffffffu);
  EXPECT_EQ(values[32], 1u);
}

TEST_F(WarpTest, TheActiveMaskIsTheGroup) {
  const auto values = results(R"(setp.lt.u32 %p1, %r1, 12;
    @%p1 bra $low;
    activemask.b32 %r0;
    bra $store;
  $low:
    activemask.b32 %r0;
    bra $store;)");
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    ASSERT_EQ(values[lane], lane < 12 ? 0xfffu : 0xfffff000u);
  }
}

// Each lane waits for the previous one, by spinning on memory between warp barriers.
TEST_F(WarpTest, ABarrierOfTheWarpWaitsForItsLanes) {
  const auto values = results(R"(mov.u32 %r0, 0;
    mov.u32 %r4, %r1;
  $loop:
    setp.eq.u32 %p1, %r4, 0;
    @%p1 bra $met;
    sub.u32 %r4, %r4, 1;
    add.u32 %r0, %r0, 1;
    bra $loop;
  $met:
    bar.warp.sync -1;
    shfl.sync.idx.b32 %r0, %r0, 31, 31, -1;)");
  EXPECT_EQ(values, std::vector<std::uint32_t>(32, 31));
}

TEST_F(WarpTest, AMaskWithoutTheLaneItselfIsAFault) {
  EXPECT_EQ(fault_of("shfl.sync.idx.b32 %r0, %r1, 0, 31, 0xffff;"),
            "719: kernel 'k', block (0,0,0), thread (16,0,0), line 4 of the PTX: the mask "
            "0x0000ffff of shfl.sync.idx.b32 does not hold the thread's own lane, 16");
}

TEST_F(WarpTest, MasksThatCanNeverMeetAreAFault) {
  const std::string found = fault_of(R"(setp.lt.u32 %p1, %r1, 16;
    @%p1 bra $low;
    shfl.sync.idx.b32 %r0, %r1, 0, 31, -1;
    bra $store;
  $low:
    shfl.sync.idx.b32 %r0, %r1, 0, 31, 0x1ffff;
    bra $store;)");
  EXPECT_EQ(found,
            "702: kernel 'k', block (0,0,0), thread (16,0,0), line 6 of the PTX: lanes of a warp "
            "wait for each other and none can continue: threads (0,0,0) to (15,0,0) wait at "
            "shfl.sync.idx.b32 on line 9 of the PTX with the mask 0x0001ffff; threads (16,0,0) to "
            "(31,0,0) wait at shfl.sync.idx.b32 on line 6 of the PTX with the mask 0xffffffff");
}

TEST_F(WarpTest, OperationsOfTwoKindsDoNotMeet) {
  const std::string found = fault_of(R"(setp.lt.u32 %p1, %r1, 16;
    @%p1 bra $low;
    bar.warp.sync -1;
    bra $store;
  $low:
    shfl.sync.idx.b32 %r0, %r1, 0, 31, -1;
    bra $store;)");
  EXPECT_NE(found.find("wait at bar.warp.sync on line 6 of the PTX"), std::string::npos) << found;
  EXPECT_NE(found.find("wait at shfl.sync.idx.b32 on line 9 of the PTX"), std::string::npos)
      << found;
}

TEST_F(WarpTest, AVoteIsUniformWhereAllLanesAgree) {
  for (const auto& [limit, expected] : {std::pair{0, 1u}, std::pair{9, 0u}, std::pair{32, 1u}}) {
    const auto values = results("setp.lt.u32 %p1, %r1, " + std::to_string(limit) +
                                "; vote.sync.uni.pred %p2, %p1, -1; selp.u32 %r0, 1, 0, %p2;");
    EXPECT_EQ(values, std::vector<std::uint32_t>(32, expected)) << limit;
  }
}

TEST_F(WarpTest, OneLaneIsElected) {
  const auto values = results(R"(setp.lt.u32 %p1, %r1, 5;
    @%p1 bra $store;
    elect.sync %r2|%p2, 0xffffffe0;
    selp.u32 %r0, 100, 0, %p2;
    add.u32 %r0, %r0, %r2;)");
  for (std::uint32_t lane = 5; lane < 32; ++lane) ASSERT_EQ(values[lane], lane == 5 ? 105u : 5u);
  EXPECT_EQ(results("elect.sync _|%p2, -1; selp.u32 %r0, 1, 0, %p2;")[0], 1u);
}

TEST_F(WarpTest, FloatsAreReducedWithAndWithoutNan) {
  // 2 * (lane - 9), and NaN in lane 31.
  const std::string floats = R"(sub.s32 %r2, %r1, 9; add.s32 %r2, %r2, %r2; cvt.rn.f32.s32 %r2, %r2;
    setp.eq.u32 %p1, %r1, 31; selp.b32 %r2, 0xffc00001, %r2, %p1; redux.sync.)";
  const auto reduced = [&](const std::string& operation) {
    const auto values = results(floats + operation + ".f32 %r0, %r2, -1;");
    EXPECT_EQ(values, std::vector<std::uint32_t>(32, values[0]));
    return values[0];
  };
  EXPECT_EQ(reduced("min"), std::bit_cast<std::uint32_t>(-18.0f));
  EXPECT_EQ(reduced("max"), std::bit_cast<std::uint32_t>(42.0f));
  EXPECT_EQ(reduced("min.abs"), 0u);
  EXPECT_EQ(reduced("max.abs"), std::bit_cast<std::uint32_t>(42.0f));
  EXPECT_EQ(reduced("max.NaN"), 0x7fffffffu);
  EXPECT_EQ(reduced("min.abs.NaN"), 0x7fffffffu);
  EXPECT_EQ(results("mov.b32 %r2, 0xffc00001; redux.sync.max.f32 %r0, %r2, -1;")[7], 0x7fffffffu);
  EXPECT_EQ(results("shl.b32 %r2, %r1, 31; redux.sync.min.f32 %r0, %r2, -1;")[7], 0x80000000u);
}

TEST_F(WarpTest, AGuardKeepsLanesFromAVote) {
  const auto values = results(R"(setp.lt.u32 %p1, %r1, 4;
    mov.u32 %r0, 5;
    setp.eq.u32 %p2, %r1, %r1;
    @%p1 vote.sync.ballot.b32 %r0, %p2, 15;)");
  for (std::uint32_t lane = 0; lane < 32; ++lane) ASSERT_EQ(values[lane], lane < 4 ? 15u : 5u);
}

}  // namespace
}  // namespace numpy_plugin::sim
