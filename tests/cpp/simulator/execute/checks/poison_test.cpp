// Values that were never written: what may be done with them, and where they fail.
#include <gtest/gtest.h>

#include "simulator/device/memory.hpp"
#include "simulator/execute/checks/memory_environment.hpp"

namespace numpy_plugin::sim {
namespace {

class poison : public MemoryTest {
 protected:
  // Body of a kernel of one warp: %x is 1000 times the lane, %v was never written in any lane, %w
  // only in its upper 16 bits. %t receives what is stored to `out`.
  std::string fault_of(const std::string& body) {
    const std::uint64_t in = memory.allocate(256, "device_array at model.py:12").value();
    for (std::uint64_t lane = 0; lane < 32; ++lane) {
      EXPECT_EQ(sim::fill(memory, in + 128 + 4 * lane, 0x1234, 2, 1), "");
    }
    out_ = buffer(std::vector<std::uint32_t>(32));
    load(std::string(kHead) + body + kTail);
    return fault({1, 1, 1}, {32, 1, 1}, in, out_);
  }
  std::vector<std::uint32_t> results() { return read<std::uint32_t>(out_, 32); }

  void expect_clean(const std::string& body) { EXPECT_EQ(fault_of(body), "no fault") << body; }
  void expect_fault(const std::string& body,
                    const std::string& use = "is written to global memory") {
    finds(fault_of(body),
          ": an uninitialized value " + use + ": line 4 of the PTX read 4 bytes at ");
  }

  static constexpr char kHead[] =
      R"(.entry k(.param .u64 in, .param .u64 out) { .reg .b64 %in, %out, %q<4>; .reg .pred %p<8>;
    .reg .b32 %x, %v, %w, %t, %u, %r<8>; .reg .b16 %h<4>; .shared .align 8 .b8 s[512];
    ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %x, %tid.x; mad.wide.u32 %in, %x, 4, %in;
    ld.global.u32 %v, [%in]; ld.global.u32 %w, [%in+128]; mad.wide.u32 %out, %x, 4, %out;
    shl.b32 %r7, %x, 3; mov.u32 %r6, s; add.u32 %r7, %r7, %r6; mov.u32 %t, 0; mul.lo.u32 %x, %x, 1000;
    )";
  static constexpr char kTail[] = " st.global.u32 [%out], %t; ret; }";

