// Modules: header, variables and their initializers, duplicate definitions.
#include <gtest/gtest.h>

#include "simulator/assembly/text.hpp"

namespace numpy_plugin::sim {
namespace {

Variable parse_one_variable(const std::string& text) { return parse_module(text).variables.at(0); }

std::string bytes_of(const std::string& text) {
  const Variable variable = parse_one_variable(text);
  return variable.initializers.size() == 1 ? variable.initializers[0].bytes : "not one part";
}

TEST(AssemblyModuleTest, ReadsTheHeader) {
  const Module module = parse_ptx(
      "//\n// Generated\n/* and\n more */\n.version 9.5\n.target sm_120f, debug\n.address_size "
      "64\n");
  EXPECT_EQ(module.version_major, 9);
  EXPECT_EQ(module.version_minor, 5);
  EXPECT_EQ(module.target, "sm_120f");
  EXPECT_TRUE(module.variables.empty());
  EXPECT_TRUE(module.functions.empty());
}

TEST(AssemblyModuleTest, CountsTheLinesOfComments) {
  EXPECT_EQ(parse_one_variable("/* one\ntwo\n*/ // three\n.global .u32 x;").line, 7);
}

TEST(AssemblyModuleTest, ReadsAnOldVersion) {
  EXPECT_EQ(parse_ptx(".version 6.3 .target sm_75 .address_size 64").version_major, 6);
}

TEST(AssemblyModuleTest, ReadsAVariable) {
  const Variable variable = parse_one_variable("\n.visible .const .align 16 .b8 table[128];");
  EXPECT_EQ(variable.name, "table");
  EXPECT_EQ(variable.space, Space::kConst);
  EXPECT_EQ(variable.type, Type::kB8);
  EXPECT_EQ(variable.alignment_bytes, 16u);
  EXPECT_EQ(variable.n_bytes, 128u);
  EXPECT_TRUE(variable.is_array);
  EXPECT_TRUE(variable.is_visible);
  EXPECT_FALSE(variable.is_extern);
  EXPECT_FALSE(variable.is_weak);
  EXPECT_TRUE(variable.initializers.empty());
  EXPECT_EQ(variable.line, 5);
}

TEST(AssemblyModuleTest, AlignsByTheTypeWhereNothingIsSaid) {
  const Variable variable = parse_one_variable(".global .f64 x;");
  EXPECT_EQ(variable.alignment_bytes, 8u);
  EXPECT_EQ(variable.n_bytes, 8u);
  EXPECT_FALSE(variable.is_array);
  EXPECT_FALSE(variable.is_visible);
}

TEST(AssemblyModuleTest, ReadsSeveralVariablesOfOneDeclaration) {
  const Module module = parse_module(".global .u16 a = 1, b[2][3], c;");
  ASSERT_EQ(module.variables.size(), 3u);
  EXPECT_EQ(module.variables[0].initializers.at(0).bytes, std::string("\1\0", 2));
  EXPECT_EQ(module.variables[1].n_bytes, 12u);
  EXPECT_EQ(module.variables[2].name, "c");
}

TEST(AssemblyModuleTest, LeavesDynamicSharedMemoryWithoutSize) {
  const Variable variable = parse_one_variable(".extern .shared .align 16 .b8 dyn[];");
  EXPECT_EQ(variable.space, Space::kShared);
  EXPECT_TRUE(variable.is_extern);
  EXPECT_TRUE(variable.is_array);
  EXPECT_EQ(variable.n_bytes, 0u);
}

TEST(AssemblyModuleTest, TakesCommonAndWeakVariablesAsWeak) {
  EXPECT_TRUE(parse_one_variable(".common .global .align 8 .u64 _ZN08NumbaEnv;").is_weak);
  EXPECT_TRUE(parse_one_variable(".weak .global .u32 x;").is_weak);
}

TEST(AssemblyModuleTest, PassesOverAttributes) {
  EXPECT_EQ(parse_one_variable(".global .attribute(.managed) .align 4 .f32 y = 0f40000000;").name,
            "y");
}

TEST(AssemblyModuleTest, WritesNumbersInTheBytesOfTheirType) {
  EXPECT_EQ(bytes_of(".global .b8 x[4] = {0, 255, -128, 7};"), std::string("\0\xff\x80\7", 4));
  EXPECT_EQ(bytes_of(".global .u8 x = -56;"), "\xc8");
  EXPECT_EQ(bytes_of(".global .u32 x = 0x12345678;"), "\x78\x56\x34\x12");
  EXPECT_EQ(bytes_of(".global .u64 x = -2;"), "\xfe\xff\xff\xff\xff\xff\xff\xff");
  EXPECT_EQ(bytes_of(".global .b128 x = -2;"), "\xfe" + std::string(15, '\xff'));
  EXPECT_EQ(bytes_of(".global .f32 x = 0f3FC00000;"), std::string("\0\0\xc0\x3f", 4));
  EXPECT_EQ(bytes_of(".global .f32 x = -1.5;"), std::string("\0\0\xc0\xbf", 4));
  EXPECT_EQ(bytes_of(".global .f64 x = 0d3FF8000000000000;"),
            std::string("\0\0\0\0\0\0\xf8\x3f", 8));
}

TEST(AssemblyModuleTest, CountsTheValuesOfAnOpenArray) {
  const Variable variable = parse_one_variable(".global .u16 x[] = {1, 2, 3};");
  EXPECT_EQ(variable.n_bytes, 6u);
  EXPECT_EQ(variable.initializers.at(0).bytes, std::string("\1\0\2\0\3\0", 6));
}

TEST(AssemblyModuleTest, LeavesTheRestOfAnArrayWithoutValues) {
  const Variable variable = parse_one_variable(".global .b8 x[5] = {1, 2};");
  EXPECT_EQ(variable.n_bytes, 5u);
  EXPECT_EQ(variable.initializers.at(0).bytes, "\1\2");
}

TEST(AssemblyModuleTest, MixesNumbersAndAddresses) {
  const Variable variable =
      parse_module(".global .u64 r[4] = {3, generic($str)+8, f, 5};.global .b8 $str[9];.func f();")
          .variables.at(0);
  ASSERT_EQ(variable.initializers.size(), 4u);
  EXPECT_EQ(variable.initializers[0].bytes, std::string("\3\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(variable.initializers[1].offset, 8u);
  EXPECT_EQ(variable.initializers[1].symbol, "$str");
  EXPECT_EQ(variable.initializers[1].addend, 8);
  EXPECT_TRUE(variable.initializers[1].is_generic);
  EXPECT_EQ(variable.initializers[2].offset, 16u);
  EXPECT_EQ(variable.initializers[2].symbol, "f");
  EXPECT_FALSE(variable.initializers[2].is_generic);
  EXPECT_EQ(variable.initializers[3].offset, 24u);
  EXPECT_EQ(variable.initializers[3].bytes.size(), 8u);
}

TEST(AssemblyModuleTest, JoinsTheBytesOfAnAddress) {
  const Variable variable = parse_one_variable(
      ".global .align 1 .u8 p[10] = {1, 0XFF(generic(s)-4), 0xFF00(generic(s)-4), "
      "0xFF0000(generic(s)-4), 0xFF000000(generic(s)-4), 0xFF00000000(generic(s)-4), "
      "0xFF0000000000(generic(s)-4), 0xFF000000000000(generic(s)-4), "
      "0xFF00000000000000(generic(s)-4), 5}; .global .u32 s;");
  ASSERT_EQ(variable.initializers.size(), 3u);
  EXPECT_EQ(variable.initializers[1].offset, 1u);
  EXPECT_EQ(variable.initializers[1].symbol, "s");
  EXPECT_EQ(variable.initializers[1].addend, -4);
  EXPECT_TRUE(variable.initializers[1].is_generic);
  EXPECT_EQ(variable.initializers[2].offset, 9u);
  EXPECT_EQ(variable.initializers[2].bytes, "\5");
}

TEST(AssemblyModuleTest, SkipsDebugInformation) {
  const Module module = parse_module(
      "\t.file\t1 \"/a;b}.cu\"\n\t.section\t.debug_info\n\t{\n.b8 1,2\n$L__x:\n.b64 x+1\n\t}\n"
      ".pragma \"nounroll\";\n.global .u32 x;\n");
  ASSERT_EQ(module.variables.size(), 1u);
  EXPECT_EQ(module.variables[0].line, 12);
}

TEST(AssemblyModuleTest, KeepsTheDefinitionOfWhatIsDeclaredBefore) {
  const Module module = parse_module(
      ".extern .global .u32 x; .func (.param .b32 r) f(.param .b64 a);\n"
      ".global .u32 x = 7; .func (.param .b32 r) f(.param .b64 b) { ret; }");
  ASSERT_EQ(module.variables.size(), 1u);
  EXPECT_FALSE(module.variables[0].is_extern);
  EXPECT_EQ(module.variables[0].initializers.size(), 1u);
  ASSERT_EQ(module.functions.size(), 1u);
  EXPECT_FALSE(module.functions[0].is_extern);
  EXPECT_EQ(module.functions[0].parameters.at(0).name, "b");
  EXPECT_EQ(module.functions[0].statements.size(), 1u);
}

TEST(AssemblyModuleTest, KeepsTheDefinitionOfWhatIsDeclaredAfter) {
  const Module module = parse_module(".func f() { ret; } .extern .func f();");
  ASSERT_EQ(module.functions.size(), 1u);
  EXPECT_FALSE(module.functions[0].is_extern);
}

// The bytes of a variable's values, without addresses.
std::string values_of(const Variable& variable) {
  std::string bytes(variable.n_bytes, '\0');
  for (const Initializer& each : variable.initializers)
    bytes.replace(each.offset, each.bytes.size(), each.bytes);
  return bytes;
}

TEST(AssemblyModuleTest, BracesNestLikeDimensions) {
  const Module module = parse_module(
      ".global .u8 a[2][3] = {{1, 2}, {3}}; .const .v2 .u8 b[2] = {{1+1, 300}, {-1, 4}};"
      ".global .u8 c[][2] = {{}, {7, 8}}; .global .v4 .b8 d = {1, 2, 3, 4}; .global .u8 e[2] = "
      "{};");
  EXPECT_EQ(values_of(module.variables.at(0)), std::string("\1\2\0\3\0\0", 6));
  EXPECT_EQ(values_of(module.variables.at(1)), "\2\x2c\xff\4");
  EXPECT_EQ(values_of(module.variables.at(2)), std::string("\0\0\7\10", 4));
  EXPECT_EQ(values_of(module.variables.at(3)), "\1\2\3\4");
  EXPECT_EQ(values_of(module.variables.at(4)), std::string(2, '\0'));
}

TEST(AssemblyModuleTest, VectorsHaveTheirOwnAlignment) {
  const Module module =
      parse_module(".global .v4 .f32 x; .shared .v2 .b64 y[3]; .const .align 64 .v2 .u16 z;");
  EXPECT_EQ(module.variables.at(0).n_bytes, 16u);
  EXPECT_EQ(module.variables.at(0).alignment_bytes, 16u);
  EXPECT_EQ(module.variables.at(1).n_bytes, 48u);
  EXPECT_EQ(module.variables.at(1).alignment_bytes, 16u);
  EXPECT_EQ(module.variables.at(2).alignment_bytes, 64u);
}

TEST(AssemblyModuleTest, MasksTakeSingleBytesOfAddresses) {
  const Module module = parse_module(
      ".global .u32 g[4]; .global .u8 m[4] = {7, 0xff00(g), 0xff(g+4), 9}; "
      ".global .u32 w = 0xff0000(generic(g));");
  const std::vector<Initializer>& bytes = module.variables.at(1).initializers;
  ASSERT_EQ(bytes.size(), 4u);
  EXPECT_EQ(bytes[1].first_byte, 1u);
  EXPECT_EQ(bytes[1].n_bytes, 1u);
  EXPECT_EQ(bytes[2].first_byte, 0u);
  EXPECT_EQ(bytes[2].addend, 4);
  EXPECT_EQ(module.variables.at(2).initializers.at(0).first_byte, 2u);
}

TEST(AssemblyModuleTest, ReadsAttributesAndAliases) {
  const Module module = parse_module(
      ".global .attribute(.managed) .align 8 .u32 x; "
      ".global .align 8 .attribute(.managed, .unified(19, 95)) .u32 y; "
      ".visible .func f(); .func g() { ret; } .alias f, g; .common .global .u32 z;");
  EXPECT_EQ(module.variables.at(1).alignment_bytes, 8u);
  EXPECT_TRUE(module.variables.at(2).is_weak);
  ASSERT_EQ(module.aliases.size(), 1u);
  EXPECT_EQ(module.aliases[0].name, "f");
  EXPECT_EQ(module.aliases[0].target, "g");
}

TEST(AssemblyModuleTest, VariablesOfBodiesAreKnownInTheirScopesOnly) {
  const Module module = parse_module(
      ".func f() { .global .u32 x = 5; { .const .u32 x = 6; mov x; } mov x; } "
      ".func g() { .global .u32 x; mov x; } .global .u32 x;");
  ASSERT_EQ(module.variables.size(), 4u);
  const std::vector<Statement>& statements = module.functions.at(0).statements;
  EXPECT_EQ(statements.at(0).operands.at(0).name, module.variables[1].name);
  EXPECT_EQ(statements.at(1).operands.at(0).name, module.variables[0].name);
  EXPECT_NE(module.variables[0].name, module.variables[2].name);
  EXPECT_EQ(values_of(module.variables[1]), std::string("\6\0\0\0", 4));
}

}  // namespace
}  // namespace numpy_plugin::sim
