// Loads and stores: registers wider than types, spaces, addresses.
#include <gtest/gtest.h>

#include "simulator/execute/checks/memory_environment.hpp"

namespace numpy_plugin::sim {
namespace {

class memory_access : public MemoryTest {};

TEST_P(memory_access, loads_extend_to_the_register_by_the_sign_of_the_type) {
  struct Case {
    const char* type;
    int register_bits;
    std::uint64_t expected;
  };
  const std::uint64_t stored = 0x8182838485868788;
  const Case cases[] = {{"u8", 16, 0x0088},
                        {"b8", 16, 0x0088},
                        {"s8", 16, 0xff88},
                        {"u8", 32, 0x00000088},
                        {"s8", 32, 0xffffff88},
                        {"s8", 64, 0xffffffffffffff88},
                        {"u8", 64, 0x88},
                        {"u16", 16, 0x8788},
                        {"s16", 16, 0x8788},
                        {"u16", 32, 0x8788},
                        {"s16", 32, 0xffff8788},
                        {"b16", 64, 0x8788},
                        {"s16", 64, 0xffffffffffff8788},
                        {"s32", 32, 0x85868788},
                        {"u32", 64, 0x85868788},
                        {"s32", 64, 0xffffffff85868788},
                        {"b32", 64, 0x85868788},
                        {"s64", 64, stored},
                        {"u64", 64, stored},
                        {"f32", 32, 0x85868788},
                        {"f64", 64, stored}};
  for (const Case& one : cases) {
    SCOPED_TRACE(one.type + std::string(" to ") + std::to_string(one.register_bits));
    const std::string bits = std::to_string(one.register_bits);
    load(".entry k(.param .u64 p, .param .u64 q) { .reg .b64 %rd<4>; .reg .b" + bits +
         " %v<2>; ld.param.u64 %rd0, [p]; ld.param.u64 %rd1, [q]; ld.global." + one.type +
         " %v0, [%rd0]; st.global.b" + bits + " [%rd1], %v0; ret; }");
    const std::uint64_t target = buffer(std::vector<std::uint64_t>{0});
    run({1, 1, 1}, {1, 1, 1}, buffer(std::vector{stored}), target);
    EXPECT_EQ(read<std::uint64_t>(target, 1)[0], one.expected);
  }
}

TEST_P(memory_access, vectors_extend_each_element) {
  load(R"(.entry k(.param .u64 p, .param .u64 q) { .reg .b64 %rd<4>; .reg .b32 %r<4>;
    ld.param.u64 %rd0, [p]; ld.param.u64 %rd1, [q];
    ld.global.v4.s8 {%r0, %r1, %r2, %r3}, [%rd0]; st.global.v4.b32 [%rd1], {%r0, %r1, %r2, %r3};
    ret; })");
  const std::uint64_t target = buffer(std::vector<std::int32_t>(4));
  run({1, 1, 1}, {1, 1, 1}, buffer(std::vector<std::int8_t>{1, -2, 3, -128}), target);
  EXPECT_EQ(read<std::int32_t>(target, 4), (std::vector<std::int32_t>{1, -2, 3, -128}));
}

TEST_P(memory_access, elements_of_vectors_may_be_dropped) {
  load(R"(.entry k(.param .u64 p, .param .u64 q) { .reg .b64 %rd<4>; .reg .b32 %r<4>;
    ld.param.u64 %rd0, [p]; ld.param.u64 %rd1, [q];
    ld.global.v4.u32 {_, %r1, _, %r3}, [%rd0]; st.global.v2.u32 [%rd1], {%r1, %r3}; ret; })");
  const std::uint64_t target = buffer(std::vector<std::uint32_t>(2));
  run({1, 1, 1}, {1, 1, 1}, buffer(counting<std::uint32_t>(4)), target);
  EXPECT_EQ(read<std::uint32_t>(target, 2), (std::vector<std::uint32_t>{1, 3}));
}