  std::uint64_t out_ = 0;
};

TEST_P(poison, what_is_read_and_not_used_does_no_harm) {
  expect_clean("");
  expect_clean("add.u32 %r0, %v, 1; mul.lo.u32 %r1, %r0, %v; mov.u32 %t, %x;");
  EXPECT_EQ(results()[31], 31000u);
}

TEST_P(poison, what_is_stored_names_the_store_the_load_and_the_allocation) {
  const std::string text = fault_of("add.u32 %t, %v, 1;\n");
  EXPECT_TRUE(finds(text,
                    "719: kernel 'k', block (0,0,0), thread (0,0,0), line 7 of the PTX: an "
                    "uninitialized value is written to global memory: line 4 of the PTX read 4 "
                    "bytes at 0x"));
  EXPECT_TRUE(finds(text,
                    ", of which 4 were never written, 0 bytes into allocation 1 (256 bytes, "
                    "device_array at model.py:12)"));
}

TEST_P(poison, decides_no_branch_no_address_and_no_barrier) {
  expect_fault("setp.eq.u32 %p0, %v, 0; @%p0 bra L; mov.u32 %t, 1; L:", "decides a branch");
  expect_fault("setp.eq.u32 %p0, %v, 0; @%p0 exit;", "decides a branch");
  expect_fault("setp.eq.u32 %p0, %v, 0; @%p0 trap;", "decides a branch");
  expect_fault("setp.eq.u32 %p0, %v, 0; @%p0 st.global.u32 [%out], 1;", "decides a branch");
  expect_fault("cvt.u64.u32 %q0, %v; add.u64 %q0, %q0, %in; ld.global.u32 %r0, [%q0];",
               "is an address");
  expect_fault("ld.shared.u32 %r0, [%v];", "is an address");
  expect_fault("bar.sync %v;", "is used at a barrier");
  expect_fault("setp.eq.u32 %p0, %v, 0; bar.red.popc.u32 %r0, 0, %p0;", "is used at a barrier");
  expect_fault("cvt.u64.u32 %q0, %v; P: .callprototype _ (); call %q0, P;", "decides a branch");
  expect_fault("shfl.sync.idx.b32 %r0, %x, 0, 31, %v;", "is the mask of a warp's operation");
}

TEST_P(poison, of_a_guard_is_in_the_result) {
  const std::string guarded = "setp.eq.u32 %p0, %v, 0; mov.u32 %r0, 5; @%p0 mov.u32 %r0, 6; ";
  expect_clean(guarded);
  expect_fault(guarded + "mov.u32 %t, %r0;");
  expect_clean(guarded + "mov.u32 %r0, 7; mov.u32 %t, %r0;");
}

TEST_P(poison, is_overwritten_in_the_active_lanes_only) {
  const std::string half = "setp.lt.u32 %p0, %x, 16000; @%p0 mov.u32 %v, 3; ";
  EXPECT_TRUE(finds(fault_of(half + "mov.u32 %t, %v;"), "thread (16,0,0)"));
  expect_clean(half + "@%p0 mov.u32 %t, %v;");
  EXPECT_EQ(results()[15], 3u);
  EXPECT_EQ(results()[16], 0u);
}

// The lower half of %w is 0x1234.
TEST_P(poison, moves_bit_by_bit) {
  for (const char* const clean :
       {"and.b32 %t, %w, 0xffff;", "cvt.u32.u16 %t, %h0;",
        "mov.b32 {%h0, %h1}, %w; cvt.u32.u16 %t, %h0;", "shl.b32 %u, %w, 16; shr.u32 %t, %u, 16;",
        "bfe.u32 %t, %w, 4, 12; shl.b32 %t, %t, 4; or.b32 %t, %t, 4;",
        "prmt.b32 %t, %w, 0, 0x4410;", "prmt.b32 %t, %w, 0, 0x4510;",
        "mov.b64 %q0, {%w, %v}; cvt.u32.u64 %u, %q0; cvt.u16.u32 %h0, %u; cvt.u32.u16 %t, %h0;",
        "not.b32 %u, %w; not.b32 %u, %u; and.b32 %t, %u, 0xffff;",
        "bfi.b32 %u, 0, %w, 16, 16; mov.b32 %t, %u;", "xor.b32 %u, %w, 0; and.b32 %t, 0xffff, %u;",
        "or.b32 %u, %w, 0xffff0000; xor.b32 %t, %u, 0xffff0000;",
        "brev.b32 %u, %w; shr.u32 %u, %u, 16; brev.b32 %t, %u; shr.u32 %t, %t, 16;",
        "shf.l.wrap.b32 %u, %v, %w, 16; shf.r.clamp.b32 %t, %u, 0, 16;",
        "setp.ne.u32 %p0, 1, 0; selp.b32 %u, %w, %v, %p0; and.b32 %t, %u, 0xffff;",
        "and.b32 %t, %v, 0; or.b32 %t, %t, 0x1234;"}) {
    expect_clean(std::string("cvt.u16.u32 %h0, %w; ") + clean);
    EXPECT_EQ(results()[7], 0x1234u) << clean;
  }
  for (const char* const poisoned :
       {"and.b32 %t, %w, 0x1ffff;", "shr.u32 %t, %w, 1;", "shr.u32 %t, %w, 31;",
        "mov.b32 {%h0, %h1}, %w; cvt.u32.u16 %t, %h1;", "bfe.u32 %t, %w, 5, 12;",
        "prmt.b32 %t, %w, 0, 0x4412;", "prmt.b32 %t, %x, %x, %v;", "or.b32 %t, %w, 0xffff;",
        "shl.b32 %t, %x, %v;", "setp.eq.u32 %p0, %v, 1; selp.b32 %t, 1, 1, %p0;",
        "add.u32 %t, %w, 0;", "brev.b32 %t, %w;", "popc.b32 %t, %w;", "cvt.rn.f32.u32 %t, %w;"}) {
    expect_fault(poisoned);
  }
}

TEST_P(poison, of_a_sign_is_extended) {
  const std::string narrow = "st.shared.u32 [%r7], %w; ld.shared.s16 %r0, [%r7+2]; ";
  expect_fault(narrow + "shr.u32 %t, %r0, 31;");
  expect_clean("st.shared.u32 [%r7], %w; ld.shared.u16 %r0, [%r7+2]; shr.u32 %t, %r0, 16;");
}

TEST_P(poison, of_predicates_is_decided_by_clean_ones) {
  const std::string both = "setp.eq.u32 %p0, %v, 0; setp.eq.u32 %p1, 1, 0; ";
  expect_clean(both + "and.pred %p2, %p0, %p1; @%p2 bra L; mov.u32 %t, 1; L:");
  expect_fault(both + "or.pred %p2, %p0, %p1; @%p2 bra L; L:", "decides a branch");
  expect_fault(both + "@!%p0 bra L; L:", "decides a branch");
}

TEST_P(poison, follows_through_shared_and_local_memory) {
  const std::string local = ".local .align 8 .b8 m[8]; st.local.v2.u32 [m], {%w, %x}; ";
  const std::string generic = "mov.u64 %q0, m; cvta.local.u64 %q0, %q0; ";
  expect_clean("st.shared.v2.u32 [%r7], {%w, %x}; ld.shared.u32 %t, [%r7+4];");
  expect_clean("st.shared.v2.u32 [%r7], {%w, %x}; ld.shared.u16 %t, [%r7];");
  expect_fault("st.shared.v2.u32 [%r7], {%w, %x}; ld.shared.u32 %t, [%r7];");
  expect_fault("st.shared.u32 [%r7], %w; ld.shared.u8 %t, [%r7+3];");
  expect_clean("st.shared.u32 [%r7], %w; st.shared.u32 [%r7], %x; ld.shared.u32 %t, [%r7];");
  expect_clean(local + "ld.local.u32 %t, [m+4];");
  expect_fault(local + "ld.local.u32 %t, [m];");
  expect_fault(local + generic + "ld.u32 %t, [%q0];");
  expect_clean(local + generic + "st.u32 [%q0], %x; ld.local.u32 %t, [m];");
}

TEST_P(poison, of_another_warp_is_followed) {
  const std::uint64_t in = memory.allocate(4, "device_array at model.py:12").value();
  load(R"(.entry k(.param .u64 in) { .reg .b64 %q; .reg .pred %p<2>; .reg .b32 %x, %v;
    .shared .align 8 .b8 s[512]; mov.u32 %x, %tid.x; setp.eq.u32 %p0, %x, 3; ld.param.u64 %q, [in];
    @%p0 ld.global.u32 %v, [%q]; @%p0 st.shared.u32 [s], %v;
    bar.sync 0; setp.eq.u32 %p0, %x, 40; @%p0 ld.shared.u32 %v, [s];
    setp.eq.u32 %p1, %v, 0; @%p0 bra L; ret; L: @%p1 bra M; M: ret; })");
  const std::string text = fault({1, 1, 1}, {64, 1, 1}, in);
  EXPECT_TRUE(finds(text,
                    "thread (40,0,0), line 5 of the PTX: an uninitialized value decides a branch: "
                    "line 3 of the PTX, in thread (3,0,0), read 4 bytes at "));
}

