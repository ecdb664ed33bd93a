// Registers that may be read before they are written.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "simulator/decode/text.hpp"

namespace numpy_plugin::sim {
namespace {

// Whether %r2 of a kernel may be read before it is written. The body ends with 'mov %r1, %r2', its
// only read unless the body has another.
bool is_early(const std::string& body) {
  const auto module = decode_kernel(body + " mov.u32 %r1, %r2; ret;");
  const FunctionCode& kernel = function_named(module, "k");
  const Instruction& read = module.program->code.at(kernel.last - 2);
  return std::find(kernel.early.begin(), kernel.early.end(), read.a) != kernel.early.end();
}

TEST(decode_early_reads, none_where_the_text_writes_first) {
  EXPECT_FALSE(is_early("mov.u32 %r2, 1;"));
  EXPECT_FALSE(is_early("mov.u32 %r2, 1; L: add.u32 %r2, %r2, 1; @%p1 bra L;"));
  EXPECT_FALSE(is_early("L: mov.u32 %r2, 1; @%p1 bra L;"));
  EXPECT_FALSE(is_early("@%p1 bra L; mov.u32 %r3, 1; L: mov.u32 %r2, 1;"));
  EXPECT_FALSE(is_early("mov.u32 %r2, 1; @%p1 bra L; mov.u32 %r2, 2; L:"));
}

TEST(decode_early_reads, of_a_register_that_is_not_always_written) {
  EXPECT_TRUE(is_early(""));
  EXPECT_TRUE(is_early("add.u32 %r2, %r2, 1;"));
  EXPECT_TRUE(is_early("@%p1 mov.u32 %r2, 1;"));
  EXPECT_TRUE(is_early("L: add.u32 %r3, %r2, 1; mov.u32 %r2, 1; @%p1 bra L;"));
}

TEST(decode_early_reads, after_a_jump_over_the_write) {
  EXPECT_TRUE(is_early("@%p1 bra L; mov.u32 %r2, 1; L:"));
  EXPECT_TRUE(is_early("@%p1 bra M; @%p2 bra L; mov.u32 %r2, 1; L: M:"));
  EXPECT_TRUE(is_early("L: .branchtargets M, N; brx.idx %r3, L; M: mov.u32 %r2, 1; N:"));
}

// The read is before the jump's target, in a loop around it.
TEST(decode_early_reads, after_a_jump_over_the_write_and_one_back) {
  const auto module =
      decode_kernel("@%p1 bra M; mov.u32 %r2, 1; L: mov.u32 %r4, %r2; M: @%p1 bra L; ret;");
  const auto& code = module.program->code;
  EXPECT_EQ(function_named(module, "k").early, (std::vector<Slot>{code[0].guard, code[1].result}));
}

TEST(decode_early_reads, of_a_leaving_thread_do_not_count) {
  const auto module =
      decode_kernel("@%p1 bra END; mov.u32 %r2, 1; L: add.u32 %r2, %r2, 1; @%p1 bra L; END: ret;");
  const FunctionCode& kernel = function_named(module, "k");
  EXPECT_EQ(kernel.early, (std::vector<Slot>{module.program->code[0].guard}));
}

TEST(decode_early_reads, of_special_registers_do_not_count) {
  const auto module = decode_kernel("mov.u32 %r1, %tid.x; ret;");
  EXPECT_TRUE(function_named(module, "k").early.empty());
}

}  // namespace
}  // namespace numpy_plugin::sim
