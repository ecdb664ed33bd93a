// mbarriers: phases, counts of arrivals and bytes, order of memory, misuse.
#include "simulator/execute/environment.hpp"

namespace numpy_plugin::sim {
namespace {

// A kernel that stores %r0 of each thread; %r1 is its number. `bar` and `data` are shared, %r14 is
// the address of the thread's word of `data`, %rd5 the one of `input`. The body begins on line 7.
class MbarrierTest : public ExecuteTest {
 protected:
  void load_body(const std::string& body) {
    load(R"(.visible .entry k(.param .u64 out, .param .u64 input) {
    .shared .align 16 .b8 data[1024]; .shared .align 8 .b64 bar;
    .reg .pred %p<9>; .reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .b32 %result;
    mov.u32 %r1, %tid.x; mov.u32 %r0, 0; shl.b32 %r15, %r1, 2; mov.u32 %r14, data;
    add.u32 %r14, %r14, %r15; ld.param.u64 %rd5, [input];
    setp.eq.u32 %p0, %r1, 0;
)" + body +
         R"(
  $store:
    ld.param.u64 %rd1, [out];
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r0;
    ret;
  })");
  }

  std::vector<std::uint32_t> results(const std::string& body, std::uint32_t n_threads) {
    load_body(body);
    const auto out = buffer(std::vector<std::uint32_t>(n_threads, 0xeeeeeeee));
    run({1, 1, 1}, {n_threads, 1, 1}, out, input());
    return read<std::uint32_t>(out, n_threads);
  }

  std::string fault_of(const std::string& body, std::uint32_t n_threads = 1) {
    load_body(body);
    const auto out = buffer(std::vector<std::uint32_t>(n_threads));
    return fault({1, 1, 1}, {n_threads, 1, 1}, out, input());
  }

  void expect_fault(const std::string& body, const std::string& part, std::uint32_t n_threads = 1) {
    const std::string found = fault_of(body, n_threads);
    EXPECT_NE(found.find(part), std::string::npos) << found << "\n  for " << body;
  }

  // Every value is 5 more than its index.
  std::uint64_t input() {
    std::vector<std::uint32_t> values = counting<std::uint32_t>(256);
    for (std::uint32_t& value : values) value += 5;
    return buffer(values);
  }
};

// A read of the word of the thread 33 further on or back.
constexpr const char* kRead = R"(
    xor.b32 %r3, %r15, 132;
    mov.u32 %r4, data;
    add.u32 %r4, %r4, %r3;
    ld.shared.u32 %r0, [%r4];)";

TEST_F(MbarrierTest, ThreadsWaitForAllArrivals) {
  for (const char* wait :
       {"try_wait.shared::cta.b64 %p1, [bar], %rd4",
        "test_wait.acquire.cta.shared.b64 %p1, [bar], %rd4",
        "try_wait.shared.b64 %p1, [bar], %rd4, 1000", "try_wait.parity.b64 %p1, [bar], 0"}) {
    const auto values = results(R"(
    @%p0 mbarrier.init.shared::cta.b64 [bar], 128;
    bar.sync 0;
    st.shared.u32 [%r14], %r1;
    mbarrier.arrive.shared.b64 %rd4, [bar];
  $wait:
    mbarrier.)" + std::string(wait) +
                                    R"(;
    @!%p1 bra $wait;)" + kRead,
                                128);
    for (std::uint32_t i = 0; i < 128; ++i) ASSERT_EQ(values[i], i ^ 33) << wait;
  }
}

