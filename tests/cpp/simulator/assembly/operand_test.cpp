// Operands: literals, names, addresses, groups.
#include <gtest/gtest.h>

#include <bit>

#include "simulator/assembly/text.hpp"

namespace numpy_plugin::sim {
namespace {

using Kind = Operand::Kind;

std::vector<Operand> parse_all(const std::string& operands) {
  return operands_of(parse_body(".reg .b32 %r<9>; .reg .pred %p<3>; use " + operands + ";"), "use");
}

Operand parse_one_operand(const std::string& operand) { return parse_all(operand).at(0); }

std::int64_t integer(const std::string& text) {
  const Operand operand = parse_one_operand(text);
  EXPECT_EQ(operand.kind, Kind::kInteger) << text;
  return static_cast<std::int64_t>(operand.bits);
}

TEST(AssemblyOperandTest, ReadsIntegers) {
  EXPECT_EQ(integer("0"), 0);
  EXPECT_EQ(integer("-2147483648"), -2147483648);
  EXPECT_EQ(integer("0x3340U"), 0x3340);
  EXPECT_EQ(integer("0xbb99"), 0xbb99);
  EXPECT_EQ(integer("-0x10"), -16);
  EXPECT_EQ(integer("0b101"), 5);
  EXPECT_EQ(integer("017"), 15);
  EXPECT_EQ(integer("18446744073709551615"), -1);
  EXPECT_EQ(integer("-9223372036854775808"), INT64_MIN);
}

TEST(AssemblyOperandTest, ReadsTheBitsOfFloats) {
  const Operand single = parse_one_operand("0fBFB8AA3B");
  EXPECT_EQ(single.kind, Kind::kFloat32);
  EXPECT_EQ(single.bits, 0xbfb8aa3bu);
  const Operand wide = parse_one_operand("0d3FF8000000000000");
  EXPECT_EQ(wide.kind, Kind::kFloat64);
  EXPECT_EQ(wide.bits, 0x3ff8000000000000u);
  EXPECT_EQ(parse_one_operand("-0f3F800000").bits, 0xbf800000u);
}

TEST(AssemblyOperandTest, ReadsDecimalFloats) {
  for (const auto& [text, value] : {std::pair("1.5", 1.5), std::pair("-2.5e-3", -2.5e-3),
                                    std::pair("6.0E+2", 600.0), std::pair("0.25e1", 2.5)}) {
    const Operand operand = parse_one_operand(text);
    EXPECT_EQ(operand.kind, Kind::kFloat64) << text;
    EXPECT_EQ(std::bit_cast<double>(operand.bits), value) << text;
  }
}

TEST(AssemblyOperandTest, TellsRegistersFromSpecialNames) {
  EXPECT_EQ(parse_one_operand("%r8").kind, Kind::kRegister);
  for (const std::string name : {"%tid.x", "%laneid", "%r9", "%r08"}) {
    const Operand operand = parse_one_operand(name);
    EXPECT_EQ(operand.kind, Kind::kSpecial) << name;
    EXPECT_EQ(operand.name, name);
  }
}

TEST(AssemblyOperandTest, ReadsAddresses) {
  const auto offset = [](const std::string& text) {
    const Operand operand = parse_one_operand(text);
    EXPECT_EQ(operand.kind, Kind::kAddress) << text;
    EXPECT_EQ(operand.parts.size(), 1u) << text;
    return static_cast<std::int64_t>(operand.bits);
  };
  EXPECT_EQ(offset("[%r1]"), 0);
  EXPECT_EQ(offset("[%r1+8]"), 8);
  EXPECT_EQ(offset("[%r1+-4]"), -4);
  EXPECT_EQ(offset("[%r1-4]"), -4);
  EXPECT_EQ(offset("[p+0x10]"), 16);
  EXPECT_EQ(parse_one_operand("[p+4]").parts[0].kind, Kind::kSymbol);
  EXPECT_EQ(parse_one_operand("[p+4]").parts[0].name, "p");
  EXPECT_EQ(parse_one_operand("[%r1]").parts[0].kind, Kind::kRegister);
  EXPECT_EQ(parse_one_operand("[256]").parts[0].kind, Kind::kInteger);
  EXPECT_EQ(parse_one_operand("[256]").parts[0].bits, 256u);
}

TEST(AssemblyOperandTest, ReadsVectorsWithImmediatesAndSinks) {
  const Operand vector = parse_one_operand("{0, %r1, _, 0f00000000}");
  EXPECT_EQ(vector.kind, Kind::kVector);
  ASSERT_EQ(vector.parts.size(), 4u);
  EXPECT_EQ(vector.parts[0].kind, Kind::kInteger);
  EXPECT_EQ(vector.parts[1].kind, Kind::kRegister);
  EXPECT_EQ(vector.parts[2].kind, Kind::kSink);
  EXPECT_EQ(vector.parts[3].kind, Kind::kFloat32);
}

TEST(AssemblyOperandTest, ReadsPairs) {
  const Operand pair = parse_one_operand("%r5|%p1");
  EXPECT_EQ(pair.kind, Kind::kPair);
  ASSERT_EQ(pair.parts.size(), 2u);
  EXPECT_EQ(pair.parts[0].index, 5u);
  EXPECT_EQ(pair.parts[1].index, 10u);
  EXPECT_EQ(parse_one_operand("%r5 | _").parts.at(1).kind, Kind::kSink);
}

TEST(AssemblyOperandTest, ReadsNegatedPredicates) {
  const std::vector<Operand> operands = parse_all("%p1, !%p2");
  ASSERT_EQ(operands.size(), 2u);
  EXPECT_FALSE(operands[0].is_negated);
  EXPECT_TRUE(operands[1].is_negated);
  EXPECT_EQ(operands[1].index, 11u);
}

TEST(AssemblyOperandTest, ReadsListsOfCalls) {
  const Function function =
      parse_body(".reg .b32 %r<2>; call (), k, (); call.uni (p), k, (p, %r1);");
  EXPECT_TRUE(function.statements.at(0).operands.at(0).parts.empty());
  const std::vector<Operand>& operands = function.statements.at(1).operands;
  ASSERT_EQ(operands.size(), 3u);
  EXPECT_EQ(operands[0].kind, Kind::kList);
  EXPECT_EQ(operands[1].kind, Kind::kSymbol);
  EXPECT_EQ(operands[1].name, "k");
  EXPECT_EQ(operands[2].parts.size(), 2u);
}

TEST(AssemblyOperandTest, LetsSymbolsBeDeclaredLater) {
  const Module module = parse_module(
      ".func f() { mov x; ld [x+4]; call (y), g, (y); } .global .u32 x, y; .func g();");
  EXPECT_EQ(module.functions[0].statements[0].operands.at(0).kind, Kind::kSymbol);
  EXPECT_EQ(module.functions[0].statements[1].operands.at(0).parts.at(0).name, "x");
}

}  // namespace
}  // namespace numpy_plugin::sim
