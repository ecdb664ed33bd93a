// Numeric literals of PTX and their limits.
#include "simulator/assembly/lexer.hpp"

#include <bit>
#include <charconv>
#include <optional>
#include <string>
#include <system_error>

#include "simulator/assembly/parse.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;

[[noreturn]] void fail_number(const Token& token, std::string_view problem) {
  throw PtxError(token.line, format("{} {}", quoted(token.text), problem));
}

std::uint64_t parse_digits(const Token& token, std::string_view digits, int base) {
  std::uint64_t value = 0;
  const char* end = digits.data() + digits.size();
  const std::from_chars_result result = std::from_chars(digits.data(), end, value, base);
  if (result.ec == std::errc::result_out_of_range) fail_number(token, "does not fit in 64 bits");
  if (result.ec != std::errc() || result.ptr != end) fail_number(token, "is not a PTX number");
  return value;
}

std::uint64_t parse_integer(const Token& token) {
  std::string_view digits = token.text;
  if (digits.back() == 'U') digits.remove_suffix(1);
  const std::string_view prefix = digits.substr(0, 2);
  if (prefix == "0x" || prefix == "0X") return parse_digits(token, digits.substr(2), 16);
  if (prefix == "0b" || prefix == "0B") return parse_digits(token, digits.substr(2), 2);
  const bool is_octal = digits.size() > 1 && digits.front() == '0';
  return parse_digits(token, digits, is_octal ? 8 : 10);
}

double parse_decimal(const Token& token) {
  double value = 0;
  const char* end = token.text.data() + token.text.size();
  const std::from_chars_result result = std::from_chars(token.text.data(), end, value);
  if (result.ec == std::errc::result_out_of_range) fail_number(token, "does not fit in a .f64");
  if (result.ec != std::errc() || result.ptr != end) fail_number(token, "is not a PTX number");
  return value;
}

// The bits after 0f and 0d; nullopt for other numbers.
std::optional<Literal> parse_bits(const Token& token) {
  if (token.text.size() < 2 || token.text[0] != '0') return std::nullopt;
  const char letter = token.text[1];
  const bool is_float32 = letter == 'f' || letter == 'F';
  if (!is_float32 && letter != 'd' && letter != 'D') return std::nullopt;
  const std::string_view digits = token.text.substr(2);
  if (digits.size() != (is_float32 ? 8 : 16)) {
    fail_number(token, is_float32 ? "does not have the 8 hexadecimal digits of a .f32"
                                  : "does not have the 16 hexadecimal digits of a .f64");
  }
  return Literal{is_float32 ? Literal::Kind::kFloat32 : Literal::Kind::kFloat64, false,
                 parse_digits(token, digits, 16)};
}

bool is_decimal_float(std::string_view text) {
  const bool has_exponent =
      !text.starts_with("0x") && !text.starts_with("0X") && text.find_first_of("eE") != text.npos;
  return has_exponent || text.find('.') != text.npos;
}

}  // namespace

Literal negated(Literal literal) {
  if (literal.kind == Literal::Kind::kFloat32) {
    literal.bits ^= 0x80000000u;
  } else if (literal.kind == Literal::Kind::kFloat64) {
    literal.bits ^= kSignBit;
  } else {
    literal.bits = 0 - literal.bits;
  }
  return literal;
}

Literal parse_literal(Lexer& lexer) {
  if (!lexer.is(Token::Kind::kNumber)) lexer.fail_expected("a number");
  const Token token = lexer.take();
  if (const std::optional<Literal> bits = parse_bits(token)) return *bits;
  if (is_decimal_float(token.text)) {
    return {Literal::Kind::kFloat64, false, std::bit_cast<std::uint64_t>(parse_decimal(token))};
  }
  const std::uint64_t value = parse_integer(token);
  return {Literal::Kind::kInteger, token.text.back() == 'U' || value >= kSignBit, value};
}

std::uint64_t parse_count(Lexer& lexer, std::string_view what, std::uint64_t limit) {
  if (!lexer.is(Token::Kind::kNumber)) lexer.fail_expected(what);
  const int line = lexer.line();
  const std::string_view text = lexer.token().text;
  const Literal literal = parse_literal(lexer);
  if (literal.kind != Literal::Kind::kInteger || literal.bits > limit) {
    throw PtxError(line, format("found {}; expected {} of at most {}", quoted(text), what, limit));
  }
  return literal.bits;
}

}  // namespace numpy_plugin::sim