TEST_F(MbarrierTest, RelaxedWaitsAndArrivalsOrderNothing) {
  const auto body = [](const std::string& arrive, const std::string& wait) {
    return R"(
    @%p0 mbarrier.init.shared.b64 [bar], 64;
    bar.sync 0;
    st.shared.u32 [%r14], %r1;
    mbarrier.arrive)" +
           arrive + R"(.shared.b64 %rd4, [bar];
  $wait:
    mbarrier.test_wait)" +
           wait + R"(.shared.b64 %p1, [bar], %rd4;
    @!%p1 bra $wait;)" +
           kRead;
  };
  EXPECT_EQ(fault_of(body("", ""), 64), "no fault");
  EXPECT_EQ(fault_of(body(".release.cluster", ".acquire.cluster"), 64), "no fault");
  expect_fault(body(".relaxed.cta", ".acquire.cta"), "a race on offset", 64);
  expect_fault(body(".release.cta", ".relaxed.cta"), "a race on offset", 64);
}

// A condition of one thread's mbarrier of two arrivals, after some instructions.
TEST_F(MbarrierTest, PhasesEndWithTheLastArrivalAndByte) {
  struct Row {
    const char* instructions;
    std::uint32_t has_ended;  // the first phase
  };
  const std::string arrive = "mbarrier.arrive.shared.b64 _, [bar];";
  for (const Row& row : {
           Row{"", 0},
           Row{"mbarrier.arrive.shared.b64 _, [bar];", 0},
           Row{"mbarrier.arrive.shared.b64 _, [bar], 2;", 1},
           Row{"mbarrier.arrive.b64 _, [bar]; mbarrier.arrive.shared.b64 _, [bar];", 1},
           Row{"mbarrier.arrive.noComplete.shared.b64 %rd4, [bar], 1;", 0},
           Row{"mbarrier.arrive_drop.shared.b64 _, [bar], 2;", 1},
           Row{"mbarrier.arrive.expect_tx.shared.b64 _, [bar], 8;"
               "mbarrier.arrive.shared.b64 _, [bar];",
               0},
           Row{"mbarrier.arrive.expect_tx.shared.b64 _, [bar], 8;"
               "mbarrier.arrive.shared.b64 _, [bar];"
               "mbarrier.complete_tx.shared.b64 [bar], 8;",
               1},
           Row{"mbarrier.complete_tx.shared.b64 [bar], 8;"
               "mbarrier.arrive.shared.b64 _, [bar];"
               "mbarrier.arrive_drop.expect_tx.shared.b64 _, [bar], 8;",
               1},
           Row{"mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], 24;"
               "mbarrier.arrive.shared.b64 _, [bar], 2;"
               "mbarrier.complete_tx.shared.b64 [bar], 16;",
               0},
       }) {
    const auto found =
        results("mbarrier.init.shared.b64 [bar], 2;" + std::string(row.instructions) +
                    "mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0;"
                    "selp.u32 %r0, 1, 0, %p1;",
                1);
    EXPECT_EQ(found[0], row.has_ended) << row.instructions;
  }
}

TEST_F(MbarrierTest, PhasesAlternate) {
  const auto found = results(R"(
    mbarrier.init.shared.b64 [bar], 1;
    mbarrier.arrive.shared.b64 %rd4, [bar];
    mbarrier.arrive.shared.b64 %rd6, [bar];
    mbarrier.test_wait.shared.b64 %p1, [bar], %rd6;
    selp.u32 %r2, 1, 0, %p1;
    mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0;
    selp.u32 %r3, 2, 0, %p2;
    mbarrier.test_wait.parity.shared.b64 %p2, [bar], 1;
    selp.u32 %r4, 4, 0, %p2;
    or.b32 %r0, %r2, %r3;
    or.b32 %r0, %r0, %r4;)",
                             1);
  EXPECT_EQ(found[0], 5u);
}

TEST_F(MbarrierTest, DroppedArrivalsAreNotExpectedAgain) {
  const auto found = results(R"(
    mbarrier.init.shared.b64 [bar], 3;
    mbarrier.arrive_drop.shared.b64 %rd4, [bar];
    mbarrier.arrive.shared.b64 %rd4, [bar], 2;
    mbarrier.arrive.noComplete.shared.b64 %rd6, [bar], 1;
    mbarrier.arrive.shared.b64 %rd7, [bar];
    mbarrier.pending_count.b64 %r2, %rd4;
    mbarrier.pending_count.b64 %r3, %rd6;
    mbarrier.pending_count.b64 %r4, %rd7;
    mad.lo.u32 %r0, %r2, 10, %r3;
    mad.lo.u32 %r0, %r0, 10, %r4;)",
                             1);
  EXPECT_EQ(found[0], 221u);
}