TEST_P(memory_access, stores_take_the_low_bytes_of_wider_registers) {
  for (const int n_bits : {8, 16, 32}) {
    for (const int register_bits : {16, 32, 64}) {
      if (register_bits < n_bits) continue;
      SCOPED_TRACE(std::to_string(register_bits) + " to " + std::to_string(n_bits));
      const std::string bits = std::to_string(register_bits);
      load(".entry k(.param .u64 p, .param .b" + bits + " x) { .reg .b64 %rd<2>; .reg .b" + bits +
           " %v<2>; ld.param.u64 %rd0, [p]; ld.param.b" + bits + " %v0, [x]; st.global.v2.b" +
           std::to_string(n_bits) + " [%rd0], {%v0, %v0}; st.global.b" + std::to_string(n_bits) +
           " [%rd0+8], %v0; ret; }");
      const std::uint64_t target = buffer(std::vector<std::uint64_t>(2));
      const std::uint64_t value = 0x1122334455667788;
      if (register_bits == 16) {
        run({1, 1, 1}, {1, 1, 1}, target, static_cast<std::uint16_t>(value));
      } else if (register_bits == 32) {
        run({1, 1, 1}, {1, 1, 1}, target, static_cast<std::uint32_t>(value));
      } else {
        run({1, 1, 1}, {1, 1, 1}, target, value);
      }
      const std::uint64_t low = value & ((std::uint64_t{1} << n_bits) - 1);
      EXPECT_EQ(read<std::uint64_t>(target, 2),
                (std::vector<std::uint64_t>{low | low << n_bits, low}));
    }
  }
}

TEST_P(memory_access, stores_of_immediates) {
  load(R"(.entry k(.param .u64 p) { .reg .b64 %rd<2>; ld.param.u64 %rd0, [p];
    st.global.u32 [%rd0], 7; st.global.v2.u16 [%rd0+4], {8, 9}; ret; })");
  const std::uint64_t target = buffer(std::vector<std::uint32_t>(2));
  run({1, 1, 1}, {1, 1, 1}, target);
  EXPECT_EQ(read<std::uint32_t>(target, 2), (std::vector<std::uint32_t>{7, 9 << 16 | 8}));
}

TEST_P(memory_access, lanes_that_do_not_load_keep_their_registers) {
  load(R"(.entry k(.param .u64 p, .param .u64 q) { .reg .pred %p<2>; .reg .b64 %rd<8>;
    .reg .b32 %r<4>; ld.param.u64 %rd0, [p]; ld.param.u64 %rd1, [q];
    mov.u32 %r0, %tid.x; mul.wide.u32 %rd2, %r0, 4; add.s64 %rd3, %rd0, %rd2;
    add.s64 %rd4, %rd1, %rd2; add.u32 %r1, %r0, 1000; and.b32 %r2, %r0, 5; setp.eq.u32 %p1, %r2, 1;
    @%p1 ld.global.u32 %r1, [%rd3]; st.global.u32 [%rd4], %r1; ret; })");
  const std::uint64_t target = buffer(std::vector<std::uint32_t>(32));
  run({1, 1, 1}, {32, 1, 1}, buffer(counting<std::uint32_t>(32)), target);
  const auto found = read<std::uint32_t>(target, 32);
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(found[lane], (lane & 5) == 1 ? lane : lane + 1000);
  }
}

TEST_P(memory_access, shared_memory_by_offset_32_bit_register_and_generic_address) {
  load(R"(.entry k(.param .u64 q) { .reg .b64 %rd<8>; .reg .b32 %r<8>;
    .shared .align 16 .b8 before[32]; .shared .align 4 .b8 s[128];
    ld.param.u64 %rd0, [q]; mov.u32 %r0, %tid.x; shl.b32 %r1, %r0, 2;
    mov.u32 %r2, s; add.u32 %r2, %r2, %r1; st.shared.u32 [%r2], %r0;
    mov.u64 %rd1, s; cvta.shared.u64 %rd2, %rd1; mul.wide.u32 %rd3, %r0, 4;
    add.s64 %rd4, %rd2, %rd3; bar.sync 0;
    ld.u32 %r3, [%rd4]; ld.shared.u32 %r4, [s+8]; add.u32 %r3, %r3, %r4;
    add.s64 %rd5, %rd0, %rd3; st.global.u32 [%rd5], %r3;
    xor.b32 %r5, %r1, 4; add.u32 %r5, %r5, 64; mov.u32 %r6, s; add.u32 %r5, %r5, %r6;
    ld.shared.u32 %r7, [%r5+-64]; st.global.u32 [%rd5+128], %r7; ret; })");
  const std::uint64_t target = buffer(std::vector<std::uint32_t>(64));
  run({1, 1, 1}, {32, 1, 1}, target);
  const auto found = read<std::uint32_t>(target, 64);
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(found[lane], lane + 2);
    EXPECT_EQ(found[lane + 32], lane ^ 1);
  }
}