TEST_P(poison, of_arguments_and_results_is_followed) {
  const std::string function =
      R"(.func (.param .b32 r) twice(.param .b32 a) { .reg .b32 %r; ld.param.b32 %r, [a];
      add.u32 %r, %r, %r; st.param.b32 [r], %r; ret; } )";
  const auto call = [](const std::string& argument) {
    return "{ .param .b32 a; .param .b32 r; st.param.b32 [a], " + argument +
           "; call.uni (r), twice, (a); ld.param.b32 %t, [r]; }";
  };
  const auto fault_of_call = [&](const std::string& argument) {
    const std::uint64_t in = memory.allocate(256, "in").value();
    out_ = buffer(std::vector<std::uint32_t>(32));
    load(function + kHead + call(argument) + kTail);
    return fault({1, 1, 1}, {32, 1, 1}, in, out_);
  };
  EXPECT_EQ(fault_of_call("%x"), "no fault");
  EXPECT_EQ(results()[2], 4000u);
  EXPECT_TRUE(finds(fault_of_call("%v"), "an uninitialized value is written to global memory: "));
}

TEST_P(poison, moves_with_shuffles) {
  const std::string half = "setp.lt.u32 %p0, %x, 16000; @%p0 mov.u32 %v, 3; ";
  expect_clean(half + "shfl.sync.idx.b32 %t, %v, 5, 31, -1;");
  expect_clean("shfl.sync.idx.b32 %r0, %v, 5, 31, -1; shfl.sync.bfly.b32 %t, %x, 1, 31, -1;");
  EXPECT_EQ(results()[2], 3000u);
  EXPECT_TRUE(finds(fault_of(half + "shfl.sync.up.b32 %t, %v, 1, 0, -1;"), "thread (17,0,0)"));
  expect_fault("shfl.sync.idx.b32 %t, %x, %v, 31, -1;");
  expect_clean("shfl.sync.idx.b32 %t, %w, 5, 31, -1; and.b32 %t, %t, 0xffff;");
}

