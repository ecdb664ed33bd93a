// Races on global memory in kernels: typical mistakes, and correct kernels that must not be
// reported.
#include <gtest/gtest.h>

#include "simulator/execute/checks/memory_environment.hpp"

namespace numpy_plugin::sim {
namespace {

class global_race_kernels : public MemoryTest {
 protected:
  // A kernel of two pointers, %rd0 and %rd1. %r0 is the thread's number in the grid, %r1 in its
  // block; %rd2 and %rd3 are the addresses of its 4-byte elements. The body begins on line 2.
  void load_body(const std::string& body) {
    load(R"(.entry k(.param .u64 p, .param .u64 q) { .reg .pred %p<8>; .reg .b64 %rd<16>; )"
         R"(.reg .b32 %r<16>; .shared .align 4 .b8 s[256]; ld.param.u64 %rd0, [p]; )"
         R"(ld.param.u64 %rd1, [q]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; )"
         R"(mov.u32 %r3, %ntid.x; mad.lo.u32 %r0, %r2, %r3, %r1; mul.wide.u32 %rd4, %r0, 4; )"
         R"(add.s64 %rd2, %rd0, %rd4; add.s64 %rd3, %rd1, %rd4;)"
         "\n" +
         body + "\nret; }");
  }

  std::string run_body(const std::string& body, std::uint32_t n_blocks, std::uint32_t n_threads) {
    load_body(body);
    const std::vector<std::uint32_t> zeros(n_blocks * n_threads + 1);
    in_ = buffer(counting<std::uint32_t>(n_blocks * n_threads + 1));
    out_ = buffer(zeros);
    return fault({n_blocks, 1, 1}, {n_threads, 1, 1}, in_, out_);
  }

  void expect_race(const std::string& body, std::uint32_t n_blocks, std::uint32_t n_threads) {
    const std::string text = run_body(body, n_blocks, n_threads);
    EXPECT_TRUE(finds(text, "719: ")) << n_blocks << " x " << n_threads;
    EXPECT_TRUE(finds(text, "a race on byte ")) << n_blocks << " x " << n_threads;
  }