TEST_P(memory_access, local_memory_is_each_threads_own) {
  load(R"(.entry k(.param .u64 q) { .reg .b64 %rd<8>; .reg .b32 %r<8>;
    .local .align 16 .b8 x[64];
    ld.param.u64 %rd0, [q]; mov.u32 %r0, %tid.x;
    st.local.u32 [x], %r0; st.local.u32 [x+4], 100;
    mov.u64 %rd1, x; cvta.local.u64 %rd2, %rd1; and.b32 %r1, %r0, 7; mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd2, %rd3; st.u32 [%rd4+32], %r0;
    ld.u32 %r2, [%rd2]; ld.local.u32 %r3, [x+4]; add.u32 %r2, %r2, %r3;
    add.s64 %rd5, %rd1, %rd3; ld.local.u32 %r4, [%rd5+32];
    mul.wide.u32 %rd6, %r0, 8; add.s64 %rd7, %rd0, %rd6; st.global.v2.u32 [%rd7], {%r2, %r4};
    ret; })");
  const std::uint64_t target = buffer(std::vector<std::uint32_t>(192));
  run({1, 1, 1}, {96, 1, 1}, target);
  const auto found = read<std::uint32_t>(target, 192);
  for (std::uint32_t thread = 0; thread < 96; ++thread) {
    EXPECT_EQ(found[2 * thread], thread + 100);
    EXPECT_EQ(found[2 * thread + 1], thread);
  }
}

TEST_P(memory_access, local_variables_of_a_called_function_are_its_own) {
  load(R"(.func (.param .b32 out) f(.param .b32 in) { .reg .b64 %rd<4>; .reg .b32 %r<4>;
    .local .align 4 .b8 x[8]; ld.param.u32 %r0, [in]; cvta.local.u64 %rd0, x; st.u32 [%rd0], %r0;
    st.local.u32 [x+4], %r0; mov.u64 %rd1, x; ld.local.u32 %r1, [%rd1]; ld.u32 %r2, [%rd0+4];
    add.u32 %r1, %r1, %r2; st.param.b32 [out], %r1; ret; }
    .entry k(.param .u64 q) { .reg .b64 %rd<8>; .reg .b32 %r<8>; .local .align 4 .b8 y[8];
    ld.param.u64 %rd0, [q]; mov.u32 %r0, %tid.x; st.local.v2.u32 [y], {1000, 2000};
    { .param .b32 a; .param .b32 b; st.param.b32 [a], %r0; call (b), f, (a);
      ld.param.b32 %r1, [b]; }
    ld.local.u32 %r2, [y]; ld.local.u32 %r3, [y+4]; add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3;
    mul.wide.u32 %rd1, %r0, 4; add.s64 %rd2, %rd0, %rd1; st.global.u32 [%rd2], %r1; ret; })");
  const std::uint64_t target = buffer(std::vector<std::uint32_t>(64));
  run({1, 1, 1}, {64, 1, 1}, target);
  const auto found = read<std::uint32_t>(target, 64);
  for (std::uint32_t thread = 0; thread < 64; ++thread) EXPECT_EQ(found[thread], 3000 + 2 * thread);
}