// Warp 0 fills a buffer ten times, warp 1 empties it: two mbarriers of 32 arrivals.
TEST_F(MbarrierTest, AProducerAndAConsumerTakeTurns) {
  const auto values = results(R"(
    .shared .align 8 .b64 full; .shared .align 8 .b64 empty;
    @%p0 mbarrier.init.shared.b64 [full], 32;
    @%p0 mbarrier.init.shared.b64 [empty], 32;
    mov.u32 %r5, 0; mov.u32 %r6, 0; mov.u32 %r7, 1;
    bar.sync 0;
    setp.ge.u32 %p1, %r1, 32;
    @%p1 bra $consume;
  $produce:
    mbarrier.try_wait.parity.shared.b64 %p2, [empty], %r7;
    @!%p2 bra $produce;
    mad.lo.u32 %r8, %r5, 100, %r1;
    st.shared.u32 [%r14], %r8;
    mbarrier.arrive.shared.b64 _, [full];
    xor.b32 %r7, %r7, 1;
    add.u32 %r5, %r5, 1;
    setp.lt.u32 %p2, %r5, 10;
    @%p2 bra $produce;
    bra $store;
  $consume:
    mbarrier.try_wait.parity.shared.b64 %p2, [full], %r6;
    @!%p2 bra $consume;
    ld.shared.u32 %r8, [%r14+-128];
    add.u32 %r0, %r0, %r8;
    mbarrier.arrive.shared.b64 _, [empty];
    xor.b32 %r6, %r6, 1;
    add.u32 %r5, %r5, 1;
    setp.lt.u32 %p2, %r5, 10;
    @%p2 bra $consume;)",
                              64);
  for (std::uint32_t i = 32; i < 64; ++i) ASSERT_EQ(values[i], 4500 + (i - 32) * 10) << i;
}

// Half of each warp waits for what the other half does later.
TEST_F(MbarrierTest, AWaitLetsOtherLanesAndWarpsRun) {
  load_body(R"(
    @%p0 mbarrier.init.shared.b64 [bar], 32;
    bar.sync 0;
    and.b32 %r2, %r1, 1;
    setp.eq.u32 %p1, %r2, 0;
    @!%p1 bra $late;
  $wait:
    mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;
    @!%p2 bra $wait;
    mov.u32 %r0, 7;
    bra $store;
  $late:
    mbarrier.arrive.shared.b64 _, [bar];)");
  const auto out = buffer(std::vector<std::uint32_t>(64));
  const Counters counters = run({1, 1, 1}, {64, 1, 1}, out, input());
  EXPECT_EQ(read<std::uint32_t>(out, 64)[62], 7u);
  // Without yielding, each wait would take a thousand instructions.
  EXPECT_LT(counters.warp_instructions, 200u);
}

