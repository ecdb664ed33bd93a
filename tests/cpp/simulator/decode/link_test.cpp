// Modules that link: names across them, variables, initializers, shared memory.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "simulator/decode/text.hpp"

namespace numpy_plugin::sim {
namespace {

std::string with_caller(const std::string& declaration) {
  return module_text(declaration + "\n.visible .entry k() { call f; ret; }\n");
}

const std::string kDeclared = ".extern .func f();";

TEST(link, a_function_of_another_module_is_called_whichever_comes_first) {
  const std::string caller = with_caller(kDeclared);
  const std::string callee = module_text(".visible .func f() { ret; }\n");
  for (const auto& texts : {std::vector{caller, callee}, std::vector{callee, caller}}) {
    const auto module = decode_texts(texts);
    ASSERT_EQ(module.program->functions.size(), 2u);
    const Instruction& call = module.program->code[function_named(module, "k").first];
    EXPECT_EQ(call.flow, Flow::kCall);
    EXPECT_EQ(module.program->functions[call.target].name, "f");
  }
}

TEST(link, modules_may_call_each_other) {
  const auto module =
      decode_texts({module_text(".extern .func g();\n.visible .func f() { call g; ret; }\n"),
                    module_text(".extern .func f();\n.visible .func g() { call f; ret; }\n")});
  const auto& program = *module.program;
  EXPECT_EQ(program.functions[program.code[0].target].name, "g");
  EXPECT_EQ(program.functions[program.code[program.functions[1].first].target].name, "f");
}

TEST(link, what_nothing_defines_is_named_where_it_is_used) {
  EXPECT_EQ(error_of({with_caller(kDeclared)}),
            "line 5: 'call f': nothing defines 'f'; expected it in one of the linked modules");
  EXPECT_EQ(error_of({with_caller(kDeclared), module_text(".func f() { ret; }\n")}),
            "line 5: 'call f': nothing defines 'f'; expected it in one of the linked modules");
  EXPECT_EQ(error_of({module_text(kDeclared)}), "");
}

TEST(link, two_visible_definitions_are_an_error) {
  const std::string callee = module_text("\n.visible .func f() { ret; }\n");
  EXPECT_EQ(error_of({callee, callee}),
            "line 5: 'f' is defined by two of the modules that are linked; expected one");
  const std::string variable = module_text(".visible .global .u32 x;\n");
  EXPECT_EQ(error_of({variable, variable}),
            "line 4: 'x' is defined by two of the modules that are linked; expected one");
}

TEST(link, definitions_that_are_not_visible_stay_apart) {
  const std::string text = module_text(
      ".global .align 4 .u32 t = 7;\n.func helper() { ret; }\n"
      ".visible .entry NAME() { .reg .b64 %rd<2>; mov.u64 %rd1, t; call helper; ret; }\n");
  const auto named = [&](const std::string& name) {
    std::string copy = text;
    return copy.replace(copy.find("NAME"), 4, name);
  };
  const auto module = decode_texts({named("k"), named("m")});
  EXPECT_EQ(module.addresses.at("t"), kFirstAddress);
  EXPECT_EQ(module.addresses.at("t@2"), kFirstAddress + 4);
  const auto& program = *module.program;
  const auto& first = program.code[function_named(module, "k").first];
  const auto& second = program.code[function_named(module, "m").first];
  EXPECT_EQ(constant<std::uint64_t>(program, first.a), kFirstAddress);
  EXPECT_EQ(constant<std::uint64_t>(program, second.a), kFirstAddress + 4);
  EXPECT_NE((&first)[1].target, (&second)[1].target);
}

TEST(link, a_weak_definition_gives_way) {
  const std::string weak = with_caller(".weak .func f() { trap; ret; }");
  const std::string strong = module_text(".visible .func f() { ret; }\n");
  for (const auto& texts : {std::vector{weak, strong}, std::vector{strong, weak}}) {
    const auto module = decode_texts(texts);
    ASSERT_EQ(module.program->functions.size(), 2u);
    const FunctionCode& function = function_named(module, "f");
    EXPECT_EQ(function.last - function.first, 1u);
  }
  const auto common = decode_texts(
      {module_text(".common .global .u32 x;\n"), module_text(".common .global .u32 x;\n")});
  EXPECT_EQ(common.variables.size(), 1u);
}

TEST(link, variables_of_other_modules_are_found) {
  const auto module = decode_texts(
      {module_text(".extern .global .align 8 .u64 x;\n"
                   ".visible .entry k() { .reg .b64 %rd<2>; ld.global.u64 %rd1, [x]; ret; }\n"),
       module_text(".global .u8 before;\n.visible .global .align 8 .u64 x = 5;\n")});
  EXPECT_EQ(module.program->code[0].offset, static_cast<std::int64_t>(kFirstAddress + 8));
  EXPECT_TRUE(module.program->code[0].is_absolute);
  EXPECT_EQ(module.variables.at("x").initializers.at(0).bytes, std::string("\5\0\0\0\0\0\0\0", 8));
}

std::uint64_t value_at(const GlobalVariable& variable, std::uint64_t offset) {
  std::string image(variable.n_bytes, '\0');
  for (const Initializer& initializer : variable.initializers) {
    EXPECT_TRUE(initializer.symbol.empty());
    image.replace(initializer.offset, initializer.bytes.size(), initializer.bytes);
  }
  std::uint64_t value = 0;
  std::memcpy(&value, image.data() + offset, sizeof value);
  return value;
}

TEST(link, first_values_may_be_addresses_of_what_comes_later) {
  const auto module = decode_text(
      module_text(".visible .global .align 8 .u64 table[4] = {generic(text)+2, f, 7, later};\n"
                  ".global .align 1 .b8 text[4] = {104, 105, 0, 0};\n"
                  ".const .align 16 .b8 later[16];\n.func f() { ret; }\n"));
  const GlobalVariable& table = module.variables.at("table");
  EXPECT_EQ(table.n_bytes, 32u);
  EXPECT_EQ(value_at(table, 0), module.addresses.at("text") + 2);
  EXPECT_EQ(value_at(table, 8), kCodeBase);
  EXPECT_EQ(value_at(table, 16), 7u);
  EXPECT_EQ(value_at(table, 24), module.addresses.at("later"));
  EXPECT_EQ(module.addresses.at("later") % 16, 0u);
  EXPECT_TRUE(module.variables.at("later").is_constant);
  EXPECT_FALSE(table.is_constant);
}

TEST(link, first_values_must_be_known) {
  EXPECT_EQ(error_of({module_text(".extern .func f();\n.global .u64 x = f;\n")}),
            "line 5: 'f', a value of 'x', is defined nowhere; expected it in one of the linked "
            "modules");
  EXPECT_EQ(error_of({module_text(".shared .u32 s;\n.global .u64 x = s;\n")}),
            "line 5: 's', a value of 'x', has no fixed address; expected a .global or .const "
            "variable");
}

TEST(link, addresses_go_with_their_space) {
  const std::string head =
      ".global .u32 g; .const .u32 c; .shared .u32 s; .func f() { ret; }\n"
      ".visible .entry k() { .reg .b32 %r<2>; .reg .b64 %rd<2>; ";
  const auto error = [&](const std::string& instruction) {
    const std::string text = error_of({module_text(head + instruction + "; ret; }")});
    return text.substr(
        std::min(text.size(), std::string("line 5: '").size() + instruction.size() + 3));
  };
  EXPECT_EQ(error("ld.global.u32 %r1, [s]"), "'s' is in .shared; expected a variable in .global");
  EXPECT_EQ(error("st.u32 [c], %r1"), "'c' is in .const; expected a variable in generic memory");
  EXPECT_EQ(error("ld.u32 %r1, [c]"), "'c' is in .const; expected a variable in generic memory");
  EXPECT_EQ(error("ld.u32 %r1, [f]"), "'f' is a function; expected a variable");
  EXPECT_EQ(error("mov.u32 %r1, g"), "'g' is a symbol; expected 32 bits");
  EXPECT_EQ(error("call s"), "'s' can't be called; expected a function");
  EXPECT_EQ(error("ld.u32 %r1, [g]"), "");
  EXPECT_EQ(error("mov.u32 %r1, s"), "");
  const auto module = decode_text(module_text(head + "ld.u32 %r1, [g]; st.u32 [s], %r1; ret; }"));
  const auto* code = module.program->code.data() + function_named(module, "k").first;
  EXPECT_EQ(code[0].operation.space, Space::kGlobal);
  EXPECT_EQ(code[1].operation.space, Space::kShared);
}

TEST(shared_layout, counts_what_a_kernel_can_reach) {
  const auto module = decode_text(module_text(
      ".shared .align 8 .b8 a[24];\n.shared .align 4 .b8 b[100];\n.shared .align 4 .b8 "
      "unused[64];\n"
      ".func f() { .reg .b64 %rd<2>; mov.u64 %rd1, b; ret; }\n.func g() { call f; ret; }\n"
      ".visible .entry k() { .reg .b64 %rd<2>; .shared .align 16 .b8 own[16]; mov.u64 %rd1, own;"
      " mov.u64 %rd0, a; ret; }\n"
      ".visible .entry m() { call g; ret; }\n.visible .entry none() { ret; }\n"));
  EXPECT_EQ(function_named(module, "k").shared_bytes, 48u);  // 24, then 16 on its boundary
  EXPECT_EQ(function_named(module, "m").shared_bytes, 100u);
  EXPECT_EQ(function_named(module, "none").shared_bytes, 0u);
  const Program& program = *module.program;
  const auto* code = program.code.data() + function_named(module, "k").first;
  const auto own = constant<std::uint64_t>(program, code[0].a);
  const auto a = constant<std::uint64_t>(program, code[1].a);
  EXPECT_EQ(own % 16, 0u);
  EXPECT_EQ(a % 8, 0u);
  EXPECT_TRUE(own >= a + 24 || a >= own + 16);
  EXPECT_EQ(constant<std::uint64_t>(program, program.code[0].a), 0u);  // b, the only one in m
}

TEST(shared_layout, a_variable_of_two_kernels_overlaps_nothing_in_either) {
  const auto module = decode_text(module_text(
      ".shared .align 4 .b8 a[8];\n.shared .align 4 .b8 b[12];\n.shared .align 4 .b8 both[16];\n"
      ".visible .entry k() { .reg .b64 %rd<3>; mov.u64 %rd1, a; mov.u64 %rd2, both; ret; }\n"
      ".visible .entry m() { .reg .b64 %rd<3>; mov.u64 %rd1, b; mov.u64 %rd2, both; ret; }\n"));
  const Program& program = *module.program;
  const auto at = [&](const char* kernel, int index) {
    const auto first = function_named(module, kernel).first;
    return constant<std::uint64_t>(program, program.code[first + static_cast<unsigned>(index)].a);
  };
  EXPECT_EQ(at("k", 0), 0u);
  EXPECT_EQ(at("m", 0), 0u);
  EXPECT_EQ(at("k", 1), at("m", 1));
  EXPECT_EQ(at("k", 1), 12u);
  EXPECT_EQ(function_named(module, "k").shared_bytes, 28u);
}

TEST(shared_layout, dynamic_variables_begin_where_the_static_ones_end) {
  const auto module = decode_text(module_text(
      ".extern .shared .align 32 .b8 dynamic[];\n"
      ".visible .entry k() { .reg .b32 %r<3>; .shared .align 4 .b8 s[20]; mov.u32 %r1, dynamic;"
      " st.shared.u32 [dynamic+4], %r1; ret; }\n"
      ".visible .entry m() { .reg .b32 %r<3>; mov.u32 %r1, dynamic; ret; }\n"));
  const Program& program = *module.program;
  const auto* code = program.code.data() + function_named(module, "k").first;
  EXPECT_EQ(constant<std::uint32_t>(program, code[0].a), 32u);
  EXPECT_EQ(code[1].offset, 36);
  EXPECT_EQ(function_named(module, "k").shared_bytes, 32u);
  EXPECT_EQ(function_named(module, "m").shared_bytes, 0u);
  code = program.code.data() + function_named(module, "m").first;
  EXPECT_EQ(constant<std::uint32_t>(program, code[0].a), 0u);
}

TEST(shared_layout, kernels_that_share_a_function_agree_on_where_dynamic_variables_begin) {
  const auto module =
      decode_text(module_text(".extern .shared .align 4 .b8 dynamic[];\n"
                              ".func f() { .reg .b32 %r<2>; mov.u32 %r1, dynamic; ret; }\n"
                              ".visible .entry k() { .reg .b32 %r<2>; .shared .align 4 .b8 s[20]; "
                              "mov.u32 %r1, s; call f; ret; }\n"
                              ".visible .entry m() { call f; ret; }\n"));
  EXPECT_EQ(constant<std::uint32_t>(*module.program, module.program->code[0].a), 32u);
  EXPECT_EQ(function_named(module, "k").shared_bytes, 32u);
  EXPECT_EQ(function_named(module, "m").shared_bytes, 32u);
}

TEST(shared_layout, functions_called_by_pointer_count) {
  const auto module = decode_text(module_text(
      ".shared .align 4 .b8 s[20];\n.func f() { .reg .b32 %r<2>; mov.u32 %r1, s; ret; }\n"
      ".global .u64 table[1] = {f};\n"
      ".visible .entry k() { .reg .b64 %rd<2>; p : .callprototype _ (); call %rd1, (), p; ret; }\n"
      ".visible .entry m() { ret; }\n"));
  EXPECT_EQ(function_named(module, "k").shared_bytes, 20u);
  EXPECT_EQ(function_named(module, "m").shared_bytes, 0u);
}

TEST(shared_layout, more_than_there_is_is_refused) {
  EXPECT_EQ(error_of({module_text(".visible .entry k() { .shared .align 4 .b8 a[40000];\n"
                                  ".shared .align 4 .b8 b[10000]; ret; }\n")}),
            "line 5: the shared variables of kernel 'k' up to 'b' take 50000 bytes; expected at "
            "most 49152, the rest as dynamic shared memory");
  EXPECT_EQ(error_of({module_text(".visible .entry _Z4fillIfEvPT_() {\n"
                                  ".shared .align 4 .b8 _ZZ4fillIfEvPT_E4held[65536]; ret; }\n")}),
            "line 5: the shared variables of kernel 'void fill<float>(float*)' up to '"
            "fill<float>(float*)::held' take 65536 bytes; expected at most 49152, the rest as "
            "dynamic shared memory");
}

}  // namespace
}  // namespace numpy_plugin::sim