TEST_P(poison, of_votes_is_decided_by_clean_lanes) {
  const std::string half = "setp.eq.u32 %p0, %v, 0; setp.lt.u32 %p1, %x, 16000; ";
  expect_clean(half +
               "@%p1 setp.eq.u32 %p0, 1, 1; vote.sync.any.pred %p2, %p0, -1; @%p2 bra L; L:");
  expect_fault(half + "@%p1 setp.eq.u32 %p0, 1, 0; vote.sync.any.pred %p2, %p0, -1; @%p2 bra L; L:",
               "decides a branch");
  expect_clean(half +
               "@%p1 setp.eq.u32 %p0, 1, 0; vote.sync.all.pred %p2, %p0, -1; @%p2 bra L; L:");
  expect_clean(
      half +
      "@%p1 setp.eq.u32 %p0, 1, 1; vote.sync.ballot.b32 %r0, %p0, -1; and.b32 %t, %r0, 0xffff;");
  EXPECT_EQ(results()[2], 0xffffu);
  expect_fault(half + "@%p1 setp.eq.u32 %p0, 1, 1; vote.sync.ballot.b32 %t, %p0, -1;");
  expect_fault("match.any.sync.b32 %t, %v, -1;");
  expect_fault("redux.sync.add.u32 %t, %v, -1;");
  expect_clean("redux.sync.add.u32 %r0, %v, -1; redux.sync.add.u32 %t, 1, -1;");
}

TEST_P(poison, in_atomic_operations) {
  expect_fault("atom.global.add.u32 %r0, [%out], %v;", "is used in an atomic operation");
  EXPECT_TRUE(finds(fault_of("atom.global.add.u32 %r0, [%in], 1;"),
                    "line 6 of the PTX: an atomic operation on 4 bytes at "));
  expect_clean("atom.global.exch.b32 %r0, [%in], 1; ld.global.u32 %t, [%in];");
  EXPECT_EQ(results()[9], 1u);
  EXPECT_TRUE(finds(fault_of("atom.global.exch.b32 %t, [%in], 1;"),
                    "an uninitialized value is written to global memory: "));
  const std::string shared = "st.shared.u32 [%r7], 1; atom.shared.add.u32 %r0, [%r7], %v; ";
  expect_clean(shared + "mov.u32 %t, %r0;");
  expect_fault(shared + "ld.shared.u32 %t, [%r7];");
}

TEST_P(poison, flows_through_atomic_operations_on_shared_memory) {
  const auto faults = [&](const std::string& body, const std::string& use) {
    EXPECT_TRUE(finds(fault_of(body), ": an uninitialized value " + use +
                                          ": line 6 of the PTX read 4 bytes at offset "))
        << body;
  };
  const std::string load = " ld.shared.u32 %t, [%r7];";
  for (const std::string operation :
       {"atom.shared.add.u32 %r0, [%r7], 1;", "atom.shared.inc.u32 %r0, [%r7], 7;",
        "atom.shared.max.s32 %r0, [%r7], 1;", "atom.shared.xor.b32 %r0, [%r7], 1;",
        "atom.shared.add.f32 %r0, [%r7], 0f3F800000;", "atom.shared.cas.b32 %r0, [%r7], 0, 1;"}) {
    expect_clean(operation);
    faults(operation + " mov.u32 %t, %r0;", "is written to global memory");
    faults(operation + load, "is written to global memory");
    faults(operation + " setp.eq.u32 %p0, %r0, 0; @%p0 bra L; L:", "decides a branch");
    expect_clean(operation + " st.shared.u32 [%r7], 3;" + load);
  }
  expect_clean("red.shared.add.u32 [%r7], 1;");
  faults("red.shared.add.u32 [%r7], 1;" + load, "is written to global memory");
  expect_clean("atom.shared.exch.b32 %r0, [%r7], 5;" + load);
  EXPECT_EQ(results()[4], 5u);
  const std::string half = "st.shared.u16 [%r7], 4; red.shared.or.b32 [%r7], 1; ";
  expect_clean(half + "ld.shared.u16 %t, [%r7];");
  EXPECT_EQ(results()[4], 5u);
  faults(half + "ld.shared.u16 %t, [%r7+2];", "is written to global memory");
}