TEST_F(MbarrierTest, MisuseIsAFault) {
  const std::string init = "mbarrier.init.shared.b64 [bar], 2;";
  expect_fault("mbarrier.arrive.shared.b64 _, [bar];",
               "mbarrier.arrive.shared.b64, offset 1024 of shared memory: found no mbarrier is "
               "initialized there; expected mbarrier.init before");
  expect_fault(init + init, "found one is in use already; expected mbarrier.inval before another");
  expect_fault(init + "mbarrier.inval.shared.b64 [bar]; mbarrier.arrive.shared.b64 _, [bar];",
               "found no mbarrier is initialized there");
  expect_fault(init + "st.shared.u32 [bar], 7; mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0;",
               "found something else was stored there since mbarrier.init");
  expect_fault(init + "mbarrier.arrive.shared.b64 _, [bar], 3;",
               "found 3 arrivals; expected no more than the 2 that its phase has left");
  expect_fault(init + "mov.u32 %r0, 0; mbarrier.arrive.shared.b64 _, [bar], %r0;",
               "found 0 arrivals; expected 1 to 1048575");
  expect_fault("mov.u32 %r0, 1048576; mbarrier.init.shared.b64 [bar], %r0;",
               "found 1048576 arrivals");
  expect_fault("mov.u32 %r0, 0; mbarrier.init.shared.b64 [bar], %r0;", "found 0 arrivals");
  expect_fault(init + "mbarrier.arrive.noComplete.shared.b64 %rd4, [bar], 2;",
               "found the last arrival of its phase; expected one that does not complete it");
  expect_fault(init + "mbarrier.expect_tx.shared.b64 [bar], 1048576;",
               "found 1048576 pending bytes; expected at most 1048575");
  expect_fault(init + "mov.u32 %r0, 2; mbarrier.test_wait.parity.shared.b64 %p1, [bar], %r0;",
               "found the parity 2; expected 0 or 1");
  expect_fault("mbarrier.init.shared.b64 [bar+4], 1;", "which is not a multiple of 8");
  expect_fault("mbarrier.init.shared.b64 [bar+8], 1;", "of which the block has 1032 bytes");
  expect_fault("mbarrier.init.b64 [%rd5], 1;",
               "found an mbarrier at a generic address outside of shared memory; expected one "
               "inside");
  expect_fault(init + "bar.sync 0; mbarrier.arrive.shared.b64 _, [bar];", "a race on offset 1024",
               64);
}

// Threads that wait for ever on line 10, after some instructions of thread 0.
class MbarrierWaitTest : public MbarrierTest {
 protected:
  std::string message(const std::string& first, const std::string& wait, std::uint32_t n_threads) {
    launch_.max_steps = 100'000;
    return fault_of("@!%p0 bra $others;\n" + first + "\n$others: bar.sync 0;\n$wait: mbarrier." +
                        wait + ";\n@!%p1 bra $wait;",
                    n_threads);
  }
};

TEST_F(MbarrierWaitTest, AnEndlessWaitIsNamedWithItsPhase) {
  struct Row {
    const char* first;
    const char* wait;
    const char* expected;
  };
  for (const Row& row : {
           Row{"mbarrier.init.shared.b64 [bar], 2; mbarrier.arrive.shared.b64 _, [bar];",
               "try_wait.parity.shared.b64 %p1, [bar], 0",
               "whose phase of parity 0 has 1 of 2 arrivals"},
           Row{"mbarrier.init.shared.b64 [bar], 1;", "test_wait.parity.shared.b64 %p1, [bar], 0",
               "whose phase of parity 0 has 0 of 1 arrival"},
           Row{"mbarrier.init.shared.b64 [bar], 3; mbarrier.arrive.shared.b64 _, [bar], 3;",
               "try_wait.parity.acquire.cta.shared::cta.b64 %p1, [bar], 1",
               "whose phase of parity 1 has 0 of 3 arrivals"},
           Row{"mbarrier.init.shared.b64 [bar], 3; mbarrier.arrive_drop.shared.b64 _, [bar];"
               "mbarrier.arrive.shared.b64 _, [bar];",
               "try_wait.parity.shared.b64 %p1, [bar], 0",
               "whose phase of parity 0 has 1 of 2 arrivals"},
           Row{"mbarrier.init.shared.b64 [bar], 1;"
               "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 32;"
               "mbarrier.complete_tx.shared.b64 [bar], 16;",
               "try_wait.parity.shared.b64 %p1, [bar], 0",
               "whose phase of parity 0 has 1 of 1 arrival and 16 pending bytes"},
           Row{"mbarrier.init.shared.b64 [bar], 1; mbarrier.complete_tx.shared.b64 [bar], 1;",
               "try_wait.parity.shared.b64 %p1, [bar], 0",
               "whose phase of parity 0 has 0 of 1 arrival and -1 pending bytes"},
       }) {
    const std::string mnemonic = std::string(row.wait).substr(0, std::string(row.wait).find(' '));
    const std::string expected = "threads (0,0,0) to (31,0,0) wait at mbarrier." + mnemonic +
                                 " on line 10 of the PTX for the mbarrier at offset 1024 of "
                                 "shared memory, " +
                                 row.expected;
    const std::string found = message(row.first, row.wait, 64);
    EXPECT_NE(found.find("no progress: the block has not ended after 100000 instructions"),
              std::string::npos)
        << found;
    EXPECT_NE(found.find(expected + "; threads (32,0,0)"), std::string::npos) << found;
    EXPECT_TRUE(found.ends_with(row.expected)) << found;
  }
}

