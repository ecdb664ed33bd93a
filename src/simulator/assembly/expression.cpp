// Precedence climbing over one table of operators. Types follow the ISA's "Constant Expression
// Evaluation": an integer is .s64, or .u64 with a U or above 2^63 - 1. Where the ISA's table and
// CUDA's assembler differ (`&`, `|`, `^` and `?:` keep signed operands signed), the assembler's
// result is used.
#include "simulator/assembly/lexer.hpp"

#include <bit>
#include <string>
#include <utility>

#include "simulator/assembly/parse.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr int kDeepest = 64;              // parentheses and unary operators within another
constexpr std::uint64_t kWarpLanes = 32;  // WARP_SZ

// Type of an operator's result for integers.
enum class Result : std::uint8_t {
  kCommon,    // .u64 where an operand is, else .s64
  kLeft,      // of the first operand
  kSigned,    // .s64: 0 or 1
  kUnsigned,  // .u64, as are the operands
};

struct BinaryOperator {
  std::string_view spelling;
  int precedence = 0;
  Result result = Result::kCommon;
  std::uint64_t (*apply)(std::uint64_t, std::uint64_t, bool is_unsigned) = nullptr;
  double (*apply_to_floats)(double, double) = nullptr;  // nullptr: integers only
};

std::int64_t as_signed(std::uint64_t bits) { return static_cast<std::int64_t>(bits); }
std::uint64_t as_bits(std::int64_t value) { return static_cast<std::uint64_t>(value); }

// INT64_MIN / -1 wraps.
std::uint64_t divide(std::uint64_t a, std::uint64_t b, bool is_unsigned) {
  if (is_unsigned) return a / b;
  return as_signed(b) == -1 ? 0 - a : as_bits(as_signed(a) / as_signed(b));
}

std::uint64_t shift_right(std::uint64_t a, std::uint64_t b, bool is_unsigned) {
  return is_unsigned ? a >> (b & 63) : as_bits(as_signed(a) >> (b & 63));
}

bool is_less(std::uint64_t a, std::uint64_t b, bool is_unsigned) {
  return is_unsigned ? a < b : as_signed(a) < as_signed(b);
}

// Longer spellings first.
constexpr BinaryOperator kBinaryOperators[] = {
    {"||", 1, Result::kSigned, [](auto a, auto b, bool) -> std::uint64_t { return a || b; }},
    {"&&", 2, Result::kSigned, [](auto a, auto b, bool) -> std::uint64_t { return a && b; }},
    {"==", 6, Result::kSigned, [](auto a, auto b, bool) -> std::uint64_t { return a == b; },
     [](double a, double b) { return a == b ? 1.0 : 0.0; }},
    {"!=", 6, Result::kSigned, [](auto a, auto b, bool) -> std::uint64_t { return a != b; },
     [](double a, double b) { return a != b ? 1.0 : 0.0; }},
    {"<<", 8, Result::kLeft, [](auto a, auto b, bool) { return a << (b & 63); }},
    {">>", 8, Result::kLeft, shift_right},
    {"<=", 7, Result::kSigned,
     [](auto a, auto b, bool is_unsigned) -> std::uint64_t { return !is_less(b, a, is_unsigned); },
     [](double a, double b) { return a <= b ? 1.0 : 0.0; }},
    {">=", 7, Result::kSigned,
     [](auto a, auto b, bool is_unsigned) -> std::uint64_t { return !is_less(a, b, is_unsigned); },
     [](double a, double b) { return a >= b ? 1.0 : 0.0; }},
    {"<", 7, Result::kSigned,
     [](auto a, auto b, bool is_unsigned) -> std::uint64_t { return is_less(a, b, is_unsigned); },
     [](double a, double b) { return a < b ? 1.0 : 0.0; }},
    {">", 7, Result::kSigned,
     [](auto a, auto b, bool is_unsigned) -> std::uint64_t { return is_less(b, a, is_unsigned); },
     [](double a, double b) { return a > b ? 1.0 : 0.0; }},
    {"|", 3, Result::kCommon, [](auto a, auto b, bool) { return a | b; }},
    {"^", 4, Result::kCommon, [](auto a, auto b, bool) { return a ^ b; }},
    {"&", 5, Result::kCommon, [](auto a, auto b, bool) { return a & b; }},
    {"+", 9, Result::kCommon, [](auto a, auto b, bool) { return a + b; },
     [](double a, double b) { return a + b; }},
    {"-", 9, Result::kCommon, [](auto a, auto b, bool) { return a - b; },
     [](double a, double b) { return a - b; }},
    {"*", 10, Result::kCommon, [](auto a, auto b, bool) { return a * b; },
     [](double a, double b) { return a * b; }},
    {"/", 10, Result::kCommon, divide, [](double a, double b) { return a / b; }},
    {"%", 10, Result::kUnsigned, [](auto a, auto b, bool) { return a % b; }},
};

const BinaryOperator* find_binary_operator(const Lexer& lexer) {
  const bool may_be = lexer.is(Token::Kind::kPunctuation) || lexer.is("%");
  if (!may_be) return nullptr;
  for (const BinaryOperator& candidate : kBinaryOperators) {
    if (lexer.is_at(candidate.spelling)) return &candidate;
  }
  return nullptr;
}

Literal integer(std::uint64_t bits, bool is_unsigned) {
  return {Literal::Kind::kInteger, is_unsigned, bits};
}

Literal float64(double value) {
  return {Literal::Kind::kFloat64, false, std::bit_cast<std::uint64_t>(value)};
}

[[noreturn]] void fail_operands(int line, std::string_view spelling, std::string_view expected) {
  throw PtxError(line, format("'{}' has operands of other types; expected {}", spelling, expected));
}