TEST_P(memory_access, one_instruction_reaches_several_spaces_by_generic_addresses) {
  load(R"(.entry k(.param .u64 p, .param .u64 q) { .reg .pred %p<4>; .reg .b64 %rd<8>;
    .reg .b32 %r<8>; .shared .align 4 .b8 s[4]; .local .align 4 .b8 x[4];
    ld.param.u64 %rd0, [p]; ld.param.u64 %rd1, [q]; mov.u32 %r0, %tid.x;
    setp.eq.u32 %p1, %r0, 0; @%p1 st.shared.u32 [s], 1000; bar.sync 0;
    add.u32 %r1, %r0, 2000; st.local.u32 [x], %r1;
    rem.u32 %r2, %r0, 3; setp.eq.u32 %p2, %r2, 1; setp.eq.u32 %p3, %r2, 2;
    mov.u64 %rd2, s; cvta.shared.u64 %rd2, %rd2; mov.u64 %rd3, x; cvta.local.u64 %rd3, %rd3;
    cvta.global.u64 %rd4, %rd0; selp.b64 %rd4, %rd2, %rd4, %p2; selp.b64 %rd4, %rd3, %rd4, %p3;
    ld.u32 %r3, [%rd4]; mul.wide.u32 %rd5, %r0, 4; add.s64 %rd6, %rd1, %rd5;
    st.u32 [%rd6], %r3; ret; })");
  const std::uint64_t target = buffer(std::vector<std::uint32_t>(32));
  run({1, 1, 1}, {32, 1, 1}, buffer(std::vector<std::uint32_t>{5}), target);
  const auto found = read<std::uint32_t>(target, 32);
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(found[lane], lane % 3 == 0 ? 5 : lane % 3 == 1 ? 1000 : 2000 + lane);
  }
}

TEST_P(memory_access, parameters_by_name_by_register_and_by_generic_address) {
  load(R"(.entry k(.param .u64 q, .param .align 8 .b8 t[256]) { .reg .b64 %rd<8>; .reg .b32 %r<8>;
    ld.param.u64 %rd0, [q]; mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 8; mov.b64 %rd2, t;
    add.s64 %rd3, %rd2, %rd1; ld.param.u32 %r1, [%rd3+4]; ld.param.v2.u32 {%r2, %r3}, [t+16];
    cvta.param.u64 %rd4, %rd2; add.s64 %rd4, %rd4, %rd1; ld.u32 %r4, [%rd4];
    shl.b32 %r5, %r0, 4; mul.wide.u32 %rd5, %r0, 16; add.s64 %rd6, %rd0, %rd5;
    st.global.v4.u32 [%rd6], {%r1, %r2, %r3, %r4}; ret; })");
  const std::uint64_t target = buffer(std::vector<std::uint32_t>(128));
  std::array<std::uint32_t, 64> table;
  std::iota(table.begin(), table.end(), 500u);
  run({1, 1, 1}, {32, 1, 1}, target, table);
  const auto found = read<std::uint32_t>(target, 128);
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    const std::vector<std::uint32_t> expected = {501 + 2 * lane, 504, 505, 500 + 2 * lane};
    EXPECT_EQ(std::vector(found.begin() + 4 * lane, found.begin() + 4 * lane + 4), expected);
  }
}

TEST_P(memory_access, variables_of_the_module) {
  load(R"(.global .align 4 .u32 g[4] = {1, 2, 3, 4}; .const .align 4 .u32 c[2] = {10, 20};
    .entry k(.param .u64 q) { .reg .b64 %rd<8>; .reg .b32 %r<8>; ld.param.u64 %rd0, [q];
    ld.global.u32 %r0, [g+8]; ld.const.u32 %r1, [c+4]; mov.u64 %rd1, c; cvta.const.u64 %rd2, %rd1;
    ld.u32 %r2, [%rd2]; add.u32 %r3, %r0, %r1; add.u32 %r3, %r3, %r2; st.global.u32 [%rd0], %r3;
    st.global.u32 [g], 77; ret; })");
  const std::uint64_t target = buffer(std::vector<std::uint32_t>(1));
  run({1, 1, 1}, {32, 1, 1}, target);
  EXPECT_EQ(read<std::uint32_t>(target, 1)[0], 33u);
  EXPECT_EQ(read<std::uint32_t>(module_.addresses.at("g"), 1)[0], 77u);
}