TEST_F(MbarrierWaitTest, OneThreadWaitsByTheStateOfItsArrival) {
  const std::string found =
      message("mbarrier.init.shared.b64 [bar], 2; mbarrier.arrive.shared.b64 %rd4, [bar];",
              "try_wait.shared.b64 %p1, [bar], %rd4", 1);
  EXPECT_NE(found.find("thread (0,0,0) waits at mbarrier.try_wait.shared.b64 on line 10 of the PTX "
                       "for the mbarrier at offset 1024 of shared memory, whose phase of parity 0 "
                       "has 1 of 2 arrivals"),
            std::string::npos)
      << found;
}

// Others have come to the barrier that comes after the wait.
TEST_F(MbarrierWaitTest, ThreadsAtABarrierAreNamedBesideThoseThatWait) {
  launch_.max_steps = 100'000;
  const std::string found = fault_of(R"(
    @%p0 mbarrier.init.shared.b64 [bar], 2;
    bar.sync 0;
    setp.ge.u32 %p2, %r1, 32;
    @%p2 bra $end;
  $wait:
    mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0;
    @!%p1 bra $wait;
  $end:
    bar.sync 0;)",
                                     64);
  EXPECT_NE(found.find("threads (0,0,0) to (31,0,0) wait at mbarrier.try_wait.parity.shared.b64 on "
                       "line 13 of the PTX for the mbarrier at offset 1024 of shared memory, whose "
                       "phase of parity 0 has 0 of 2 arrivals; threads (32,0,0) to (63,0,0) wait "
                       "at bar.sync"),
            std::string::npos)
      << found;
}

// A loop that tests an mbarrier, whose phase has ended, is no wait for it.
TEST_F(MbarrierWaitTest, AnEndedPhaseIsNotWaitedFor) {
  const std::string found =
      message("mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.shared.b64 _, [bar];",
              "test_wait.parity.shared.b64 %p2, [bar], 0; setp.ne.u32 %p1, %r0, 0", 1);
  EXPECT_NE(found.find("no progress"), std::string::npos) << found;
  EXPECT_EQ(found.find("for the mbarrier"), std::string::npos) << found;
}

TEST_F(MbarrierTest, AnInvalidatedOneMayBeAnother) {
  EXPECT_EQ(results("mbarrier.init.shared.b64 [bar], 2; mbarrier.inval.shared.b64 [bar];"
                    "mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.shared.b64 %rd4, [bar];"
                    "mbarrier.pending_count.b64 %r0, %rd4;",
                    1)[0],
            1u);
}

