// Operands of instructions.
#include <iterator>
#include <string>
#include <utility>

#include "simulator/assembly/function_parser.hpp"
#include "simulator/assembly/literal.hpp"
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

}  // namespace

// Up to and including the ';'.
std::vector<Operand> BodyParser::parse_operands() {
  operands_.clear();
  while (!lexer_.is(";")) {
    if (!operands_.empty()) lexer_.expect(",", "or ';' after an operand");
    operands_.push_back(parse_operand());
    // Labels occur only as whole operands.
    if (open_reference_ && operands_.back().kind == Operand::Kind::kSymbol) {
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
  if (lexer_.is("(")) return parse_group(Operand::Kind::kList, ")");
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

// "[%rd1]", "[x+-4]", "[%rd1-4]", "[16]"
Operand BodyParser::parse_address() {
  lexer_.expect("[", "before an address");
  Operand address;
  address.kind = Operand::Kind::kAddress;
  address.parts.push_back(parse_simple());
  const bool is_sum = lexer_.accept("+");
  if (is_sum || lexer_.is("-")) {
    const Operand offset = parse_number();
    if (offset.kind != Operand::Kind::kInteger) {
      throw PtxError(lexer_.line(), "a float is added to an address; expected an integer");
    }
    address.bits = offset.bits;
  }
  if (lexer_.is(",")) {
    throw PtxError(
        lexer_.line(),
        quoted(mnemonic_) + " has an address of several parts, unlike any known instruction");
  }
  lexer_.expect("]", "after an address");
  // A hint that the address is uniform.
  if (mnemonic_.starts_with("ld.")) lexer_.accept(".unified");
  return address;
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
  if (is_literal(lexer_)) return parse_number();
  const bool is_negated = lexer_.accept("!");
  if (!lexer_.is(Token::Kind::kWord)) lexer_.fail_expected("an operand");
  if (!is_negated) return parse_name();
  const int line = lexer_.line();
  Operand operand = parse_name();
  if (operand.kind != Operand::Kind::kRegister) {
    throw PtxError(line, "'!' is not followed by a register; expected a predicate");
  }
  operand.is_negated = true;
  return operand;
}

Operand BodyParser::parse_number() {
  const Literal literal = parse_literal(lexer_);
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

Operand BodyParser::parse_name() {
  const int line = lexer_.line();
  const std::string_view name = lexer_.take().text;
  if (name == "_") return {};
  if (std::optional<Operand> declared = scopes_.find(name)) return *std::move(declared);
  Operand operand = symbol(name);
  if (is_special(name)) {
    operand.kind = Operand::Kind::kSpecial;
  } else {
    open_reference_ = OpenReference{name, line, 0, 0};
  }
  return operand;
}

}  // namespace numpy_plugin::sim
