// Races in kernels: typical mistakes, and correct kernels that must not be reported.
#include <gtest/gtest.h>

#include "simulator/execute/checks/memory_environment.hpp"

namespace numpy_plugin::sim {
namespace {

class race_kernels : public MemoryTest {
 protected:
  // Sums the threads' values by a tree in shared memory. `between` follows each level, on separate
  // lines.
  std::string tree_sum(const std::string& between, std::uint32_t n_threads) {
    load(R"(.entry k(.param .u64 p, .param .u64 q) {
      .reg .pred %p<4>; .reg .b64 %rd<8>; .reg .b32 %r<16>; .shared .align 4 .b8 s[4096];
      ld.param.u64 %rd0, [p]; ld.param.u64 %rd1, [q]; mov.u32 %r0, %tid.x;
      mul.wide.u32 %rd2, %r0, 4; add.s64 %rd3, %rd0, %rd2; ld.global.u32 %r1, [%rd3];
      shl.b32 %r2, %r0, 2; mov.u32 %r3, s; add.u32 %r2, %r2, %r3;
      st.shared.u32 [%r2], %r1;
      bar.sync 0; mov.u32 %r4, %ntid.x; shr.u32 %r4, %r4, 1;
      LOOP: setp.ge.u32 %p1, %r0, %r4; @%p1 bra NEXT; shl.b32 %r5, %r4, 2; add.u32 %r6, %r2, %r5;
      ld.shared.u32 %r7, [%r6];
      ld.shared.u32 %r8, [%r2]; add.u32 %r8, %r8, %r7;
      st.shared.u32 [%r2], %r8;
      NEXT: )" +
         between +
         R"( shr.u32 %r4, %r4, 1; setp.ne.u32 %p2, %r4, 0; @%p2 bra LOOP;
      setp.ne.u32 %p3, %r0, 0; @%p3 ret; ld.shared.u32 %r9, [s]; st.global.u32 [%rd1], %r9; ret; })");
    const std::uint64_t result = buffer(std::vector<std::uint32_t>(1));
    const std::string text =
        fault({2, 1, 1}, {n_threads, 1, 1}, buffer(counting<std::uint32_t>(n_threads)), result);
    if (text == "no fault") {
      EXPECT_EQ(read<std::uint32_t>(result, 1)[0], n_threads * (n_threads - 1) / 2);
    }
    return text;
  }
};

TEST_P(race_kernels, a_tree_sum_without_its_barrier_is_found) {
  const std::string text = tree_sum("", 256);
  EXPECT_TRUE(finds(text, "719: "));
  EXPECT_TRUE(
      finds(text,
            "line 9 of the PTX: a race on offset 64 of shared memory: thread (16,0,0) "
            "wrote it at line 11 of the PTX, thread (0,0,0) read it at line 9 of the PTX; "));
}

TEST_P(race_kernels, a_tree_sum_with_its_barrier_is_quiet) {
  for (const std::uint32_t n_threads : {32u, 64u, 256u, 1024u}) {
    EXPECT_EQ(tree_sum("bar.sync 0;", n_threads), "no fault");
  }
}

TEST_P(race_kernels, a_tree_sum_of_a_warp_needs_syncs_of_the_warp) {
  EXPECT_EQ(tree_sum("bar.warp.sync 0xffffffff;", 32), "no fault");
  const std::string text = tree_sum("", 32);
  EXPECT_TRUE(finds(text,
                    "they are lanes of one warp with no barrier (__syncwarp or "
                    "__syncthreads) between the two accesses"));
}

TEST_P(race_kernels, a_sync_of_the_warp_is_not_enough_for_several_warps) {
  const std::string text = tree_sum("bar.warp.sync 0xffffffff;", 128);
  EXPECT_TRUE(finds(text, "a race on offset "));
  EXPECT_TRUE(finds(text, "there is no barrier (__syncthreads) of both between the two accesses"));
}