TEST_F(MbarrierTest, CopiesArrive) {
  for (const auto& [suffix, n_arrivals] : {std::pair{".noinc", 64}, std::pair{"", 128}}) {
    const auto values = results(R"(
    @%p0 mbarrier.init.shared.b64 [bar], )" +
                                    std::to_string(n_arrivals == 128 ? 64 : n_arrivals) + R"(;
    bar.sync 0;
    mul.wide.u32 %rd6, %r1, 4;
    add.s64 %rd6, %rd5, %rd6;
    cp.async.ca.shared::cta.global.L2::128B [%r14], [%rd6], 4;
    cp.async.mbarrier.arrive)" + suffix +
                                    ".shared::cta.b64 [bar];" +
                                    (n_arrivals == 128 ? "mbarrier.arrive.shared.b64 _, [bar];"
                                                       : "") +
                                    R"(
  $wait:
    mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0;
    @!%p1 bra $wait;)" + kRead,
                                64);
    for (std::uint32_t i = 0; i < 64; ++i) ASSERT_EQ(values[i], (i ^ 33) + 5) << suffix;
  }
}

constexpr const char* kBulk = R"(
    @%p0 mbarrier.init.shared.b64 [bar], 64;
    @%p0 fence.mbarrier_init.release.cluster;
    mov.u32 %r6, data; mov.u32 %r7, 256;
    bar.sync 0;
    @!%p0 bra $others;
    COPY
    mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], 256;
    bra $wait;
  $others:
    mbarrier.arrive.shared.b64 _, [bar];
  $wait:
    mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0;
    @!%p1 bra $wait;)";

std::string bulk(const std::string& copy) {
  std::string body = kBulk;
  return body.replace(body.find("COPY"), 4, copy);
}

TEST_F(MbarrierTest, BulkCopiesToSharedMemoryCompleteBytes) {
  for (const char* copy :
       {"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r6], [%rd5], %r7, [bar];",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
        "[data], [%rd5], 256, [bar], %rd5;"}) {
    const auto values = results(bulk(copy) + kRead, 64);
    for (std::uint32_t i = 0; i < 64; ++i) ASSERT_EQ(values[i], (i ^ 33) + 5) << copy;
  }
}

TEST_F(MbarrierTest, BulkCopiesWithinSharedMemory) {
  const auto values = results(bulk(R"(
    st.shared.u32 [%r14+512], 11; st.shared.u32 [%r14+516], 12; st.shared.u32 [%r14+520], 13;
    st.shared.u32 [%r14+524], 14;
    fence.proxy.async.shared::cta;
    cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r6], [%r6+512], 16,
      [bar];
    mbarrier.complete_tx.shared.b64 [bar], 240;)") +
                                  "mov.u32 %r4, data; ld.shared.u32 %r0, [%r4+8];",
                              64);
  EXPECT_EQ(values, std::vector<std::uint32_t>(64, 13));
}

TEST_F(MbarrierTest, BulkCopiesToGlobalMemory) {
  load_body(R"(
    st.shared.u32 [%r14], %r1;
    fence.proxy.async;
    bar.sync 0;
    @!%p0 bra $end;
    mov.u32 %r6, data;
    cp.async.bulk.global.shared::cta.bulk_group [%rd5+16], [%r6], 128;
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group.read 0;
    cp.async.bulk.wait_group 0;
    cp.async.bulk.prefetch.L2.global [%rd5], 64;
  $end:)");
  const auto target = input();
  run({1, 1, 1}, {64, 1, 1}, buffer(std::vector<std::uint32_t>(64)), target);
  const auto values = read<std::uint32_t>(target, 64);
  for (std::uint32_t i = 0; i < 64; ++i) {
    ASSERT_EQ(values[i], i >= 4 && i < 36 ? i - 4 : i + 5);
  }
}