TEST_P(memory_access, spaces_of_generic_addresses_are_told_apart) {
  load(R"(.const .align 4 .u32 c = 1;
    .entry k(.param .u64 q) { .reg .pred %p<8>; .reg .b64 %rd<8>; .reg .b32 %r<8>;
    .shared .align 4 .b8 s[4]; .local .align 4 .b8 x[4];
    ld.param.u64 %rd0, [q]; mov.u64 %rd1, s; cvta.shared.u64 %rd1, %rd1; mov.u64 %rd2, x;
    cvta.local.u64 %rd2, %rd2; mov.u64 %rd3, c; cvta.const.u64 %rd3, %rd3;
    mov.u32 %r0, %tid.x; setp.eq.u32 %p1, %r0, 0; selp.b64 %rd4, %rd0, %rd1, %p1;
    setp.eq.u32 %p1, %r0, 2; selp.b64 %rd4, %rd2, %rd4, %p1;
    setp.eq.u32 %p1, %r0, 3; selp.b64 %rd4, %rd3, %rd4, %p1;
    isspacep.global %p2, %rd4; isspacep.shared %p3, %rd4; isspacep.local %p4, %rd4;
    isspacep.const %p5, %rd4; mov.u32 %r1, 0;
    @%p2 add.u32 %r1, %r1, 1; @%p3 add.u32 %r1, %r1, 2; @%p4 add.u32 %r1, %r1, 4;
    @%p5 add.u32 %r1, %r1, 8; mul.wide.u32 %rd5, %r0, 4; add.s64 %rd6, %rd0, %rd5;
    st.global.u32 [%rd6], %r1; ret; })");
  memory.set_read_only(module_.addresses.at("c"));
  const std::uint64_t target = buffer(std::vector<std::uint32_t>(4));
  run({1, 1, 1}, {4, 1, 1}, target);
  EXPECT_EQ(read<std::uint32_t>(target, 4), (std::vector<std::uint32_t>{1, 2, 4, 8}));
}

TEST_P(memory_access, conversions_to_a_space_undo_those_from_it) {
  load(R"(.entry k(.param .u64 q) { .reg .b64 %rd<8>; .reg .b32 %r<4>;
    .shared .align 8 .b8 s[64]; .local .align 8 .b8 x[64];
    ld.param.u64 %rd0, [q]; mov.u64 %rd1, s; add.s64 %rd1, %rd1, 8; cvta.shared.u64 %rd2, %rd1;
    cvta.to.shared.u64 %rd3, %rd2; st.shared.u32 [%rd3], 5; ld.shared.u32 %r0, [s+8];
    mov.u64 %rd1, x; cvta.local.u64 %rd2, %rd1; cvta.to.local.u64 %rd3, %rd2;
    st.local.u32 [%rd3+4], 6; ld.local.u32 %r1, [x+4]; cvta.global.u64 %rd4, %rd0;
    cvta.to.global.u64 %rd5, %rd4; st.global.v2.u32 [%rd5], {%r0, %r1}; ret; })");
  const std::uint64_t target = buffer(std::vector<std::uint32_t>(2));
  run({1, 1, 1}, {1, 1, 1}, target);
  EXPECT_EQ(read<std::uint32_t>(target, 2), (std::vector<std::uint32_t>{5, 6}));
}

TEST_P(memory_access, asynchronous_copies_are_there_after_the_wait) {
  load(R"(.entry k(.param .u64 p, .param .u64 q) { .reg .b64 %rd<8>; .reg .b32 %r<8>;
    .shared .align 16 .b8 s[512]; ld.param.u64 %rd0, [p]; ld.param.u64 %rd1, [q];
    mov.u32 %r0, %tid.x; shl.b32 %r1, %r0, 4; mov.u32 %r2, s; add.u32 %r2, %r2, %r1;
    cvt.u64.u32 %rd2, %r1; add.s64 %rd3, %rd0, %rd2; add.s64 %rd4, %rd1, %rd2;
    cp.async.cg.shared.global [%r2], [%rd3], 16; cp.async.ca.shared.global [%r2+4], [%rd3+8], 4;
    cp.async.commit_group; cp.async.wait_group 0; bar.sync 0;
    ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r2]; st.global.v4.u32 [%rd4], {%r3, %r4, %r5, %r6};
    ret; })");
  const std::uint64_t target = buffer(std::vector<std::uint32_t>(128));
  run({1, 1, 1}, {32, 1, 1}, buffer(counting<std::uint32_t>(128)), target);
  auto expected = counting<std::uint32_t>(128);
  for (std::size_t lane = 0; lane < 32; ++lane) expected[4 * lane + 1] = expected[4 * lane + 2];
  EXPECT_EQ(read<std::uint32_t>(target, 128), expected);
}