Literal evaluate_floats(const BinaryOperator& operation, const Literal& left, const Literal& right,
                        int line) {
  if (operation.apply_to_floats == nullptr) fail_operands(line, operation.spelling, "two integers");
  if (left.kind != Literal::Kind::kFloat64 || right.kind != Literal::Kind::kFloat64)
    fail_operands(line, operation.spelling, "two integers or two decimal floats");
  const double value = operation.apply_to_floats(std::bit_cast<double>(left.bits),
                                                 std::bit_cast<double>(right.bits));
  if (operation.result != Result::kSigned) return float64(value);
  return integer(static_cast<std::uint64_t>(value), false);
}

Literal evaluate(const BinaryOperator& operation, const Literal& left, const Literal& right,
                 int line) {
  if (left.kind != Literal::Kind::kInteger || right.kind != Literal::Kind::kInteger)
    return evaluate_floats(operation, left, right, line);
  const bool is_division = operation.spelling == "/" || operation.spelling == "%";
  if (is_division && right.bits == 0) throw PtxError(line, "a constant is divided by zero");
  const bool is_common_unsigned = left.is_unsigned || right.is_unsigned;
  const bool is_left = operation.result == Result::kLeft;
  const std::uint64_t bits =
      operation.apply(left.bits, right.bits, is_left ? left.is_unsigned : is_common_unsigned);
  switch (operation.result) {
    case Result::kCommon:
      return integer(bits, is_common_unsigned);
    case Result::kLeft:
      return integer(bits, left.is_unsigned);
    case Result::kSigned:
      return integer(bits, false);
    case Result::kUnsigned:
      return integer(bits, true);
  }
  return {};
}

class ExpressionParser {
 public:
  explicit ExpressionParser(Lexer& lexer) : lexer_(lexer) {}

  // condition ? value : other
  Literal parse() {
    enter();
    const Literal condition = parse_binary(1);
    const Literal value = lexer_.is("?") ? parse_choice(condition) : condition;
    --depth_;
    return value;
  }

 private:
  void enter() {
    if (++depth_ <= kDeepest) return;
    throw PtxError(lexer_.line(),
                   format("more than {} constant expressions within another", kDeepest));
  }

  Literal parse_choice(const Literal& condition) {
    const int line = lexer_.take().line;
    const Literal value = parse();
    lexer_.expect(":", "after '?' and a value");
    const Literal other = parse();
    for (const Literal& part : {condition, value, other}) {
      if (part.kind != Literal::Kind::kInteger) fail_operands(line, "?", "three integers");
    }
    return condition.bits != 0 ? value : other;
  }

  Literal parse_binary(int least_precedence) {
    Literal left = parse_unary();
    while (true) {
      const BinaryOperator* operation = find_binary_operator(lexer_);
      if (operation == nullptr || operation->precedence < least_precedence) return left;
      const int line = lexer_.line();
      lexer_.take_characters(operation->spelling.size());
      left = evaluate(*operation, left, parse_binary(operation->precedence + 1), line);
    }
  }

  Literal parse_unary() {
    enter();
    const Token token = lexer_.token();
    Literal value;
    if (token.text == "-" || token.text == "+" || token.text == "!" || token.text == "~") {
      lexer_.take();
      value = apply(token, parse_unary());
    } else if (lexer_.accept("(")) {
      value = parse_after_parenthesis();
    } else if (lexer_.accept("WARP_SZ")) {
      value = integer(kWarpLanes, false);
    } else {
      value = parse_literal(lexer_);
    }
    --depth_;
    return value;
  }

  Literal apply(const Token& operation, Literal value) {
    switch (operation.text.front()) {
      case '-':
        return negated(value);
      case '+':
        return value;
      case '!':
        if (value.kind != Literal::Kind::kInteger) fail_operands(operation.line, "!", "an integer");
        return integer(value.bits == 0 ? 1 : 0, false);
      default:
        if (value.kind != Literal::Kind::kInteger) fail_operands(operation.line, "~", "an integer");
        return integer(~value.bits, true);
    }
  }

  // "(.s64)x", "(.u64)x", "(x)"
  Literal parse_after_parenthesis() {
    const bool is_cast = lexer_.is(Token::Kind::kDirective);
    const bool is_unsigned = lexer_.is(".u64");
    if (is_cast && !is_unsigned && !lexer_.is(".s64")) lexer_.fail_expected("'.s64' or '.u64'");
    if (is_cast) lexer_.take();
    const Literal value = is_cast ? Literal{} : parse();
    const int line = lexer_.line();
    lexer_.expect(")", "after a constant");
    if (!is_cast) return value;
    const Literal converted = parse_unary();
    if (converted.kind != Literal::Kind::kInteger)
      fail_operands(line, is_unsigned ? "(.u64)" : "(.s64)", "an integer");
    return integer(converted.bits, is_unsigned);
  }

  Lexer& lexer_;
  int depth_ = 0;
};

}  // namespace

bool is_expression(const Lexer& lexer) {
  if (lexer.is(Token::Kind::kNumber) || lexer.is("WARP_SZ")) return true;
  return lexer.is(Token::Kind::kPunctuation) &&
         std::string_view("-+~!(").find(lexer.token().text.front()) != std::string_view::npos;
}

Literal parse_expression(Lexer& lexer) { return ExpressionParser(lexer).parse(); }

Literal parse_integer_expression(Lexer& lexer, std::string_view what) {
  const int line = lexer.line();
  const Literal literal = parse_expression(lexer);
  if (literal.kind != Literal::Kind::kInteger)
    throw PtxError(line, format("found a float; expected {}", what));
  return literal;
}

}  // namespace numpy_plugin::sim