TEST_F(MbarrierTest, BulkReductions) {
  struct Row {
    const char* operation;
    std::uint32_t expected;  // of 9 and 6
  };
  for (const Row& row : {Row{"add.u32", 15},
                         {"min.s32", 6},
                         {"max.u32", 9},
                         {"inc.u32", 0},
                         {"dec.u32", 6},
                         {"and.b32", 0},
                         {"xor.b32", 15},
                         {"or.b32", 15}}) {
    load_body(R"(
    st.shared.u32 [%r14], 6;
    fence.proxy.async.shared::cta;
    bar.sync 0;
    @!%p0 bra $store;
    mov.u32 %r6, data;
    cp.reduce.async.bulk.global.shared::cta.bulk_group.)" +
              std::string(row.operation) + R"( [%rd5+16], [%r6], 32;
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;)");
    const auto target = buffer(std::vector<std::uint32_t>(64, 9));
    run({1, 1, 1}, {64, 1, 1}, buffer(std::vector<std::uint32_t>(64)), target);
    std::vector<std::uint32_t> expected(64, 9);
    std::fill_n(expected.begin() + 4, 8, row.expected);
    EXPECT_EQ(read<std::uint32_t>(target, 64), expected) << row.operation;
  }
}

TEST_F(MbarrierTest, BulkReductionsWithinSharedMemoryCompleteBytes) {
  const auto values = results(bulk(R"(
    st.shared.u32 [%r6], 30; st.shared.u32 [%r6+4], 40; st.shared.u32 [%r6+8], 50;
    st.shared.u32 [%r6+12], 60; st.shared.u32 [%r6+256], 1; st.shared.u32 [%r6+260], 2;
    st.shared.u32 [%r6+264], 3; st.shared.u32 [%r6+268], 4;
    cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%r6],
      [%r6+256], 16, [bar];
    mbarrier.complete_tx.shared.b64 [bar], 240;)") +
                                  "mov.u32 %r4, data; ld.shared.u32 %r0, [%r4+8];",
                              64);
  EXPECT_EQ(values, std::vector<std::uint32_t>(64, 53));
}

TEST_F(MbarrierTest, WrongBulkCopiesAreFaults) {
  const auto copy = [](const std::string& operands) {
    return bulk("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes " + operands + ";");
  };
  expect_fault("mov.u32 %r0, 24;" + copy("[data], [%rd5], %r0, [bar]"),
               "cp.async.bulk of 24 bytes; expected a multiple of 16", 64);
  expect_fault(copy("[data+8], [%rd5], 16, [bar]"),
               "wrote 16 bytes at offset 8 of shared memory, which is not a multiple of 16", 64);
  expect_fault(copy("[data], [%rd5+8], 16, [bar]"), "which is not a multiple of 16", 64);
  expect_fault(copy("[data+512], [%rd5], 1024, [bar]"), "of which the block has 1032 bytes", 64);
  expect_fault(copy("[data], [%rd5+1024], 16, [bar]"), "read 16 bytes at", 64);
  expect_fault(copy("[data], [%rd5], 16, [data+256]"), "found no mbarrier is initialized there",
               64);
  // A second thread reads without waiting.
  expect_fault(R"(
    @%p0 mbarrier.init.shared.b64 [bar], 1;
    bar.sync 0;
    @%p0 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [data], [%rd5], 256, [bar];
    ld.shared.u32 %r0, [%r14];)",
               "a race on offset", 64);
  EXPECT_THROW(load_body("cp.async.bulk.shared::cta.shared::cta.bulk_group [data], [data], 16;"),
               PtxError);
  EXPECT_THROW(load_body("cp.async.bulk.global.shared::cta.bulk_group [data], [data], 16;"),
               PtxError);
}

TEST_F(MbarrierTest, StoresAndReductionsCompleteBytes) {
  const auto values = results(bulk(R"(
    st.shared.u32 [%r14+8], 40;
    st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%r6], {7, 8}, [bar];
    red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r6+8], 2,
      [bar];
    mbarrier.complete_tx.shared.b64 [bar], 244;)") +
                                  R"(
    mov.u32 %r4, data; ld.shared.u32 %r0, [%r4+8]; ld.shared.u32 %r5, [%r4+4];
    add.u32 %r0, %r0, %r5;)",
                              64);
  EXPECT_EQ(values, std::vector<std::uint32_t>(64, 50));
}

}  // namespace
}  // namespace numpy_plugin::sim