  std::uint64_t in_ = 0;
  std::uint64_t out_ = 0;
};

constexpr const char* kCount =
    "ld.global.u32 %r4, [%rd1];\nadd.u32 %r4, %r4, 1;\nst.global.u32 [%rd1], %r4;";

TEST_P(global_race_kernels, a_count_without_an_atomic_is_found_however_its_threads_are_arranged) {
  for (const auto& [n_blocks, n_threads] :
       {std::pair{1u, 2u}, {1u, 32u}, {1u, 64u}, {2u, 1u}, {64u, 1u}, {40u, 128u}}) {
    expect_race(kCount, n_blocks, n_threads);
  }
  EXPECT_EQ(run_body(kCount, 1, 1), "no fault");
}

TEST_P(global_race_kernels, the_message_names_both_accesses_and_what_to_do) {
  EXPECT_TRUE(finds(
      run_body(kCount, 1, 2),
      "kernel 'k', block (0,0,0), thread (0,0,0), line 4 of the PTX: a race on byte 0 (element 0 "
      "of 4 bytes) of allocation 2 (12 bytes, buffer): thread (1,0,0) of block (0,0,0) read it at "
      "line 2 of the PTX, thread (0,0,0) of block (0,0,0) wrote it at line 4 of the PTX; there is "
      "no barrier (__syncthreads) of both between the two accesses: use an atomic operation "
      "(atomicAdd, cuda.atomic.add), a barrier, or one thread for each element"));
  const std::string blocks = run_body(kCount, 2, 1);
  EXPECT_TRUE(finds(blocks, "of block (0,0,0) "));
  EXPECT_TRUE(finds(blocks, "of block (1,0,0) "));
  EXPECT_TRUE(finds(blocks,
                    "; blocks run in any order, and nothing orders these two accesses: use an "
                    "atomic operation (atomicAdd, cuda.atomic.add), one thread for each element, "
                    "or two launches"));
}

TEST_P(global_race_kernels, a_count_with_atomics_is_quiet) {
  EXPECT_EQ(run_body("red.global.add.u32 [%rd1], 1;", 40, 128), "no fault");
  EXPECT_EQ(read<std::uint32_t>(out_, 1)[0], 40u * 128);
  EXPECT_EQ(run_body("atom.global.add.u32 %r4, [%rd1], 1;", 40, 128), "no fault");
}

TEST_P(global_race_kernels, are_let_through_where_they_are_not_checked) {
  launch_.checks.races = false;
  EXPECT_EQ(run_body(kCount, 8, 64), "no fault");
}

TEST_P(global_race_kernels, elements_of_their_own_are_quiet) {
  EXPECT_EQ(run_body("ld.global.u32 %r4, [%rd2]; st.global.u32 [%rd3], %r4; ld.global.u32 %r5, "
                     "[%rd3]; add.u32 %r5, %r5, 1; st.global.u32 [%rd2], %r5;",
                     5, 100),
            "no fault");
}

TEST_P(global_race_kernels, a_neighbour_that_is_read_in_place_is_found) {
  for (const auto& [n_blocks, n_threads] : {std::pair{1u, 32u}, {1u, 64u}, {4u, 1u}, {9u, 96u}}) {
    expect_race("ld.global.u32 %r4, [%rd2+4]; st.global.u32 [%rd2], %r4;", n_blocks, n_threads);
  }
  const char* with_barrier = "ld.global.u32 %r4, [%rd2+4]; bar.sync 0; st.global.u32 [%rd2], %r4;";
  EXPECT_EQ(run_body(with_barrier, 1, 256), "no fault");
  expect_race(with_barrier, 2, 256);
  EXPECT_EQ(run_body("ld.global.u32 %r4, [%rd2+4]; st.global.u32 [%rd3], %r4;", 9, 96), "no fault");
}

TEST_P(global_race_kernels, lock_step_orders_nothing_but_a_sync_of_the_warp_does) {
  const auto shift = [](const std::string& between) {
    return "ld.global.u32 %r4, [%rd2+4]; " + between + " st.global.u32 [%rd2], %r4;";
  };
  EXPECT_EQ(run_body(shift("bar.warp.sync 0xffffffff;"), 1, 32), "no fault");
  expect_race(shift("shfl.sync.idx.b32 %r5, %r4, 0, 31, -1;"), 1, 32);
  expect_race(shift("bar.warp.sync 0xffffffff;"), 1, 64);
}

TEST_P(global_race_kernels, stores_race_where_their_values_differ) {
  for (const auto& [n_blocks, n_threads] : {std::pair{1u, 32u}, {1u, 64u}, {9u, 1u}}) {
    expect_race("st.global.u32 [%rd1], %r0;", n_blocks, n_threads);
    EXPECT_EQ(run_body("st.global.u32 [%rd1], 7;", n_blocks, n_threads), "no fault");
  }
}

TEST_P(global_race_kernels, bytes_beside_each_other_are_quiet) {
  EXPECT_EQ(run_body("cvt.u64.u32 %rd5, %r0; add.s64 %rd6, %rd1, %rd5; st.global.u8 [%rd6], %r0; "
                     "ld.global.u8 %r4, [%rd6];",
                     6, 50),
            "no fault");
  // A permutation, so that lanes do not form a row.
  EXPECT_EQ(run_body("xor.b32 %r5, %r0, 21; cvt.u64.u32 %rd5, %r5; add.s64 %rd6, %rd1, %rd5; "
                     "st.global.u8 [%rd6], %r0; ld.global.u8 %r4, [%rd6];",
                     4, 64),
            "no fault");
}

TEST_P(global_race_kernels, vectors_race_where_they_overlap) {
  const auto vectors = [](const std::string& from) {
    return "mul.wide.u32 %rd5, %r0, 16; add.s64 %rd6, %rd1, %rd5; mov.u32 %r4, 1; "
           "setp.gt.u32 %p1, %r0, 30; @%p1 bra DONE; st.global.v4.u32 [%rd6], {%r0, %r4, %r4, "
           "%r4}; "
           "ld.global.v2.u32 {%r5, %r6}, [%rd6" +
           from + "]; DONE:";
  };
  EXPECT_EQ(run_body(vectors("+8"), 1, 128), "no fault");
  expect_race(vectors("+16"), 1, 128);
}

TEST_P(global_race_kernels, a_count_before_its_first_value_is_found) {
  expect_race(
      "setp.ne.u32 %p1, %r0, 0; @!%p1 st.global.u32 [%rd1], 0; "
      "red.global.add.u32 [%rd1], 1;",
      3, 64);
}

TEST_P(global_race_kernels, a_sum_that_is_read_while_others_add_is_found) {
  for (const auto& [n_blocks, n_threads] : {std::pair{1u, 2u}, {1u, 64u}, {5u, 1u}}) {
    expect_race(
        "red.global.add.u32 [%rd1], 1; ld.global.u32 %r4, [%rd1]; st.global.u32 [%rd2], %r4;",
        n_blocks, n_threads);
  }
  EXPECT_EQ(run_body("red.global.add.u32 [%rd1], 1; bar.sync 0; ld.global.u32 %r4, [%rd1];", 1, 64),
            "no fault");
  EXPECT_EQ(run_body("red.global.add.u32 [%rd1], 1; ld.volatile.global.u32 %r4, [%rd1];", 5, 64),
            "no fault");
}

// As CUDA's guide writes atomic operations that the hardware lacks, and tests that save some.
TEST_P(global_race_kernels, a_first_look_before_an_atomic_operation_is_quiet) {
  EXPECT_EQ(run_body("ld.global.u32 %r4, [%rd1];\nAGAIN: add.u32 %r5, %r4, 2; mov.u32 %r6, %r4; "
                     "atom.global.cas.b32 %r4, [%rd1], %r6, %r5; setp.ne.u32 %p1, %r4, %r6; "
                     "@%p1 bra AGAIN;",
                     8, 64),
            "no fault");
  EXPECT_EQ(read<std::uint32_t>(out_, 1)[0], 8u * 64 * 2);
  EXPECT_EQ(run_body("ld.global.u32 %r4, [%rd1]; setp.ge.u32 %p1, %r4, %r0; "
                     "@!%p1 red.global.max.u32 [%rd1], %r0;",
                     8, 64),
            "no fault");
}

// Each block stores a partial result; the last one to count itself adds them.
TEST_P(global_race_kernels, the_last_block_may_read_what_others_have_released) {
  const auto sum = [](const std::string& fence) {
    return "setp.ne.u32 %p1, %r1, 0; @%p1 bra DONE; mul.wide.u32 %rd5, %r2, 4; "
           "add.s64 %rd6, %rd1, %rd5; add.u32 %r5, %r2, 1; st.global.u32 [%rd6+4], %r5; " +
           fence +
           " atom.global.add.u32 %r6, [%rd1], 1; mov.u32 %r7, %nctaid.x; sub.u32 %r7, %r7, 1; "
           "setp.ne.u32 %p2, %r6, %r7; @%p2 bra DONE; mov.u32 %r8, 0; mov.u64 %rd7, %rd1; "
           "NEXT: ld.global.u32 %r9, [%rd7+4]; add.u32 %r10, %r10, %r9; add.s64 %rd7, %rd7, 4; "
           "add.u32 %r8, %r8, 1; setp.le.u32 %p3, %r8, %r7; @%p3 bra NEXT; "
           "st.global.u32 [%rd0], %r10; DONE:";
  };
  EXPECT_EQ(run_body("mov.u32 %r10, 0; " + sum("membar.gl;"), 20, 64), "no fault");
  EXPECT_EQ(read<std::uint32_t>(in_, 1)[0], 210u);
  expect_race("mov.u32 %r10, 0; " + sum(""), 20, 64);
}

// Each block waits for the flag of the one before it, as scans do.
TEST_P(global_race_kernels, a_flag_with_a_fence_hands_a_value_to_the_next_block) {
  const auto chain = [](const std::string& fence) {
    return "setp.ne.u32 %p1, %r1, 0; @%p1 bra DONE; mul.wide.u32 %rd5, %r2, 8; "
           "add.s64 %rd6, %rd1, %rd5; mov.u32 %r4, 0; setp.eq.u32 %p2, %r2, 0; @%p2 bra OWN; "
           "WAIT: ld.volatile.global.u32 %r5, [%rd6+-4]; setp.eq.u32 %p3, %r5, 0; @%p3 bra WAIT; "
           "ld.global.u32 %r4, [%rd6+-8];\nOWN: add.u32 %r4, %r4, 1; st.global.u32 [%rd6], %r4; " +
           fence + " st.volatile.global.u32 [%rd6+4], 1; DONE:";
  };
  EXPECT_EQ(run_body(chain("fence.acq_rel.gpu;"), 30, 32), "no fault");
  EXPECT_EQ(read<std::uint32_t>(out_, 59)[58], 30u);
  expect_race(chain(""), 30, 32);
}

TEST_P(global_race_kernels, a_lock_orders_what_it_protects) {
  const auto count = [](const std::string& unlock) {
    return "setp.ne.u32 %p1, %r1, 0; @%p1 bra DONE;\nLOCK: atom.global.cas.b32 %r4, [%rd1], 0, 1; "
           "setp.ne.u32 %p2, %r4, 0; @%p2 bra LOCK; ld.global.u32 %r5, [%rd1+4]; add.u32 %r5, "
           "%r5, 1; st.global.u32 [%rd1+4], %r5; " +
           unlock + " DONE:";
  };
  EXPECT_EQ(run_body(count("membar.gl; atom.global.exch.b32 %r6, [%rd1], 0;"), 30, 32), "no fault");
  EXPECT_EQ(read<std::uint32_t>(out_, 2)[1], 30u);
  EXPECT_EQ(run_body(count("atom.release.gpu.global.exch.b32 %r6, [%rd1], 0;"), 30, 32),
            "no fault");
  expect_race(count("atom.global.exch.b32 %r6, [%rd1], 0;"), 30, 32);
}

TEST_P(global_race_kernels, memory_of_the_host_is_checked_as_well) {
  load_body(kCount);
  std::vector<std::uint32_t> host(100);
  const auto address = reinterpret_cast<std::uint64_t>(host.data());
  memory.add_host(host.data(), host.size() * 4, "host");
  EXPECT_TRUE(finds(fault({2, 1, 1}, {1, 1, 1}, address, address + 36),
                    "a race on byte 36 (element 9 of 4 bytes) of allocation"));
  load_body("ld.global.u32 %r4, [%rd2]; add.u32 %r4, %r4, 1; st.global.u32 [%rd2], %r4;");
  EXPECT_EQ(fault({3, 1, 1}, {32, 1, 1}, address, address), "no fault");
  EXPECT_TRUE(memory.free(address));
}

TEST_P(global_race_kernels, a_launch_knows_nothing_of_the_one_before) {
  load_body("st.global.u32 [%rd2], %r0;");
  const std::uint64_t place = buffer(std::vector<std::uint32_t>(400));
  EXPECT_EQ(fault({4, 1, 1}, {64, 1, 1}, place, place), "no fault");
  EXPECT_EQ(fault({4, 1, 1}, {64, 1, 1}, place + 4, place), "no fault");
  EXPECT_EQ(fault({2, 1, 1}, {128, 1, 1}, place + 132, place), "no fault");
}

NPP_MEMORY_TESTS(global_race_kernels);

}  // namespace
}  // namespace numpy_plugin::sim
