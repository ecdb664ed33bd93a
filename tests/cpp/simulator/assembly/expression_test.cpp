// Constant expressions: values as CUDA's assembler (13.0) computes them.
#include <gtest/gtest.h>

#include <bit>
#include <string>

#include "simulator/assembly/lexer.hpp"
#include "simulator/assembly/text.hpp"

namespace numpy_plugin::sim {
namespace {

Literal evaluate_text(const std::string& text) {
  Lexer lexer(text);
  const Literal value = parse_expression(lexer);
  EXPECT_TRUE(lexer.is(Token::Kind::kEnd)) << text << " ends before " << lexer.token().text;
  return value;
}

struct IntegerCase {
  const char* text;
  std::uint64_t value;
  bool is_unsigned = false;
};

constexpr std::uint64_t bits(std::int64_t value) { return static_cast<std::uint64_t>(value); }

TEST(ExpressionTest, Integers) {
  for (const IntegerCase& each : std::initializer_list<IntegerCase>{
           {"2+3*4", 14},
           {"(2+3)*4", 20},
           {"10-2-3", 5},
           {"- -4", 4},
           {"+4", 4},
           {"-7/2", bits(-3)},
           {"-7U/2", 9223372036854775804u, true},
           {"-7 % 3", 0, true},
           {"7 % -3", 7, true},
           {"100 % 0x10", 4, true},
           {"1<<4", 16},
           {"1<<65", 2},
           {"-1<<63", std::uint64_t{1} << 63},
           {"-1>>1", bits(-1)},
           {"-1U>>1", 9223372036854775807u, true},
           {"1>>-1", 0},
           {"~5>>1", 9223372036854775805u, true},
           {"-(~5)/2", 3, true},
           {"4|1^1&3", 4},
           {"-5&-1", bits(-5)},
           {"(-5&-1)/2", bits(-2)},
           {"(5^0)/-5", bits(-1)},
           {"(5&7U)/-1", 0, true},
           {"1||0&&0", 1},
           {"!0", 1},
           {"!5", 0},
           {"-1<1", 1},
           {"-1<1U", 0},
           {"3>2>1", 0},
           {"1==1==2", 0},
           {"1!=2", 1},
           {"2<=2", 1},
           {"2>=3", 0},
           {"1.5<2.0", 1},
           {"1.5==2.0", 0},
           {"1?-1:2U", bits(-1)},
           {"0?1:0?2:3", 3},
           {"(1?-4:1U)/2", bits(-2)},
           {"(.u64)-1>>60", 15, true},
           {"(.s64)0xffffffffffffffff>>60", bits(-1)},
           {"0xffffffffffffffff>>60", 15, true},
           {"9223372036854775808/-1", 0, true},
           {"-9223372036854775807/-1", 9223372036854775807u},
           {"(.s64)9223372036854775808/-1", std::uint64_t{1} << 63},
           {"WARP_SZ*2-1", 63},
           {"017+0b101U+0x1F", 51, true},
       }) {
    const Literal value = evaluate_text(each.text);
    EXPECT_EQ(value.kind, Literal::Kind::kInteger) << each.text;
    EXPECT_EQ(value.bits, each.value) << each.text;
    EXPECT_EQ(value.is_unsigned, each.is_unsigned) << each.text;
  }
}

TEST(ExpressionTest, Floats) {
  const std::pair<const char*, double> cases[] = {
      {"1e-3", 1e-3},     {"1.", 1.0},
      {".5", 0.5},        {"1.5E+3", 1500.0},
      {"2e3", 2000.0},    {"1.5*2.0", 3.0},
      {"1.5-.5", 1.0},    {"-1.5/0.5", -3.0},
      {"(1.0+2.0)", 3.0}, {"0d3FF0000000000000+1.0", 2.0}};
  for (const auto& [text, expected] : cases) {
    const Literal value = evaluate_text(text);
    EXPECT_EQ(value.kind, Literal::Kind::kFloat64) << text;
    EXPECT_EQ(std::bit_cast<double>(value.bits), expected) << text;
  }
}

TEST(ExpressionTest, AreOperandsAndOffsets) {
  const Function function = parse_body(
      ".reg .b32 %r<2>; mov %r1, (1+2)*3; mov %r1, WARP_SZ-1; ld %r1, [p+4*2]; ld %r1, [p-4+8];");
  EXPECT_EQ(function.statements.at(0).operands.at(1).bits, 9u);
  EXPECT_EQ(function.statements.at(1).operands.at(1).bits, 31u);
  EXPECT_EQ(function.statements.at(2).operands.at(1).bits, 8u);
  EXPECT_EQ(function.statements.at(3).operands.at(1).bits, 4u);
}

}  // namespace
}  // namespace numpy_plugin::sim
