// Functions: heads, registers, scopes, labels, prototypes.
#include <gtest/gtest.h>

#include "simulator/assembly/text.hpp"

namespace numpy_plugin::sim {
namespace {

Function parse_one(const std::string& text) { return parse_module(text).functions.at(0); }

std::vector<std::string> mnemonics(const Function& function) {
  std::vector<std::string> names;
  for (const Statement& statement : function.statements) names.push_back(statement.mnemonic);
  return names;
}

using Names = std::vector<std::string>;

TEST(AssemblyFunctionTest, ReadsTheHeadOfAnEntry) {
  const Function function = parse_one(
      "\n.visible .entry k(\n\t.param .u64 .ptr .global .align 16 a,\n\t.param .align 8 .b8 "
      "s[56]\n)\n"
      ".maxntid 16, 8, 2\n.minnctapersm 4\n.maxnreg 40\n.pragma \"x\";\n{\n\tret;\n}");
  EXPECT_EQ(function.name, "k");
  EXPECT_TRUE(function.is_entry);
  EXPECT_TRUE(function.is_visible);
  EXPECT_FALSE(function.is_extern);
  EXPECT_EQ(function.line, 5);
  EXPECT_EQ(function.max_threads, 256u);
  EXPECT_EQ(function.required_threads[0], 0u);
  ASSERT_EQ(function.parameters.size(), 2u);
  EXPECT_EQ(function.parameters[0].name, "a");
  EXPECT_EQ(function.parameters[0].space, Space::kParam);
  EXPECT_EQ(function.parameters[0].type, Type::kU64);
  EXPECT_EQ(function.parameters[0].alignment_bytes, 8u);
  EXPECT_FALSE(function.parameters[0].is_array);
  EXPECT_EQ(function.parameters[1].n_bytes, 56u);
  EXPECT_EQ(function.parameters[1].alignment_bytes, 8u);
  EXPECT_TRUE(function.parameters[1].is_array);
}

TEST(AssemblyFunctionTest, ReadsTheRequiredThreads) {
  const Function function = parse_one(".entry k() .reqntid 32, 4 { ret; }");
  EXPECT_EQ(function.max_threads, 128u);
  EXPECT_EQ(function.required_threads[0], 32u);
  EXPECT_EQ(function.required_threads[1], 4u);
  EXPECT_EQ(function.required_threads[2], 1u);
}

TEST(AssemblyFunctionTest, PassesOverWhatIsSaidOfClusters) {
  const Function function =
      parse_one(".entry k()\n.explicitcluster\n.reqnctapercluster 2, 1, 1\n.maxnreg 64 { ret; }");
  EXPECT_EQ(function.max_threads, 0u);
  EXPECT_EQ(mnemonics(function), Names{"ret"});
}

TEST(AssemblyFunctionTest, ReadsADeclaration) {
  const Function function = parse_one(
      ".extern .func  (.param .b32 func_retval0) vprintf\n(\n\t.param .b64 a,\n"
      "\t.param .b64 b\n)\n;\n");
  EXPECT_EQ(function.name, "vprintf");
  EXPECT_FALSE(function.is_entry);
  EXPECT_TRUE(function.is_extern);
  EXPECT_EQ(function.results.at(0).name, "func_retval0");
  EXPECT_EQ(function.results.at(0).n_bytes, 4u);
  EXPECT_EQ(function.parameters.size(), 2u);
}

TEST(AssemblyFunctionTest, ReadsFunctionsWithoutParameters) {
  EXPECT_TRUE(parse_one(".weak .func f\n{ ret; }").is_weak);
  EXPECT_TRUE(parse_one(".extern .func f() .noreturn;").is_extern);
}

TEST(AssemblyFunctionTest, NumbersRegisters) {
  const Function function = parse_body(
      ".reg .pred %p<2>;.reg.b16 low,high;\n.reg .f64 %fd<0>; .reg .b32 %r<3>, __$temp3;\n"
      "use low, %p1, %r2, __$temp3;");
  EXPECT_EQ(function.register_names,
            (Names{"%p0", "%p1", "low", "high", "%r0", "%r1", "%r2", "__$temp3"}));
  EXPECT_EQ(function.registers,
            (std::vector<Type>{Type::kPred, Type::kPred, Type::kB16, Type::kB16, Type::kB32,
                               Type::kB32, Type::kB32, Type::kB32}));
  const std::vector<Operand> operands = operands_of(function, "use");
  ASSERT_EQ(operands.size(), 4u);
  for (const Operand& operand : operands) EXPECT_EQ(operand.kind, Operand::Kind::kRegister);
  EXPECT_EQ(operands[0].index, 2u);
  EXPECT_EQ(operands[1].index, 1u);
  EXPECT_EQ(operands[2].index, 6u);
  EXPECT_EQ(operands[3].index, 7u);
}

TEST(AssemblyFunctionTest, TellsRangesWithDigitsApart) {
  const Function function = parse_body(".reg .b32 %r<5>; .reg .b64 %r1<20>; use %r4, %r13, %r119;");
  const std::vector<Operand> operands = operands_of(function, "use");
  EXPECT_EQ(function.register_names[operands.at(0).index], "%r4");
  EXPECT_EQ(function.register_names[operands.at(1).index], "%r13");
  EXPECT_EQ(function.register_names[operands.at(2).index], "%r119");
  EXPECT_EQ(function.registers[operands.at(1).index], Type::kB64);
}

TEST(AssemblyFunctionTest, HidesOuterRegistersInInnerScopes) {
  const Function function = parse_body(
      ".reg .b32 a; .reg .b32 %r<2>;\n"
      "{ .reg .b16 a; .reg .b64 %r1; in a, %r1, %r0; { deep a; } }\n"
      "out a, %r1;");
  const std::vector<Operand> in = operands_of(function, "in");
  EXPECT_EQ(function.registers[in.at(0).index], Type::kB16);
  EXPECT_EQ(function.registers[in.at(1).index], Type::kB64);
  EXPECT_EQ(in.at(2).index, 1u);
  EXPECT_EQ(operands_of(function, "deep").at(0).index, in.at(0).index);
  EXPECT_EQ(operands_of(function, "out").at(0).index, 0u);
  EXPECT_EQ(operands_of(function, "out").at(1).index, 2u);
}

TEST(AssemblyFunctionTest, GivesVariablesOfInnerScopesNamesOfTheirOwn) {
  const Function function = parse_body(
      ".local .align 16 .b8 depot[32]; .shared .f32 s[2];\n"
      "one depot;\n"
      "{ .param .b64 x; two [x]; } { .param .align 4 .b8 x[12]; three [x+4], p; }");
  ASSERT_EQ(function.variables.size(), 4u);
  EXPECT_EQ(function.variables[0].name, "depot");
  EXPECT_EQ(function.variables[0].space, Space::kLocal);
  EXPECT_EQ(function.variables[0].alignment_bytes, 16u);
  EXPECT_EQ(function.variables[1].space, Space::kShared);
  EXPECT_EQ(function.variables[1].n_bytes, 8u);
  EXPECT_EQ(function.variables[2].name, "x#1");
  EXPECT_EQ(function.variables[3].name, "x#2");
  EXPECT_EQ(function.variables[3].n_bytes, 12u);
  EXPECT_EQ(operands_of(function, "one").at(0).name, "depot");
  EXPECT_EQ(operands_of(function, "two").at(0).parts.at(0).name, "x#1");
  EXPECT_EQ(operands_of(function, "three").at(0).parts.at(0).name, "x#2");
  EXPECT_EQ(operands_of(function, "three").at(1).name, "p");
}

TEST(AssemblyFunctionTest, TellsAVariableOfTheModuleFromOneOfAScope) {
  const Module module = parse_module(
      ".func f() { { .param .b32 param0; in [param0]; } out [param0]; ret; }\n"
      ".global .u32 param0;");
  EXPECT_EQ(operands_of(module.functions[0], "in").at(0).parts.at(0).name, "param0#1");
  EXPECT_EQ(operands_of(module.functions[0], "out").at(0).parts.at(0).name, "param0");
}

TEST(AssemblyFunctionTest, ResolvesLabels) {
  const Function function = parse_body(
      "bra $L__BB0_2;\n$L__tmp0:\n$L__BB0_1: add; bra.uni $L__tmp0;\n$L__BB0_2:\nbra end;\nend:");
  const std::vector<Statement>& statements = function.statements;
  ASSERT_EQ(statements.size(), 4u);
  for (const std::size_t branch : {0u, 2u, 3u}) {
    EXPECT_EQ(statements[branch].operands.at(0).kind, Operand::Kind::kLabel);
    EXPECT_EQ(statements[branch].operands.at(0).name, "");
  }
  EXPECT_EQ(statements[0].operands[0].index, 3u);
  EXPECT_EQ(statements[2].operands[0].index, 1u);
  EXPECT_EQ(statements[3].operands[0].index, 4u);
}

TEST(AssemblyFunctionTest, KeepsLabelsInTheirScopes) {
  const Function function = parse_body(
      "{ again: first; bra again; }\n{ again: second; bra again; bra out; }\n{ { bra out; } "
      "}\nout: ret;");
  const std::vector<Statement>& statements = function.statements;
  EXPECT_EQ(statements.at(1).operands.at(0).index, 0u);
  EXPECT_EQ(statements.at(3).operands.at(0).index, 2u);
  EXPECT_EQ(statements.at(4).operands.at(0).index, 6u);
  EXPECT_EQ(statements.at(5).operands.at(0).kind, Operand::Kind::kLabel);
}

TEST(AssemblyFunctionTest, PrefersALabelToASymbolOfTheModule) {
  const Module module = parse_module(".func x() { bra x; x: ret; }");
  EXPECT_EQ(module.functions[0].statements[0].operands.at(0).kind, Operand::Kind::kLabel);
}

TEST(AssemblyFunctionTest, ReadsPrototypesAndIndirectCalls) {
  const Function function = parse_body(
      ".reg .b64 %rd<2>;\n{ .param .b64 param0; .param .b32 retval0;\n"
      "prototype_1 : .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 8 .b8 _[24]);\n"
      "call (retval0), \n%rd1, \n(\nparam0\n)\n, prototype_1;\n"
      "none : .callprototype _ (); }");
  ASSERT_EQ(function.prototypes.size(), 2u);
  EXPECT_EQ(function.prototypes[0].first, "prototype_1#1");
  EXPECT_EQ(function.prototypes[0].second.results.at(0).n_bytes, 4u);
  ASSERT_EQ(function.prototypes[0].second.parameters.size(), 2u);
  EXPECT_EQ(function.prototypes[0].second.parameters[1].n_bytes, 24u);
  EXPECT_TRUE(function.prototypes[1].second.results.empty());
  const std::vector<Operand> operands = operands_of(function, "call");
  ASSERT_EQ(operands.size(), 4u);
  EXPECT_EQ(operands[0].kind, Operand::Kind::kList);
  EXPECT_EQ(operands[0].parts.at(0).name, "retval0#1");
  EXPECT_EQ(operands[1].kind, Operand::Kind::kRegister);
  EXPECT_EQ(operands[2].parts.at(0).name, "param0#1");
  EXPECT_EQ(operands[3].kind, Operand::Kind::kSymbol);
  EXPECT_EQ(operands[3].name, "prototype_1#1");
  EXPECT_EQ(function.statements[0].line, 8);
}

TEST(AssemblyFunctionTest, ReadsSeveralStatementsOfALine) {
  const Function function = parse_body(
      ".reg .b32 %r<2>;\n{.reg.b32 a; mov.u32 a,%laneid;add.u32 %r1,a,0x10;}// end\n;;ret;");
  EXPECT_EQ(mnemonics(function), (Names{"mov.u32", "add.u32", "ret"}));
  EXPECT_EQ(function.statements[1].line, 6);
  EXPECT_EQ(function.statements[2].line, 7);
}

TEST(AssemblyFunctionTest, GivesInstructionsTheirSourceLines) {
  const Module module = parse_ptx(with_body(
      "trap;\n.loc 1 331 28\nret;\nret;\n"
      ".loc 2 5710 1, function_name $L__info_string0+4, inlined_at 1 331 28\nret;\n.loc 1 0 0\nret;"
      "}\n.file 1 \"<source of 'k'>\", 1700000000, 4096\n.file 2 \"k.cuh\"\n"
      ".visible .entry after() { ret; "));
  const auto location = [&](std::size_t statement) {
    return module.functions[0].statements.at(statement).location;
  };
  EXPECT_EQ(location(0), kNoLocation);
  EXPECT_EQ(location(1), 0u);
  EXPECT_EQ(location(2), 0u);
  EXPECT_EQ(location(3), 1u);
  EXPECT_EQ(location(4), kNoLocation);
  EXPECT_EQ(module.functions[1].statements.at(0).location, kNoLocation);
  ASSERT_EQ(module.locations.size(), 2u);
  EXPECT_EQ(module.locations[0].line, 331u);
  EXPECT_EQ(module.locations[0].inlined_at, kNoLocation);
  EXPECT_EQ(module.locations[1].line, 5710u);
  EXPECT_EQ(module.locations[1].inlined_at, 0u);
  EXPECT_EQ(module.files.at(1), "<source of 'k'>");
  EXPECT_EQ(module.files.at(2), "k.cuh");
}

TEST(AssemblyFunctionTest, PassesOverDebugInformation) {
  const Function function = parse_body(
      ".loc\t2 5710 1, function_name $L__info_string0, inlined_at 1 331 28\n"
      "trap;\n.pragma \"nounroll\", \"a;b\";\nret;");
  EXPECT_EQ(mnemonics(function), (Names{"trap", "ret"}));
  EXPECT_EQ(function.statements[1].line, 8);
}

TEST(AssemblyFunctionTest, JoinsTheWordsOfAMnemonic) {
  const Function function =
      parse_body("ld .global\t.f32; cp.async.ca.shared::cta.L2::128B; fence.acq_rel.gpu;");
  EXPECT_EQ(mnemonics(function),
            (Names{"ld.global.f32", "cp.async.ca.shared::cta.L2::128B", "fence.acq_rel.gpu"}));
}

TEST(AssemblyFunctionTest, ReadsGuards) {
  const Function function = parse_body(".reg .pred %p<3>; @%p1 ret; @!%p2 bra x; x: exit;");
  ASSERT_TRUE(function.statements[0].guard.has_value());
  EXPECT_EQ(function.statements[0].guard->index, 1u);
  EXPECT_FALSE(function.statements[0].guard->is_negated);
  ASSERT_TRUE(function.statements[1].guard.has_value());
  EXPECT_EQ(function.statements[1].guard->index, 2u);
  EXPECT_TRUE(function.statements[1].guard->is_negated);
  EXPECT_FALSE(function.statements[2].guard.has_value());
}

TEST(AssemblyFunctionTest, VectorsAreRegistersInARow) {
  const Function function = parse_body(
      ".reg .v4 .f32 color; .reg .v2 .b32 %v<2>; mov color.r; mov color.w; mov %v1; mov %v1.y; "
      "{ .reg .b32 color; mov color; }");
  ASSERT_EQ(function.registers.size(), 9u);
  EXPECT_EQ(function.register_names[3], "color.w");
  EXPECT_EQ(function.register_names[7], "%v1.y");
  const auto operand = [&](std::size_t index) {
    return function.statements.at(index).operands.at(0);
  };
  EXPECT_EQ(operand(0).index, 0u);
  EXPECT_EQ(operand(1).index, 3u);
  EXPECT_EQ(operand(2).kind, Operand::Kind::kVector);
  EXPECT_EQ(operand(2).parts.at(0).index, 6u);
  EXPECT_EQ(operand(3).index, 7u);
  EXPECT_EQ(operand(4).index, 8u);
}

TEST(AssemblyFunctionTest, RegistersAreParametersAndResults) {
  const Function function =
      parse_module(
          ".func (.reg .u32 r, .reg .v2 .f32 s) f(.reg .u64 a, .param .b32 b) { mov r, a; }")
          .functions.at(0);
  EXPECT_TRUE(function.results.at(0).is_register);
  EXPECT_EQ(function.results.at(1).first_register, 1u);
  EXPECT_EQ(function.results.at(1).n_bytes, 8u);
  EXPECT_EQ(function.parameters.at(0).first_register, 3u);
  EXPECT_FALSE(function.parameters.at(1).is_register);
  EXPECT_EQ(function.statements.at(0).operands.at(1).index, 3u);
}

TEST(AssemblyFunctionTest, ListsOfTargets) {
  const Function function =
      parse_body("t: .branchtargets A, B<2>; { u: .calltargets k; } A: ret; B0: ret; B1:");
  ASSERT_EQ(function.target_lists.size(), 2u);
  EXPECT_EQ(function.target_lists[0].first, "t");
  const Statement& targets = function.statements.at(function.target_lists[0].second);
  ASSERT_EQ(targets.operands.size(), 3u);
  EXPECT_EQ(targets.operands[0].kind, Operand::Kind::kLabel);
  EXPECT_EQ(targets.operands[2].index, 4u);
  EXPECT_EQ(function.statements.at(1).operands.at(0).name, "k");
}

TEST(AssemblyFunctionTest, KeepsTheRequiredCluster) {
  const Function function =
      parse_module(
          ".entry k() .reqntid 32 .reqnctapercluster 2, 4 .blocksareclusters .maxnreg 32 "
          ".pragma \"unknown\"; .minnctapersm 2 .explicitcluster { ret; }")
          .functions.at(0);
  EXPECT_EQ(function.required_cluster[0], 2u);
  EXPECT_EQ(function.required_cluster[1], 4u);
  EXPECT_EQ(function.required_cluster[2], 1u);
}

}  // namespace
}  // namespace numpy_plugin::sim
