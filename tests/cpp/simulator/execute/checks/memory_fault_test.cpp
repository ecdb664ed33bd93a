// Invalid accesses: errors and messages.
#include <gtest/gtest.h>

#include <cinttypes>

#include "simulator/device/memory.hpp"
#include "simulator/execute/checks/memory_environment.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr char kLoad[] =
    R"(.entry k(.param .u64 p) { .reg .b64 %rd<4>; .reg .b32 %r<4>;
    ld.param.u64 %rd0, [p]; mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 4;
    add.s64 %rd2, %rd0, %rd1;
    ld.global.u32 %r1, [%rd2]; ret; })";
constexpr char kLoadAndBranch[] =
    R"(.entry k(.param .u64 p) { .reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .pred %p;
    ld.param.u64 %rd0, [p]; mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 4;
    add.s64 %rd2, %rd0, %rd1;
    ld.global.u32 %r1, [%rd2]; setp.eq.u32 %p, %r1, 0; @%p ret; ret; })";
constexpr char kLoadEverySecond[] =
    R"(.entry k(.param .u64 p) { .reg .b64 %rd<4>; .reg .b32 %r<4>;
    ld.param.u64 %rd0, [p]; mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 8;
    add.s64 %rd2, %rd0, %rd1; ld.global.u32 %r1, [%rd2]; ret; })";
constexpr char kStore[] =
    R"(.entry k(.param .u64 p) { .reg .b64 %rd<4>; .reg .b32 %r<4>;
    ld.param.u64 %rd0, [p]; mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 4;
    add.s64 %rd2, %rd0, %rd1;
    st.global.u32 [%rd2], %r0; ret; })";
constexpr char kStoreAll[] =
    R"(.entry k(.param .u64 p) { .reg .b64 %rd<4>; ld.param.u64 %rd0, [p];
    st.global.u32 [%rd0], 1; ret; })";
constexpr char kLoadVector[] =
    R"(.entry k(.param .u64 p) { .reg .b64 %rd<4>; .reg .b32 %r<4>; ld.param.u64 %rd0, [p];
    ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%rd0]; ret; })";
constexpr char kAtomic[] =
    R"(.entry k(.param .u64 p) { .reg .b64 %rd<4>; .reg .b32 %r<4>; ld.param.u64 %rd0, [p];
    atom.global.add.u32 %r0, [%rd0], 1; ret; })";

class memory_fault : public MemoryTest {
 protected:
  std::string fault_of(const char* text, std::uint64_t address, std::uint32_t n_threads = 32) {
    load(text);
    return fault({1, 1, 1}, {n_threads, 1, 1}, address);
  }

  std::uint64_t named(std::uint64_t n_bytes) {
    const std::uint64_t address = memory.allocate(n_bytes, "device_array at model.py:12").value();
    EXPECT_EQ(sim::fill(memory, address, 0, 1, n_bytes), "");
    return address;
  }
};

TEST_P(memory_fault, past_the_end_names_thread_line_and_allocation) {
  const std::uint64_t address = named(64);
  const std::string text = fault_of(kStore, address);
  EXPECT_TRUE(finds(text, "700: "));  // CUDA_ERROR_ILLEGAL_ADDRESS
  EXPECT_TRUE(finds(text, "thread (16,0,0), line 4 of the PTX"));
  EXPECT_TRUE(finds(text, "wrote 4 bytes at " + address_text(address + 64) +
                              ", 0 bytes past the end of allocation 1 (64 bytes, device_array at "
                              "model.py:12)"));
}

constexpr char kLines[] =
    R"(.func put(.param .b64 a) { .reg .b64 %rd<2>; ld.param.b64 %rd0, [a];
    .loc 2 80 1
    st.global.u32 [%rd0], 1; ret; }
    .entry k(.param .u64 p) { .reg .b64 %rd<2>; ld.param.u64 %rd0, [p];
    .loc 1 2 7
    { .param .b64 a; st.param.b64 [a], %rd0; call.uni put, (a); }
    ret; }
    .file 1 "/home/me/<source of 'k'>"
    .file 2 "put.cuh")";