TEST_P(race_kernels, are_let_through_where_they_are_not_checked) {
  launch_.checks.races = false;
  EXPECT_EQ(tree_sum("bar.sync 0;", 64), "no fault");
  load(R"(.entry k() { .reg .b32 %r<4>; .shared .align 4 .b8 s[4]; mov.u32 %r0, %tid.x;
    st.shared.u32 [s], %r0; ret; })");
  EXPECT_EQ(fault({1, 1, 1}, {64, 1, 1}), "no fault");
}

TEST_P(race_kernels, a_shuffle_orders_no_memory) {
  const char* shuffle = "shfl.sync.bfly.b32 %r10, %r8, 1, 31, -1;";
  EXPECT_TRUE(finds(tree_sum(shuffle, 32), "a race on offset "));
}

TEST_P(race_kernels, two_lanes_that_write_different_values_at_once) {
  load(R"(.entry k() { .reg .b32 %r<4>; .shared .align 4 .b8 s[8]; mov.u32 %r0, %tid.x;
    st.shared.u32 [s+4], %r0; ret; })");
  const std::string text = fault({1, 1, 1}, {4, 8, 1});
  EXPECT_TRUE(
      finds(text,
            "a race on offset 4 of shared memory: thread (0,0,0) wrote it at "
            "line 2 of the PTX, thread (1,0,0) wrote it at line 2 of the PTX; both did so in one "
            "step with different values"));
  load(R"(.entry k() { .shared .align 4 .b8 s[8]; st.shared.u32 [s+4], 1; ret; })");
  EXPECT_EQ(fault({1, 1, 1}, {32, 1, 1}), "no fault");
}

TEST_P(race_kernels, a_counter_needs_its_first_value_before_the_atomics) {
  const auto count = [&](const std::string& between) {
    load(R"(.entry k(.param .u64 q) { .reg .pred %p<4>; .reg .b64 %rd<4>; .reg .b32 %r<4>;
      .shared .align 4 .b8 s[4]; ld.param.u64 %rd0, [q]; mov.u32 %r0, %tid.x;
      setp.ne.u32 %p1, %r0, 0; @!%p1 st.shared.u32 [s], 0; )" +
         between + R"(
      atom.shared.add.u32 %r1, [s], 1; bar.sync 0; @%p1 ret;
      ld.shared.u32 %r2, [s]; st.global.u32 [%rd0], %r2; ret; })");
    const std::uint64_t result = buffer(std::vector<std::uint32_t>(1));
    const std::string text = fault({1, 1, 1}, {96, 1, 1}, result);
    if (text == "no fault") {
      EXPECT_EQ(read<std::uint32_t>(result, 1)[0], 96u);
    }
    return text;
  };
  EXPECT_EQ(count("bar.sync 0;"), "no fault");
  const std::string text = count("");
  EXPECT_TRUE(finds(text, "wrote it at line 3 of the PTX"));
  EXPECT_TRUE(finds(text, "wrote it (an atomic or volatile access) at line 4 of the PTX"));
}

TEST_P(race_kernels, a_histogram_needs_its_barrier_before_it_is_read) {
  const auto histogram = [&](const std::string& between) {
    load(R"(.entry k(.param .u64 q) { .reg .pred %p<4>; .reg .b64 %rd<4>; .reg .b32 %r<8>;
      .shared .align 4 .b8 s[64]; ld.param.u64 %rd0, [q]; mov.u32 %r0, %tid.x;
      and.b32 %r1, %r0, 15; shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.u32 %r2, %r2, %r3;
      setp.gt.u32 %p1, %r0, 15; @!%p1 st.shared.u32 [%r2], 0; bar.sync 0; mov.u32 %r4, 0;
      LOOP: atom.shared.add.u32 %r5, [%r2], 1; add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 40;
      @%p2 bra LOOP; )" +
         between + R"( @%p1 ret;
      ld.shared.u32 %r6, [%r2]; cvt.u64.u32 %rd1, %r0; shl.b64 %rd1, %rd1, 2;
      add.s64 %rd2, %rd0, %rd1; st.global.u32 [%rd2], %r6; ret; })");
    return fault({1, 1, 1}, {64, 1, 1}, buffer(std::vector<std::uint32_t>(16)));
  };
  EXPECT_EQ(histogram("bar.sync 0;"), "no fault");
  EXPECT_TRUE(finds(histogram(""), "a race on offset "));
}

