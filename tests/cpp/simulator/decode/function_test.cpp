// Functions: parameters, frames, calls, branches, ends.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "simulator/decode/text.hpp"

namespace numpy_plugin::sim {
namespace {

TEST(decode_function, parameters_of_a_kernel_have_natural_alignment_in_order) {
  const auto module = decode_text(module_text(
      ".entry k(.param .u32 a, .param .align 8 .b8 b[56], .param .u8 c, .param .u64 .ptr .align 1 "
      "d,"
      ".param .u16 e) { .reg .b64 %rd<4>; ld.param.u64 %rd1, [d]; ld.param.u64 %rd2, [b+48];"
      " mov.b64 %rd3, b; ld.param.u64 %rd1, [%rd3+8]; ret; }"));
  const FunctionCode& kernel = function_named(module, "k");
  EXPECT_TRUE(kernel.is_entry);
  std::vector<std::uint32_t> offsets;
  for (const ParameterPlace& parameter : kernel.parameters) offsets.push_back(parameter.offset);
  EXPECT_EQ(offsets, (std::vector<std::uint32_t>{0, 8, 64, 72, 80}));
  EXPECT_EQ(kernel.parameter_bytes, 82u);
  EXPECT_EQ(kernel.parameters[1].n_bytes, 56u);
  EXPECT_TRUE(kernel.parameters[1].is_array);
  EXPECT_EQ(kernel.parameters[3].name, "d");
  EXPECT_EQ(kernel.local_bytes, 0u);
  const auto& code = module.program->code;
  EXPECT_EQ(code[0].operation.space, Space::kParam);
  EXPECT_TRUE(code[0].is_absolute);
  EXPECT_FALSE(code[0].is_in_frame);
  EXPECT_EQ(code[0].offset, 72);
  EXPECT_EQ(code[1].offset, 56);
  EXPECT_EQ(constant<std::uint64_t>(*module.program, code[2].a), 8u);
  EXPECT_FALSE(code[2].is_in_frame);
  EXPECT_EQ(code[3].operation.space, Space::kParam);
}

const char* const kSquare =
    ".func (.param .b32 result) square(.param .b32 x, .param .align 16 .b8 y[16]) {"
    " .local .align 8 .b8 depot[24]; .reg .b32 %r<4>; .reg .b64 %rd<4>;"
    " ld.param.b32 %r1, [x]; mov.u64 %rd1, depot; st.local.u32 [depot+4], %r1;"
    " mov.b64 %rd2, y; ld.param.u32 %r2, [%rd2]; st.param.b32 [result], %r1; ret; }\n";

TEST(decode_function, a_functions_parameters_lie_in_its_frame) {
  const auto module = decode_text(module_text(kSquare));
  const FunctionCode& function = function_named(module, "square");
  ASSERT_EQ(function.results.size(), 1u);
  ASSERT_EQ(function.parameters.size(), 2u);
  EXPECT_EQ(function.results[0].offset, 0u);
  EXPECT_EQ(function.parameters[0].offset, 4u);
  EXPECT_EQ(function.parameters[1].offset, 16u);
  EXPECT_EQ(function.parameter_bytes, 0u);
  EXPECT_EQ(function.local_bytes, 64u);  // 32 + 24, aligned to 16
  const auto& code = module.program->code;
  EXPECT_EQ(code[0].operation.space, Space::kLocal);
  EXPECT_TRUE(code[0].is_absolute);
  EXPECT_TRUE(code[0].is_in_frame);
  EXPECT_EQ(code[0].offset, 4);
  EXPECT_TRUE(code[1].is_in_frame);
  EXPECT_EQ(constant<std::uint64_t>(*module.program, code[1].a), 32u);
  EXPECT_EQ(code[2].offset, 36);
  EXPECT_EQ(code[4].operation.space, Space::kLocal);
  EXPECT_FALSE(code[4].is_absolute);
  EXPECT_EQ(code[5].offset, 0);
}

TEST(decode_function, a_call_lists_the_places_of_its_arguments) {
  const auto module = decode_text(
      module_text(std::string(kSquare) +
                  ".visible .entry k() { .reg .b32 %r<4>; .local .align 4 .b8 depot[4];"
                  " { .param .b32 a; .param .align 16 .b8 b[16]; .param .b32 r;"
                  " st.param.b32 [a], %r1; call.uni (r), square, (a, b); ld.param.b32 %r2, [r]; }"
                  " { .param .b32 a; .param .align 16 .b8 b[16]; .param .b32 r;"
                  " call (r), square, (a, b); } ret; }"));
  const FunctionCode& kernel = function_named(module, "k");
  const auto* code = module.program->code.data() + kernel.first;
  EXPECT_EQ(code[0].operation.space, Space::kLocal);
  EXPECT_EQ(code[0].category, InstructionClass::kLocalAccess);
  const Instruction& call = code[1];
  EXPECT_EQ(call.flow, Flow::kCall);
  EXPECT_EQ(call.target, 0u);
  ASSERT_EQ(call.n_list, 3);
  const Slot* places = module.program->lists.data() + call.list;
  EXPECT_EQ(std::vector<Slot>(places, places + 3), (std::vector<Slot>{32, 0, 16}));
  EXPECT_EQ(code[2].offset, 32);
  const Slot* others = module.program->lists.data() + code[3].list;
  EXPECT_NE(others[1], places[1]);
  EXPECT_GE(kernel.local_bytes, 80u);
  EXPECT_EQ(kernel.local_bytes % 16, 0u);
}

TEST(decode_function, pointers_to_functions_are_called_by_prototype) {
  const auto module = decode_text(
      module_text(".func f(.param .b64 x) { ret; }\n"
                  ".visible .entry k() { .reg .b64 %rd<4>; .param .b64 a; mov.u64 %rd1, f;"
                  " p : .callprototype _ (.param .b64 _); call %rd1, (a), p; ret; }"));
  const auto& code = module.program->code;
  EXPECT_EQ(constant<std::uint64_t>(*module.program, code[1].a), kCodeBase);
  EXPECT_EQ(code[2].flow, Flow::kCallIndirect);
  EXPECT_EQ(code[2].a, code[1].result);
  EXPECT_EQ(code[2].n_list, 1);
  EXPECT_EQ(module.addresses.at("f"), kCodeBase);
  EXPECT_EQ(module.addresses.at("k"), kCodeBase + kCodeStep);
}

TEST(decode_function, arguments_must_fit_the_function) {
  const std::string head = module_text(kSquare);
  const auto error = [&](const std::string& body) {
    return error_of({head +
                     ".visible .entry k(.param .b32 p) { .reg .b64 %rd<2>; .param .b32 a;"
                     " .param .align 16 .b8 b[16]; .param .b64 c;\n" +
                     body + "; }"});
  };
  EXPECT_EQ(error("call square, (a, b)"),
            "line 6: 'call square, (a, b)': found 0 results; the function has 1");
  EXPECT_EQ(error("call (a), square, (a)"),
            "line 6: 'call (a), square, (a)': found 1 parameters; the function has 2");
  EXPECT_EQ(error("call (a), square, (c, b)"),
            "line 6: 'call (a), square, (c, b)': 'c' has 8 bytes; the function has 4 there");
  EXPECT_EQ(error("call (a), square, (p, b)"),
            "line 6: 'call (a), square, (p, b)': 'p' is a symbol; expected a .param variable of "
            "this function");
  EXPECT_EQ(error("call (a), square, (_, b)"),
            "line 6: 'call (a), square, (_, b)': '_' is no value; expected 32 bits");
  EXPECT_EQ(error("call (%rd1), square, (1, b)"),
            "line 6: 'call (%rd1), square, (1, b)': '%rd1' is a register of 64 bits; expected 32 "
            "bits");
  EXPECT_EQ(error("call (a), square, (1, 2)"),
            "line 6: 'call (a), square, (1, 2)': '2' is an integer; expected a .param variable of "
            "16 bytes");
  EXPECT_EQ(error("mov.b64 %rd1, b"),
            "line 6: 'mov.b64 %rd1, b': 'b' is an argument of a call; expected no use of its "
            "address");
}

TEST(decode_function, the_engines_functions_have_no_code) {
  const auto module = decode_text(module_text(
      ".extern .func (.param .b32 r) vprintf(.param .b64 format, .param .b64 values);\n"
      ".visible .entry k() { .param .b64 a; .param .b32 r; call (r), vprintf, (a, a); ret; }"));
  const FunctionCode& function = function_named(module, "vprintf");
  EXPECT_TRUE(function.is_syscall);
  EXPECT_EQ(function.first, function.last);
  ASSERT_EQ(function.parameters.size(), 2u);
  EXPECT_EQ(function.parameters[1].n_bytes, 8u);
  EXPECT_EQ(error_of({module_text(".extern .func free(.param .b32 p);\n")}),
            "line 4: 'free' is declared with other parameters than the CUDA function of that name "
            "has");
}

TEST(decode_function, branches_lead_to_the_first_instruction_of_a_statement) {
  const auto module =
      decode_kernel("L: or.pred %p1, !%p1, %p2; @%p1 bra L; bra.uni E; add.s32 %r1, %r1, 1; E:");
  const auto& code = module.program->code;
  ASSERT_EQ(code.size(), 6u);
  EXPECT_EQ(code[2].flow, Flow::kBranch);
  EXPECT_EQ(code[2].target, 0u);
  EXPECT_NE(code[2].guard, kNoSlot);
  EXPECT_EQ(code[3].target, 5u);
  EXPECT_EQ(code[5].flow, Flow::kExit);
}

TEST(decode_function, a_kernel_ends_in_exit_and_a_function_in_return) {
  const auto module =
      decode_text(module_text(".func f() { .reg .pred %p; @%p ret; }\n.func g() { exit; }\n"
                              ".entry k() { ret; }\n.entry empty() { }\n"));
  const auto flows = [&](const char* name) {
    const FunctionCode& function = function_named(module, name);
    std::vector<Flow> found;
    for (std::uint32_t index = function.first; index < function.last; ++index)
      found.push_back(module.program->code[index].flow);
    return found;
  };
  EXPECT_EQ(flows("f"), (std::vector<Flow>{Flow::kReturn, Flow::kReturn}));
  EXPECT_EQ(flows("g"), (std::vector<Flow>{Flow::kExit}));
  EXPECT_EQ(flows("k"), (std::vector<Flow>{Flow::kExit}));
  EXPECT_EQ(flows("empty"), (std::vector<Flow>{Flow::kExit}));
}

TEST(decode_function, traps_end_the_kernel) {
  EXPECT_EQ(instruction_of("trap;").flow, Flow::kTrap);
  EXPECT_EQ(instruction_of("brkpt;").flow, Flow::kTrap);
}

TEST(decode_function, bounds_of_a_launch_are_kept) {
  const auto module =
      decode_text(module_text(".visible .entry k() .reqntid 8, 4, 2 { ret; }\n"
                              ".visible .entry m() .maxntid 128, 2, 1 { ret; }\n"));
  EXPECT_EQ(function_named(module, "k").required_threads, (std::array<std::uint32_t, 3>{8, 4, 2}));
  EXPECT_EQ(function_named(module, "m").max_threads, 256u);
  EXPECT_EQ(module.program->target, "sm_100a");
}

TEST(decode_function, compilers_number_more_registers_than_a_thread_has) {
  const auto module =
      decode_text(module_text(".visible .entry k() { .reg .b32 %r<70000>; mov.b32 %r69999, 1; }"));
  EXPECT_EQ(function_named(module, "k").n_registers, 1u);
}

TEST(decode_function, what_is_too_large_is_refused) {
  EXPECT_EQ(error_of({module_text(".entry k() { .local .align 4 .b8 a[4];\n"
                                  ".local .align 4 .b8 b[600000]; ret; }")}),
            "line 5: the local variables of a function up to 'b' take more than 524288 bytes");
  EXPECT_EQ(error_of({module_text(".entry k(.param .align 4 .b8 a[32768]) { ret; }")}),
            "line 4: the parameters of a kernel up to 'a' take more than 32764 bytes");
}

std::vector<std::uint32_t> plain_of(const std::string& body) {
  std::vector<std::uint32_t> counts;
  for (const Instruction& instruction : instructions_of(body)) {
    counts.push_back(instruction.n_plain);
  }
  return counts;
}

TEST(decode_plain, counts_the_instructions_to_the_next_guard_or_jump) {
  EXPECT_EQ(plain_of("mov.u32 %r1, 1; mov.u32 %r2, 2; @%p1 mov.u32 %r3, 3; mov.u32 %r4, 4;"),
            (std::vector<std::uint32_t>{2, 1, 0, 1}));
  EXPECT_EQ(plain_of("L: mov.u32 %r1, 1; bra L; mov.u32 %r2, 2; bar.sync 0;"),
            (std::vector<std::uint32_t>{1, 0, 1, 0}));
}

}  // namespace
}  // namespace numpy_plugin::sim