TEST_P(memory_fault, names_the_line_of_the_source_that_the_code_is_compiled_from) {
  const std::uint64_t address = named(64) + 64;
  EXPECT_TRUE(finds(fault_of(kLines, address), "thread (0,0,0), put.cuh:80: wrote 4 bytes"));
  module_.program->description = {
      "total", {{"<source of 'k'>", "model.py", 11, {"def total(x):", "    x[9] = 1"}}}};
  const std::string text = fault({1, 1, 1}, {32, 1, 1}, address);
  EXPECT_TRUE(finds(text, "kernel 'total', block (0,0,0), thread (0,0,0), model.py:12: wrote 4"));
  EXPECT_TRUE(text.ends_with("\n    x[9] = 1")) << text;
}

constexpr char kInlined[] =
    R"(.entry k(.param .u64 p) { .reg .b64 %rd<2>; ld.param.u64 %rd0, [p];
    .loc 1 2 7
    .loc 2 80 1, function_name $L__name, inlined_at 1 2 7
    st.global.u32 [%rd0], 1; ret; }
    .file 1 "<source of 'k'>"
    .file 2 "put.cuh")";

TEST_P(memory_fault, of_an_inlined_function_is_on_the_line_of_its_call) {
  load(kInlined);
  module_.program->description = {"", {{"<source of 'k'>", "model.py", 1, {"", "x[9] = 1"}}}};
  const std::string text = fault({1, 1, 1}, {32, 1, 1}, named(64) + 64);
  EXPECT_TRUE(finds(text, "kernel 'k', block (0,0,0), thread (0,0,0), model.py:2: wrote 4"));
}

TEST_P(memory_fault, what_was_before_the_fault_in_the_same_step_is_not_asked_for) {
  const std::uint64_t address = named(126);
  EXPECT_TRUE(finds(fault_of(kLoad, address),
                    "read 4 bytes at " + address_text(address + 124) +
                        ", the last 2 bytes past the end of allocation 1 (126 bytes"));
}

TEST_P(memory_fault, before_the_begin) {
  const std::uint64_t address = named(64);
  EXPECT_TRUE(finds(fault_of(kLoad, address - 8),
                    "read 4 bytes at " + address_text(address - 8) +
                        ", 8 bytes before allocation 1 (64 bytes, device_array"));
}

TEST_P(memory_fault, use_after_free) {
  const std::uint64_t address = named(4096);
  memory.free(address);
  EXPECT_TRUE(finds(fault_of(kStoreAll, address + 8),
                    "wrote 4 bytes at " + address_text(address + 8) +
                        ", inside allocation 1 (4096 bytes, device_array at model.py:12), which "
                        "was freed"));
}

TEST_P(memory_fault, null_pointers) {
  named(4);
  EXPECT_TRUE(finds(fault_of(kStoreAll, 0), "700: "));
  EXPECT_TRUE(finds(fault_of(kStoreAll, 0), "wrote 4 bytes at 0x0 (a null pointer), "));
  EXPECT_TRUE(finds(fault_of(kLoad, 8), "read 4 bytes at 0x8 (a null pointer), "));
}

TEST_P(memory_fault, anywhere_at_all) {
  for (const std::uint64_t address :
       {std::uint64_t{0xfffffffffffffffc}, std::uint64_t{1} << 63,
        reinterpret_cast<std::uint64_t>(&kLoad) & ~std::uint64_t{15}}) {
    EXPECT_TRUE(finds(fault_of(kLoad, address, 1), "700: "));
    EXPECT_TRUE(finds(fault_of(kStore, address, 1), "700: "));
  }
}

TEST_P(memory_fault, without_the_check_of_bounds_says_less_and_does_no_harm) {
  launch_.checks.bounds = false;
  named(64);
  const std::string text = fault_of(kStoreAll, 0x1000);
  EXPECT_TRUE(finds(text, "700: "));
  EXPECT_TRUE(finds(text, "wrote 4 bytes at 0x1000, outside of all memory of the device"));
}