TEST_P(memory_access, asynchronous_copies_fill_up_with_zeros) {
  load(R"(.entry k(.param .u64 p, .param .u64 q) { .reg .b64 %rd<8>; .reg .b32 %r<8>;
    .shared .align 16 .b8 s[512]; ld.param.u64 %rd0, [p]; ld.param.u64 %rd1, [q];
    mov.u32 %r0, %tid.x; shl.b32 %r1, %r0, 4; mov.u32 %r2, s; add.u32 %r2, %r2, %r1;
    cvt.u64.u32 %rd2, %r1; add.s64 %rd3, %rd0, %rd2; add.s64 %rd4, %rd1, %rd2;
    cp.async.cg.shared.global [%r2], [%rd3], 16, %r0; cp.async.wait_all;
    ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r2]; st.global.v4.u32 [%rd4], {%r3, %r4, %r5, %r6};
    ret; })");
  constexpr std::uint32_t kThreads = 17;
  const auto bytes = counting<std::uint8_t>(16 * kThreads);
  const std::uint64_t target = buffer(std::vector<std::uint8_t>(16 * kThreads, 99));
  run({1, 1, 1}, {kThreads, 1, 1}, buffer(bytes), target);
  auto expected = bytes;
  for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
    for (std::uint32_t byte = thread; byte < 16; ++byte) expected[16 * thread + byte] = 0;
  }
  EXPECT_EQ(read<std::uint8_t>(target, 16 * kThreads), expected);
}

TEST_P(memory_access, prefetches_and_fences_change_nothing) {
  load(R"(.entry k(.param .u64 p) { .reg .b64 %rd<8>; ld.param.u64 %rd0, [p];
    prefetch.global.L2 [%rd0]; membar.gl; fence.acq_rel.gpu; st.global.u32 [%rd0], 3; ret; })");
  const std::uint64_t target = buffer(std::vector<std::uint32_t>(1));
  run({1, 1, 1}, {32, 1, 1}, target);
  EXPECT_EQ(read<std::uint32_t>(target, 1)[0], 3u);
}

TEST_P(memory_access, host_memory_is_reached_at_its_own_address) {
  load(R"(.entry k(.param .u64 p) { .reg .b64 %rd<8>; .reg .b32 %r<2>; ld.param.u64 %rd0, [p];
    ld.global.u32 %r0, [%rd0]; add.u32 %r0, %r0, 1; st.global.u32 [%rd0+4], %r0; ret; })");
  std::vector<std::uint32_t> host = {41, 0};
  memory.add_host(host.data(), 8, "pinned");
  run({1, 1, 1}, {1, 1, 1}, reinterpret_cast<std::uint64_t>(host.data()));
  EXPECT_EQ(host[1], 42u);
}

TEST_P(memory_access, transactions_are_the_sectors_that_a_warp_touches) {
  load(R"(.entry k(.param .u64 p, .param .u32 step) { .reg .b64 %rd<8>; .reg .b32 %r<4>;
    ld.param.u64 %rd0, [p]; ld.param.u32 %r0, [step]; mov.u32 %r1, %tid.x;
    mul.lo.u32 %r2, %r1, %r0; mul.wide.u32 %rd1, %r2, 4; add.s64 %rd2, %rd0, %rd1;
    ld.global.u32 %r3, [%rd2]; ret; })");
  const std::uint64_t source = buffer(counting<std::uint32_t>(1024));
  const auto transactions = [&](std::uint64_t address, std::uint32_t step) {
    return run({1, 1, 1}, {32, 1, 1}, address, step).global_transactions;
  };
  EXPECT_EQ(transactions(source, 0), 1u);
  EXPECT_EQ(transactions(source, 1), 4u);
  EXPECT_EQ(transactions(source + 4, 1), 5u);
  EXPECT_EQ(transactions(source, 2), 8u);
  EXPECT_EQ(transactions(source, 8), 32u);
}

NPP_MEMORY_TESTS(memory_access);

}  // namespace
}  // namespace numpy_plugin::sim
