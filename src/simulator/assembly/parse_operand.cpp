// Operands of instructions.
#include <iterator>
#include <string>
#include <utility>

#include "simulator/assembly/function_parser.hpp"
#include "simulator/assembly/lexer.hpp"
#include "simulator/assembly/parse.hpp"

namespace numpy_plugin::sim {
namespace {

Operand symbol(std::string_view name) {
  Operand operand;
  operand.kind = Operand::Kind::kSymbol;
  operand.name = name;
  return operand;
}

bool is_special(std::string_view name) { return name.starts_with('%'); }

bool is_plain_symbol(const Operand& operand) {
  return operand.kind == Operand::Kind::kSymbol && operand.bits == 0 && operand.parts.empty();
}

bool is_call(std::string_view mnemonic) { return mnemonic.substr(0, mnemonic.find('.')) == "call"; }

// Operands of video instructions may be parts of registers ("%r1.b0") and have a minus.
bool is_video(std::string_view mnemonic) { return mnemonic.starts_with('v'); }

Operand number_operand(const Literal& literal) {
  Operand operand;
  operand.bits = literal.bits;
  switch (literal.kind) {
    case Literal::Kind::kInteger:
      operand.kind = Operand::Kind::kInteger;
      break;
    case Literal::Kind::kFloat32:
      operand.kind = Operand::Kind::kFloat32;
      break;
    case Literal::Kind::kFloat64:
      operand.kind = Operand::Kind::kFloat64;
      break;
  }
  return operand;
}

}  // namespace

// Up to and including the ';'.
std::vector<Operand> BodyParser::parse_operands() {
  operands_.clear();
  while (!lexer_.is(";")) {
    if (!operands_.empty()) lexer_.expect(",", "or ';' after an operand");
    operands_.push_back(parse_operand());
    // Labels occur only as whole operands.
    if (open_reference_ && is_plain_symbol(operands_.back())) {
      open_reference_->statement = function_.statements.size();
      open_reference_->operand = operands_.size() - 1;
      scopes_.add(*std::exchange(open_reference_, std::nullopt));
    }
    close_reference();
  }
  lexer_.take();
  return {std::make_move_iterator(operands_.begin()), std::make_move_iterator(operands_.end())};
}

Operand BodyParser::parse_operand() {
  if (lexer_.is("[")) return parse_address();
  if (lexer_.is("{")) return parse_group(Operand::Kind::kVector, "}");
  if (lexer_.is("(") && is_call(mnemonic_)) return parse_group(Operand::Kind::kList, ")");
  Operand operand = parse_simple();
  if (!lexer_.accept("|")) return operand;
  Operand pair;
  pair.kind = Operand::Kind::kPair;
  pair.parts.reserve(2);
  close_reference();
  pair.parts.push_back(std::move(operand));
  pair.parts.push_back(parse_part());
  return pair;
}

// "[%rd1]", "[x+-4]", "[%rd1-4]", "[16]", "[x[2]]", "[%rd1, {%f1, %f2}]"
Operand BodyParser::parse_address() {
  lexer_.expect("[", "before an address");
  Operand address;
  address.kind = Operand::Kind::kAddress;
  address.parts.push_back(parse_simple());
  Operand& base = address.parts.front();
  if (base.kind == Operand::Kind::kSymbol) {
    address.bits = std::exchange(base.bits, 0);
  } else {
    address.bits = parse_offset();
  }
  if (lexer_.is(",")) close_reference();
  while (lexer_.accept(",")) {
    const bool is_vector = lexer_.is("{");
    address.parts.push_back(is_vector ? parse_group(Operand::Kind::kVector, "}") : parse_part());
  }
  lexer_.expect("]", "after an address");
  // A hint that the address is uniform.
  if (mnemonic_.starts_with("ld.")) lexer_.accept(".unified");
  return address;
}

// "+8", "-4", "+-4"; 0 without.
std::uint64_t BodyParser::parse_offset() {
  const bool is_sum = lexer_.accept("+");
  if (!is_sum && !lexer_.is("-")) return 0;
  if (!is_expression(lexer_)) lexer_.fail_expected("a number");
  return parse_integer_expression(lexer_, "an integer added to an address").bits;
}

// "x[2]", "x[%r1]", "x[%r1+1]": the index counts elements.
void BodyParser::parse_index(Operand& symbol) {
  if (!lexer_.accept("[")) return;
  Operand index;
  if (lexer_.is(Token::Kind::kWord) && !lexer_.is("WARP_SZ")) {
    index = scopes_.find(lexer_.token().text).value_or(Operand{});
    if (index.kind != Operand::Kind::kRegister) lexer_.fail_expected("an index");
    lexer_.take();
    index.bits = parse_offset();
  } else {
    index = number_operand(parse_integer_expression(lexer_, "an index"));
  }
  symbol.parts.push_back(std::move(index));
  lexer_.expect("]", "after an index");
}

Operand BodyParser::parse_group(Operand::Kind kind, std::string_view closing_mark) {
  Operand group;
  group.kind = kind;
  lexer_.take();
  if (kind == Operand::Kind::kList && lexer_.accept(closing_mark)) return group;
  group.parts.reserve(4);
  do {
    group.parts.push_back(parse_part());
  } while (lexer_.accept(","));
  lexer_.expect(closing_mark, "or ',' between operands");
  return group;
}

Operand BodyParser::parse_part() {
  Operand part = parse_simple();
  close_reference();
  return part;
}

void BodyParser::close_reference() {
  if (open_reference_) use_.symbols.emplace(open_reference_->name, open_reference_->line);
  open_reference_.reset();
}

Operand BodyParser::parse_simple() {
  if (lexer_.is(Token::Kind::kWord) && !lexer_.is("WARP_SZ")) return parse_name();
  const bool is_negated = lexer_.is("!") && lexer_.peek().kind == Token::Kind::kWord;
  if (is_negated) return parse_negated();
  if (is_video(mnemonic_) && lexer_.is("-") && lexer_.peek().kind == Token::Kind::kWord) {
    lexer_.take();
    Operand operand = parse_name();
    operand.has_minus = true;
    return operand;
  }
  if (!is_expression(lexer_)) lexer_.fail_expected("an operand");
  return number_operand(parse_expression(lexer_));
}

// "!%p1"
Operand BodyParser::parse_negated() {
  const int line = lexer_.take().line;
  Operand operand = parse_name();
  if (operand.kind != Operand::Kind::kRegister) {
    throw PtxError(line, "'!' is not followed by a register; expected a predicate");
  }
  operand.is_negated = true;
  return operand;
}

Operand BodyParser::parse_name() {
  const int line = lexer_.line();
  const std::string_view name = lexer_.take().text;
  if (name == "_") return {};
  std::optional<Operand> declared = scopes_.find(name);
  Operand operand = declared ? *std::move(declared) : symbol(name);
  if (operand.kind != Operand::Kind::kSymbol) return operand;
  if (!declared && is_video(mnemonic_)) {
    const std::size_t dot = name.rfind('.');
    std::optional<Operand> whole = scopes_.find(name.substr(0, dot));
    if (dot != name.npos && whole && whole->kind == Operand::Kind::kRegister) {
      whole->name = name.substr(dot + 1);
      return *std::move(whole);
    }
  }
  if (!declared && is_special(name)) {
    function_.uses_reserved_shared |=
        name.starts_with("%reserved_smem_") || name == "%aggr_smem_size";
    operand.kind = Operand::Kind::kSpecial;
    return operand;
  }
  if (!declared) open_reference_ = OpenReference{name, line, 0, 0};
  parse_index(operand);
  operand.bits = parse_offset();
  return operand;
}

}  // namespace numpy_plugin::sim