TEST_P(memory_fault, misaligned) {
  const std::uint64_t address = named(64);
  EXPECT_TRUE(finds(fault_of(kStoreAll, address + 2), "716: "));
  EXPECT_TRUE(
      finds(fault_of(kStoreAll, address + 2),
            "wrote 4 bytes at " + address_text(address + 2) + ", which is not a multiple of 4"));
  EXPECT_TRUE(finds(fault_of(kLoad, address + 1, 8), "which is not a multiple of 4"));
  EXPECT_TRUE(finds(fault_of(kLoadEverySecond, address + 1, 8), "which is not a multiple of 4"));
  EXPECT_TRUE(
      finds(fault_of(kLoadVector, address + 8),
            "read 16 bytes at " + address_text(address + 8) + ", which is not a multiple of 16"));
  EXPECT_TRUE(finds(fault_of(kAtomic, address + 1),
                    "an atomic operation on 4 bytes at " + address_text(address + 1)));
}

TEST_P(memory_fault, misaligned_is_let_through_where_it_is_not_checked) {
  launch_.checks.alignment = false;
  const std::uint64_t address = named(256);
  EXPECT_EQ(fault_of(kStore, address + 2), "no fault");
  EXPECT_EQ(fault_of(kLoad, address + 2), "no fault");
  EXPECT_EQ(fault_of(kLoadVector, address + 2), "no fault");
  EXPECT_EQ(fault_of(kLoadEverySecond, address + 2, 16), "no fault");
  EXPECT_EQ(read<std::uint8_t>(address + 2, 5), (std::vector<std::uint8_t>{0, 0, 0, 0, 1}));
}

TEST_P(memory_fault, reads_of_what_nobody_wrote) {
  const std::uint64_t address = memory.allocate(256, "device_array at model.py:12").value();
  EXPECT_EQ(sim::fill(memory, address, 0, 1, 42), "");
  const std::string text = fault_of(kLoadAndBranch, address);
  EXPECT_TRUE(finds(text, "719: "));  // CUDA_ERROR_LAUNCH_FAILED
  EXPECT_TRUE(finds(text, "thread (10,0,0)"));
  EXPECT_TRUE(
      finds(text, "an uninitialized value decides a branch: line 4 of the PTX read 4 bytes at " +
                      address_text(address + 40) +
                      ", of which 2 were never written, 40 bytes into allocation 1 (256 "
                      "bytes, device_array at model.py:12)"));
  EXPECT_TRUE(finds(fault_of(kAtomic, address + 64), "an atomic operation on 4 bytes at " +
                                                         address_text(address + 64) +
                                                         ", of which 4 were never written"));
  EXPECT_EQ(fault_of(kLoadAndBranch, address, 10), "no fault");
}

TEST_P(memory_fault, reads_of_what_a_kernel_wrote_are_right) {
  const std::uint64_t address = memory.allocate(256, "").value();
  EXPECT_EQ(fault_of(kStore, address), "no fault");
  EXPECT_EQ(fault_of(kLoadAndBranch, address), "no fault");
  EXPECT_EQ(fault_of(kLoadAndBranch, address, 33).substr(0, 3), "719");
}

TEST_P(memory_fault, unwritten_is_let_through_where_it_is_not_checked) {
  launch_.checks.uninitialized = false;
  const std::uint64_t address = memory.allocate(256, "").value();
  EXPECT_EQ(fault_of(kLoadAndBranch, address), "no fault");
  EXPECT_EQ(fault_of(kAtomic, address), "no fault");
}

