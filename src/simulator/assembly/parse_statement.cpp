// Parses a function's body: declarations, labels, scopes, instructions.
#include <string>
#include <utility>

#include "simulator/assembly/function_parser.hpp"
#include "simulator/assembly/literal.hpp"
#include "simulator/assembly/parse.hpp"
#include "simulator/assembly/parse_variable.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr std::uint32_t kMostRegisters = 1 << 20;  // of a module

}  // namespace

BodyParser::BodyParser(Lexer& lexer, Function& function, ModuleUse& use)
    : lexer_(lexer), function_(function), use_(use), scopes_(function) {
  for (const std::vector<Variable>* list : {&function.results, &function.parameters}) {
    for (const Variable& variable : *list) {
      if (variable.name != "_") scopes_.declare_symbol(variable.name, variable.line);
    }
  }
}

void BodyParser::parse() {
  while (true) {
    if (lexer_.is(Token::Kind::kEnd)) {
      lexer_.fail_expected("'}' at the end of the function " + quoted(function_.name));
    }
    const int line = lexer_.line();
    if (lexer_.accept("{")) {
      scopes_.open(line);
    } else if (lexer_.accept("}")) {
      if (scopes_.depth() == 1) break;
      scopes_.close();
    } else {
      parse_item();
    }
  }
  scopes_.close_last(use_);
}

void BodyParser::parse_item() {
  if (lexer_.is(Token::Kind::kDirective)) {
    parse_directive();
  } else if (!lexer_.accept(";")) {
    parse_instruction();
  }
}

void BodyParser::parse_directive() {
  if (lexer_.is(".reg")) {
    parse_registers();
  } else if (lexer_.is(".loc")) {
    location_ = use_.lines.parse_location(lexer_);
  } else if (lexer_.is(".file")) {
    use_.lines.parse_file(lexer_);
  } else if (lexer_.is(".pragma")) {
    lexer_.skip_statement();
  } else if (find_space(lexer_.token().text)) {
    parse_body_variables();
  } else {
    lexer_.fail_expected("a statement");
  }
}

// ".reg .b32 %r<4>, low, high;"
void BodyParser::parse_registers() {
  lexer_.take();
  const Type type = parse_type(lexer_);
  do {
    const int line = lexer_.line();
    declare_registers(type, lexer_.expect_name("the name of a register"), line);
  } while (lexer_.accept(","));
  lexer_.expect(";", "after a register");
}

void BodyParser::declare_registers(Type type, std::string_view name, int line) {
  const auto first = static_cast<std::uint32_t>(function_.registers.size());
  if (!lexer_.accept("<")) {
    add_registers(type, 1, line);
    function_.register_names.emplace_back(name);
    scopes_.declare_register(name, first, line);
    return;
  }
  const auto count =
      static_cast<std::uint32_t>(parse_count(lexer_, "a number of registers", kMostRegisters));
  lexer_.expect(">", "after the number of registers");
  add_registers(type, count, line);
  for (std::uint32_t number = 0; number < count; ++number) {
    function_.register_names.push_back(std::string(name) + std::to_string(number));
  }
  scopes_.declare_registers(name, first, count, line);
}

void BodyParser::add_registers(Type type, std::uint32_t count, int line) {
  use_.n_registers += count;
  if (use_.n_registers > kMostRegisters) {
    throw PtxError(line,
                   "more than " + std::to_string(kMostRegisters) + " registers in the module");
  }
  function_.registers.insert(function_.registers.end(), count, type);
}

void BodyParser::parse_body_variables() {
  const std::string_view space = lexer_.token().text;
  if (space == ".global" || space == ".const") {
    lexer_.fail_expected("a variable of a function: .local, .param or .shared");
  }
  for (Variable& variable : parse_variables(lexer_, {}, use_)) {
    variable.name = scopes_.declare_symbol(variable.name, variable.line);
    function_.variables.push_back(std::move(variable));
  }
}

void BodyParser::parse_instruction() {
  Statement statement;
  statement.line = lexer_.line();
  statement.location = location_;
  if (lexer_.accept("@")) statement.guard = parse_guard();
  if (!lexer_.is(Token::Kind::kWord)) lexer_.fail_expected("an instruction");
  const std::string_view word = lexer_.take().text;
  if (!statement.guard && lexer_.accept(":")) {
    parse_labelled(word, statement.line);
    return;
  }
  mnemonic_ = word;
  while (lexer_.is(Token::Kind::kDirective)) mnemonic_ += lexer_.take().text;
  statement.operands = parse_operands();
  statement.mnemonic = mnemonic_;
  function_.statements.push_back(std::move(statement));
}

Operand BodyParser::parse_guard() {
  const int line = lexer_.line();
  Operand guard = parse_simple();
  if (guard.kind != Operand::Kind::kRegister) {
    throw PtxError(line, "'@' is not followed by a register; expected a predicate");
  }
  return guard;
}

// Parses what follows "name:". The name is a label, or that of a prototype.
void BodyParser::parse_labelled(std::string_view name, int line) {
  if (lexer_.is(".callprototype")) {
    parse_prototype(name, line);
  } else if (lexer_.is(".branchtargets") || lexer_.is(".calltargets")) {
    throw PtxError(lexer_.line(), "'" + std::string(lexer_.token().text) +
                                      "' is not known; expected branches and calls by prototypes");
  } else {
    scopes_.declare_label(name, line);
  }
}

// "prototype_0 : .callprototype (.param .b32 _) _ (.param .b64 _);"
void BodyParser::parse_prototype(std::string_view name, int line) {
  lexer_.take();
  Prototype prototype;
  if (lexer_.is("(")) prototype.results = parse_parameters(lexer_);
  lexer_.expect("_", "for the function of a prototype");
  if (lexer_.is("(")) prototype.parameters = parse_parameters(lexer_);
  lexer_.accept(".noreturn");
  lexer_.expect(";", "after a prototype");
  function_.prototypes.emplace_back(scopes_.declare_symbol(name, line), std::move(prototype));
}

}  // namespace numpy_plugin::sim