TEST_P(poison, of_an_atomic_operation_is_that_of_the_lane_before) {
  const std::string swap = "atom.shared.exch.b32 %r0, [s], %x; setp.ne.u32 %p0, %x, 0; ";
  expect_clean(swap + "@%p0 mov.u32 %t, %r0;");
  EXPECT_EQ(results()[5], 4000u);
  EXPECT_TRUE(finds(fault_of(swap + "mov.u32 %t, %r0;"), "thread (0,0,0), line 6 of the PTX: an "));
  EXPECT_TRUE(finds(fault_of("atom.shared.add.u32 %r0, [s], 1; setp.ne.u32 %p0, %x, 0; "
                             "@%p0 mov.u32 %t, %r0;"),
                    "thread (1,0,0), line 6 of the PTX: an uninitialized value"));
}

TEST_P(poison, decides_no_compare_and_swap) {
  const std::string one = "st.shared.u32 [%r7], 1; atom.shared.cas.b32 %r0, [%r7], ";
  expect_clean(one + "%v, 2;");
  expect_fault(one + "%v, 2; mov.u32 %t, %r0;");
  expect_fault(one + "%v, 2; ld.shared.u32 %t, [%r7];");
  expect_clean(one + "5, %v; ld.shared.u32 %t, [%r7];");
  EXPECT_EQ(results()[4], 1u);
  expect_clean(one + "1, %v; mov.u32 %t, %r0;");
  expect_fault(one + "1, %v; ld.shared.u32 %t, [%r7];");
}

TEST_P(poison, flows_through_atomic_operations_on_local_memory) {
  const std::string local =
      ".local .align 8 .b8 m[8]; mov.u64 %q0, m; cvta.local.u64 %q0, %q0; st.u32 [%q0], %v; "
      "atom.add.u32 %r0, [%q0], 1; ";
  expect_clean(local);
  expect_fault(local + "mov.u32 %t, %r0;");
  expect_fault(local + "ld.local.u32 %t, [m];");
  expect_clean(local + "atom.exch.b32 %r0, [%q0], 1; ld.local.u32 %t, [m];");
}

TEST_P(poison, of_async_copies_is_in_shared_memory) {
  const std::string copy = "cp.async.ca.shared.global [%r7], [%in+128], 4; cp.async.wait_all; ";
  expect_clean(copy + "ld.shared.u16 %t, [%r7];");
  EXPECT_EQ(results()[3], 0x1234u);
  EXPECT_TRUE(
      finds(fault_of(copy + "ld.shared.u32 %t, [%r7];"),
            "an uninitialized value is written to global memory: line 6 of the PTX read 4"));
}

TEST_P(poison, of_a_register_that_no_instruction_writes) {
  expect_clean("add.u32 %r0, %r5, 1; mov.u32 %t, %x;");
  EXPECT_TRUE(
      finds(fault_of("add.u32 %t, %r5, 1;"),
            "an uninitialized value is written to global memory: it is from a register that "
            "no instruction writes"));
}

TEST_P(poison, costs_no_instruction) {
  const Counters before = [&] {
    launch_.checks.uninitialized = false;
    fault_of("add.u32 %r0, %v, 1;");
    return run_launch(launch_);
  }();
  launch_.checks.uninitialized = true;
  fault_of("add.u32 %r0, %v, 1;");
  const Counters counters = run_launch(launch_);
  EXPECT_EQ(counters.warp_instructions, before.warp_instructions);
  EXPECT_EQ(counters.lanes_by_class, before.lanes_by_class);
  EXPECT_EQ(counters.global_transactions, before.global_transactions);
}

TEST_P(poison, ends_with_its_block) {
  const std::uint64_t in = memory.allocate(128, "in").value();
  const std::uint64_t out = buffer(std::vector<std::uint32_t>(32));
  load(R"(.entry k(.param .u64 in, .param .u64 out) { .reg .b64 %in, %out; .reg .b32 %x, %v;
    .reg .pred %p; .local .align 4 .b8 m[4]; ld.param.u64 %in, [in]; ld.param.u64 %out, [out];
    mov.u32 %x, %ctaid.x; setp.eq.u32 %p, %x, 0; @%p ld.global.u32 %v, [%in];
    @%p st.local.u32 [m], %v; @%p ret; mov.u32 %v, 3; ld.local.u32 %x, [m];
    st.global.u32 [%out], %v; ret; })");
  EXPECT_EQ(fault({2, 1, 1}, {1, 1, 1}, in, out), "no fault");
}

NPP_MEMORY_TESTS(poison);

}  // namespace
}  // namespace numpy_plugin::sim