TEST_P(memory_fault, writes_to_constants) {
  const std::uint64_t address = named(256);
  memory.set_read_only(address);
  EXPECT_TRUE(finds(fault_of(kStore, address), "700: "));
  EXPECT_TRUE(finds(fault_of(kStore, address),
                    "wrote 4 bytes at " + address_text(address) +
                        ", which kernels may only read, inside allocation 1 (256 bytes"));
  EXPECT_TRUE(finds(fault_of(kAtomic, address), "which kernels may only read"));
  EXPECT_EQ(fault_of(kLoad, address), "no fault");
}

TEST_P(memory_fault, shared_memory_ends) {
  const char* text = R"(.entry k(.param .u64 p) { .reg .b64 %rd<4>; .reg .b32 %r<4>;
    .shared .align 4 .b8 s[64]; ld.param.u64 %rd0, [p]; cvt.u32.u64 %r1, %rd0;
    mov.u32 %r0, %tid.x; shl.b32 %r2, %r0, 2; add.u32 %r2, %r2, %r1;
    st.shared.u32 [%r2], %r0; ret; })";
  EXPECT_EQ(fault_of(text, 0, 16), "no fault");
  const std::string past = fault_of(text, 0, 17);
  EXPECT_TRUE(finds(past, "700: "));
  EXPECT_TRUE(finds(past, "thread (16,0,0), line 4"));
  EXPECT_TRUE(
      finds(past, "wrote 4 bytes at offset 64 of shared memory, of which the block has 64 bytes"));
  EXPECT_TRUE(finds(fault_of(text, 0xfffffff0, 4), "at offset 4294967280 of shared memory"));
  EXPECT_TRUE(finds(fault_of(text, 2, 4), "which is not a multiple of 4"));
}

// Compilers load the last elements of dynamic shared memory as whole vectors.
TEST_P(memory_fault, vectors_may_be_read_beyond_the_end_of_shared_memory) {
  const auto fault_after = [&](const std::string& access) {
    const std::string text = R"(.entry k(.param .u64 p) { .reg .b64 %rd<4>; .reg .b32 %r<8>;
      .shared .align 16 .b8 s[28]; ld.param.u64 %rd0, [p]; st.shared.v4.u32 [s], {1, 2, 3, 4};
      st.shared.v2.u32 [s+16], {5, 6}; st.shared.u32 [s+24], 7;
      )" + access + " st.global.u32 [%rd0], %r0; ret; }";
    return fault_of(text.c_str(), buffer(std::vector<std::uint32_t>(1)), 1);
  };
  EXPECT_EQ(fault_after("ld.shared.v4.u32 {%r1, %r2, %r0, %r3}, [s+16];"), "no fault");
  EXPECT_TRUE(finds(fault_after("ld.shared.v4.u32 {%r1, %r2, %r3, %r0}, [s+16];"),
                    "an uninitialized value is written to global memory"));
  EXPECT_TRUE(finds(fault_after("st.shared.v4.u32 [s+16], {%r1, %r2, %r3, %r0};"),
                    "wrote 16 bytes at offset 16 of shared memory, of which the block has 28"));
  EXPECT_TRUE(finds(fault_after("ld.shared.v4.u32 {%r1, %r2, %r3, %r0}, [s+32];"),
                    "read 16 bytes at offset 32 of shared memory"));
  EXPECT_TRUE(finds(fault_after("ld.shared.u32 %r0, [s+28];"), "read 4 bytes at offset 28"));
}

TEST_P(memory_fault, shared_memory_through_a_generic_address_ends) {
  const char* text = R"(.entry k(.param .u64 p) { .reg .b64 %rd<4>; .reg .b32 %r<4>;
    .shared .align 4 .b8 s[64]; ld.param.u64 %rd0, [p]; mov.u64 %rd1, s;
    cvta.shared.u64 %rd1, %rd1; add.s64 %rd1, %rd1, %rd0; st.u32 [%rd1], 1; ret; })";
  EXPECT_EQ(fault_of(text, 60, 1), "no fault");
  EXPECT_TRUE(finds(fault_of(text, 64, 1), "wrote 4 bytes at offset 64 of shared memory"));
}