TEST_P(race_kernels, a_lock_orders_what_it_protects) {
  const auto locked_count = [&](const std::string& lock, const std::string& unlock) {
    load(R"(.entry k(.param .u64 q) { .reg .pred %p<4>; .reg .b64 %rd<4>; .reg .b32 %r<8>;
      .shared .align 4 .b8 s[8]; ld.param.u64 %rd0, [q]; mov.u32 %r0, %tid.x;
      setp.ne.u32 %p1, %r0, 0; @!%p1 st.shared.v2.u32 [s], {0, 0}; bar.sync 0;
      and.b32 %r5, %r0, 31; setp.ne.u32 %p2, %r5, 0; @%p2 bra DONE;
      )" +
         lock + R"(
      ld.shared.u32 %r2, [s+4]; add.u32 %r2, %r2, 1; st.shared.u32 [s+4], %r2;
      )" +
         unlock + R"(
      DONE: bar.sync 0; @%p1 ret; ld.shared.u32 %r4, [s+4]; st.global.u32 [%rd0], %r4; ret; })");
    const std::uint64_t result = buffer(std::vector<std::uint32_t>(1));
    const std::string text = fault({1, 1, 1}, {256, 1, 1}, result);
    if (text == "no fault") {
      EXPECT_EQ(read<std::uint32_t>(result, 1)[0], 8u);
    }
    return text;
  };
  EXPECT_EQ(locked_count("LOCK: atom.shared.cas.b32 %r1, [s], 0, 1; setp.ne.u32 %p3, %r1, 0; "
                         "@%p3 bra LOCK;",
                         "membar.cta; atom.shared.exch.b32 %r3, [s], 0;"),
            "no fault");
  EXPECT_TRUE(finds(locked_count("", ""), "a race on offset 4 "));
}

TEST_P(race_kernels, a_flag_with_fences_orders_a_producer_and_its_consumer) {
  const auto pass_on = [&](const std::string& signal) {
    load(R"(.entry k(.param .u64 q) { .reg .pred %p<4>; .reg .b64 %rd<4>; .reg .b32 %r<8>;
      .shared .align 4 .b8 s[8]; ld.param.u64 %rd0, [q]; mov.u32 %r0, %tid.x;
      setp.ne.u32 %p1, %r0, 0; @!%p1 st.shared.u32 [s], 0; bar.sync 0; setp.ne.u32 %p2, %r0, 32;
      @!%p1 bra PRODUCE; @%p2 ret;
      WAIT: ld.volatile.shared.u32 %r1, [s]; setp.eq.u32 %p3, %r1, 0; @%p3 bra WAIT;
      ld.shared.u32 %r2, [s+4]; st.global.u32 [%rd0], %r2; ret;
      PRODUCE: st.shared.u32 [s+4], 9; )" +
         signal + R"( ret; })");
    const std::uint64_t result = buffer(std::vector<std::uint32_t>(1));
    const std::string text = fault({1, 1, 1}, {64, 1, 1}, result);
    if (text == "no fault") {
      EXPECT_EQ(read<std::uint32_t>(result, 1)[0], 9u);
    }
    return text;
  };
  EXPECT_EQ(pass_on("membar.cta; st.volatile.shared.u32 [s], 1;"), "no fault");
  EXPECT_EQ(pass_on("st.release.cta.shared.u32 [s], 1;"), "no fault");
  EXPECT_EQ(pass_on("atom.shared.exch.b32 %r3, [s], 1;"), "no fault");
  EXPECT_TRUE(finds(pass_on("st.volatile.shared.u32 [s], 1;"), "a race on offset 4 "));
}