TEST_P(memory_fault, reads_of_shared_memory_that_the_block_did_not_write) {
  const char* text = R"(.entry k(.param .u64 p) { .reg .pred %p<2>; .reg .b64 %rd<4>;
    .reg .b32 %r<4>; .shared .align 4 .b8 s[64];
    mov.u32 %r0, %ctaid.x; setp.eq.u32 %p1, %r0, 0; @%p1 st.shared.u16 [s+8], 1;
    ld.shared.u16 %r1, [s+8]; ld.param.u64 %rd0, [p]; setp.eq.u64 %p1, %rd0, 1;
    @%p1 ld.shared.u32 %r1, [s+8]; setp.eq.u32 %p1, %r1, 0; @%p1 ret; ret; })";
  load(text);
  EXPECT_EQ(fault({1, 1, 1}, {1, 1, 1}, std::uint64_t{0}), "no fault");
  const std::string part = fault({1, 1, 1}, {1, 1, 1}, std::uint64_t{1});
  EXPECT_TRUE(finds(part, "719: "));
  EXPECT_TRUE(finds(part,
                    "read 4 bytes at offset 8 of shared memory, of which 2 were never written by "
                    "this block"));
  const std::string other_block = fault({2, 1, 1}, {1, 1, 1}, std::uint64_t{0});
  EXPECT_TRUE(finds(other_block, "block (1,0,0)"));
  EXPECT_TRUE(finds(other_block, "of which 2 were never written"));
}

TEST_P(memory_fault, local_memory_ends) {
  const char* text = R"(.entry k(.param .u64 p) { .reg .b64 %rd<4>; .reg .b32 %r<4>;
    .local .align 4 .b8 x[64]; ld.param.u64 %rd0, [p]; mov.u64 %rd1, x; add.s64 %rd1, %rd1, %rd0;
    st.local.u32 [%rd1], 1; cvta.local.u64 %rd2, %rd1; st.u32 [%rd2], 2; ret; })";
  EXPECT_EQ(fault_of(text, 60), "no fault");
  for (const std::uint64_t offset : {std::uint64_t{1} << 30, std::uint64_t{0} - 8}) {
    EXPECT_TRUE(finds(fault_of(text, offset), "700: "));
    EXPECT_TRUE(finds(fault_of(text, offset), " of local memory, of which the thread has "));
  }
}

TEST_P(memory_fault, parameters_end_and_are_read_only) {
  const char* text = R"(.entry k(.param .u64 p) { .reg .b64 %rd<4>; .reg .b32 %r<4>;
    ld.param.u64 %rd0, [p]; mov.u64 %rd1, p; add.s64 %rd1, %rd1, %rd0;
    ld.param.u32 %r0, [%rd1]; cvta.param.u64 %rd2, %rd1; st.u32 [%rd2], 1; ret; })";
  EXPECT_TRUE(finds(fault_of(text, 8),
                    "read 4 bytes at offset 8 of the kernel's parameters, of which there are 8 "
                    "bytes"));
  EXPECT_TRUE(finds(fault_of(text, 4),
                    "wrote 4 bytes at offset 4 of the kernel's parameters, which kernels may only "
                    "read"));
}

TEST_P(memory_fault, parameters_end_also_where_the_place_is_known) {
  const char* text = R"(.entry k(.param .u64 p) { .reg .b32 %r<4>;
    ld.param.u32 %r0, [p+4]; ld.param.u32 %r1, [p+8]; ret; })";
  EXPECT_TRUE(finds(fault_of(text, 0), "read 4 bytes at offset 8 of the kernel's parameters"));
}

TEST_P(memory_fault, accesses_across_two_allocations_are_of_none) {
  const std::uint64_t first = named(256);
  named(256);
  EXPECT_TRUE(finds(fault_of(kLoad, first + 200), "0 bytes past the end of allocation 1"));
}

NPP_MEMORY_TESTS(memory_fault);

}  // namespace
}  // namespace numpy_plugin::sim