TEST_P(race_kernels, each_thread_has_its_own_bytes) {
  load(R"(.entry k() { .reg .b32 %r<8>; .shared .align 4 .b8 s[64]; mov.u32 %r0, %tid.x;
    mov.u32 %r1, s; add.u32 %r1, %r1, %r0; st.shared.u8 [%r1], %r0; bar.sync 0;
    ld.shared.u8 %r2, [%r1]; xor.b32 %r3, %r1, 1; ld.shared.u8 %r4, [%r3]; ret; })");
  EXPECT_EQ(fault({1, 1, 1}, {64, 1, 1}), "no fault");
  load(R"(.entry k() { .reg .b32 %r<8>; .shared .align 4 .b8 s[64]; mov.u32 %r0, %tid.x;
    mov.u32 %r1, s; add.u32 %r1, %r1, %r0; st.shared.u8 [%r1], %r0;
    xor.b32 %r3, %r1, 1; ld.shared.u8 %r4, [%r3]; ret; })");
  EXPECT_TRUE(finds(fault({1, 1, 1}, {64, 1, 1}), "a race on offset "));
}

TEST_P(race_kernels, named_barriers_order_who_takes_part) {
  const auto hand_over = [&](const std::string& produced, const std::string& consumed) {
    load(R"(.entry k() { .reg .pred %p<4>; .reg .b32 %r<8>; .shared .align 4 .b8 s[128];
      mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 31; shl.b32 %r1, %r1, 2; mov.u32 %r2, s;
      add.u32 %r2, %r2, %r1; setp.lt.u32 %p1, %r0, 32; @%p1 bra PRODUCE;
      setp.ge.u32 %p2, %r0, 64; @%p2 ret; )" +
         consumed + R"(
      ld.shared.u32 %r3, [%r2]; ret;
      PRODUCE: st.shared.u32 [%r2], %r0; )" +
         produced + R"( ret; })");
    return fault({1, 1, 1}, {96, 1, 1});
  };
  EXPECT_EQ(hand_over("bar.sync 1, 64;", "bar.sync 1, 64;"), "no fault");
  EXPECT_EQ(hand_over("barrier.cta.arrive 1, 64;", "bar.sync 1, 64;"), "no fault");
  EXPECT_TRUE(finds(hand_over("", "bar.sync 1, 32;"), "a race on offset 0 "));
}

TEST_P(race_kernels, asynchronous_copies_need_a_barrier_for_other_threads) {
  const auto staged = [&](const std::string& between) {
    load(R"(.entry k(.param .u64 p) { .reg .b64 %rd<8>; .reg .b32 %r<8>;
      .shared .align 16 .b8 s[128]; ld.param.u64 %rd0, [p]; mov.u32 %r0, %tid.x;
      mul.wide.u32 %rd1, %r0, 4; add.s64 %rd0, %rd0, %rd1; shl.b32 %r1, %r0, 2; mov.u32 %r2, s;
      add.u32 %r3, %r2, %r1; cp.async.ca.shared.global [%r3], [%rd0], 4; cp.async.wait_all; )" +
         between + R"( xor.b32 %r4, %r3, 4; ld.shared.u32 %r5, [%r4]; ret; })");
    return fault({1, 1, 1}, {32, 1, 1}, buffer(counting<std::uint32_t>(32)));
  };
  EXPECT_EQ(staged("bar.sync 0;"), "no fault");
  EXPECT_TRUE(finds(staged(""), "a race on offset "));
}

TEST_P(race_kernels, asynchronous_copies_of_different_values_to_one_place) {
  load(R"(.entry k(.param .u64 p, .param .u32 step) { .reg .b64 %rd<8>; .reg .b32 %r<8>;
    .shared .align 16 .b8 s[16]; ld.param.u64 %rd0, [p]; ld.param.u32 %r1, [step];
    mov.u32 %r0, %tid.x; mul.lo.u32 %r0, %r0, %r1; cvt.u64.u32 %rd1, %r0;
    add.s64 %rd0, %rd0, %rd1; mov.u32 %r2, s;
    cp.async.cg.shared.global [%r2], [%rd0], 16; ret; })");
  const std::uint64_t source = buffer(counting<std::uint32_t>(128));
  EXPECT_EQ(fault({1, 1, 1}, {32, 1, 1}, source, 0u), "no fault");
  EXPECT_TRUE(finds(fault({1, 1, 1}, {32, 1, 1}, source, 16u),
                    "both did so in one step with different values"));
}

NPP_MEMORY_TESTS(race_kernels);

}  // namespace
}  // namespace numpy_plugin::sim
