// Parses a function's body: declarations, labels, scopes, instructions.
#include <iterator>
#include <string>
#include <utility>

#include "simulator/assembly/function_parser.hpp"
#include "simulator/assembly/lexer.hpp"
#include "simulator/assembly/module_parts.hpp"
#include "simulator/assembly/parse.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr std::uint32_t kMostRegisters = 1 << 20;  // of a module
constexpr std::uint64_t kMostTargets = 1 << 16;    // of a .branchtargets

}  // namespace

BodyParser::BodyParser(Lexer& lexer, Function& function, ModuleUse& use)
    : lexer_(lexer), function_(function), use_(use), scopes_(function) {
  for (std::vector<Variable>* list : {&function.results, &function.parameters}) {
    for (Variable& variable : *list) declare_parameter(variable);
  }
}

void BodyParser::declare_parameter(Variable& parameter) {
  if (parameter.is_register) {
    parameter.first_register = static_cast<std::uint32_t>(function_.registers.size());
    declare_registers({parameter.type, parameter.n_elements}, parameter.name, parameter.line);
  } else if (parameter.name != "_") {
    scopes_.declare_symbol(parameter.name, parameter.line);
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

// ".reg .b32 %r<4>, low, high;", ".reg .v4 .f32 color;"
void BodyParser::parse_registers() {
  lexer_.take();
  RegisterType type;
  type.n_elements = parse_vector(lexer_);
  type.element = parse_type(lexer_);
  check_vector_type(type.element, type.n_elements, lexer_.line());
  do {
    const int line = lexer_.line();
    const std::string_view name = lexer_.expect_name("the name of a register");
    if (lexer_.accept("<")) {
      const std::uint64_t count = parse_count(lexer_, "a number of registers", kMostRegisters);
      lexer_.expect(">", "after the number of registers");
      declare_range(type, name, static_cast<std::uint32_t>(count), line);
    } else {
      declare_registers(type, name, line);
    }
  } while (lexer_.accept(","));
  lexer_.expect(";", "after a register");
}

// One register, or the elements of a vector.
void BodyParser::declare_registers(const RegisterType& type, std::string_view name, int line) {
  const auto first = static_cast<std::uint32_t>(function_.registers.size());
  add_registers(type.element, type.n_elements, line);
  add_names(std::string(name), type.n_elements);
  scopes_.declare_register(name, first, type.n_elements, line);
}

void BodyParser::declare_range(const RegisterType& type, std::string_view prefix,
                               std::uint32_t count, int line) {
  const auto first = static_cast<std::uint32_t>(function_.registers.size());
  add_registers(type.element, count * type.n_elements, line);
  for (std::uint32_t number = 0; number < count; ++number)
    add_names(std::string(prefix) + std::to_string(number), type.n_elements);
  scopes_.declare_registers(prefix, {first, count, type.n_elements}, line);
}

void BodyParser::add_names(std::string name, std::uint32_t n_elements) {
  if (n_elements == 1) {
    function_.register_names.push_back(std::move(name));
    return;
  }
  for (std::uint32_t element = 0; element < n_elements; ++element)
    function_.register_names.push_back(format("{}.{}", name, kVectorElements[element]));
}

void BodyParser::add_registers(Type type, std::uint32_t count, int line) {
  use_.n_registers += count;
  if (use_.n_registers > kMostRegisters) {
    throw PtxError(line, format("more than {} registers in the module", kMostRegisters));
  }
  function_.registers.insert(function_.registers.end(), count, type);
}

// .global and .const ones are variables of the module that only this scope knows.
void BodyParser::parse_body_variables() {
  for (Variable& variable : parse_variables(lexer_, {}, use_)) {
    const bool is_of_module = variable.space == Space::kGlobal || variable.space == Space::kConst;
    const std::string prefix = is_of_module ? function_.name + "." : "";
    variable.name = scopes_.declare_symbol(variable.name, variable.line, prefix);
    (is_of_module ? use_.body_variables : function_.variables).push_back(std::move(variable));
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
  statement.mnemonic = std::move(mnemonic_);
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

// Parses what follows "name:". The name is a label, or that of a prototype or a list of targets.
void BodyParser::parse_labelled(std::string_view name, int line) {
  if (lexer_.is(".callprototype")) {
    parse_prototype(name, line);
  } else if (lexer_.is(".branchtargets") || lexer_.is(".calltargets")) {
    parse_targets(name, line);
  } else {
    scopes_.declare_label(name, line);
  }
}

// "prototype_0 : .callprototype (.param .b32 _) _ (.param .b64 _);"
void BodyParser::parse_prototype(std::string_view name, int line) {
  lexer_.take();
  Prototype prototype;
  constexpr auto kKinds = ParameterKinds::kParamOrRegister;
  if (lexer_.is("(")) prototype.results = parse_parameters(lexer_, kKinds);
  lexer_.expect("_", "for the function of a prototype");
  if (lexer_.is("(")) prototype.parameters = parse_parameters(lexer_, kKinds);
  skip_prototype_directives(lexer_);
  lexer_.expect(";", "after a prototype");
  function_.prototypes.emplace_back(scopes_.declare_symbol(name, line), std::move(prototype));
}

// "targets: .branchtargets first, second;": a statement, so that labels are resolved in it.
void BodyParser::parse_targets(std::string_view name, int line) {
  Statement statement;
  statement.line = line;
  statement.mnemonic = lexer_.take().text;
  const std::string symbol = scopes_.declare_symbol(name, line);
  operands_.clear();
  do {
    parse_target();
  } while (lexer_.accept(","));
  lexer_.expect(";", "or ',' after a target");
  statement.operands = {std::make_move_iterator(operands_.begin()),
                        std::make_move_iterator(operands_.end())};
  function_.target_lists.emplace_back(symbol,
                                      static_cast<std::uint32_t>(function_.statements.size()));
  function_.statements.push_back(std::move(statement));
}

// "label", or "label<3>" for label0, label1, label2.
void BodyParser::parse_target() {
  const int line = lexer_.line();
  const std::string_view name = lexer_.expect_name("a target");
  if (!lexer_.accept("<")) return add_target(name, line);
  const std::uint64_t count = parse_count(lexer_, "a number of targets", kMostTargets);
  lexer_.expect(">", "after the number of targets");
  for (std::uint64_t number = 0; number < count; ++number)
    add_target(use_.names.emplace_back(std::string(name) + std::to_string(number)), line);
}

void BodyParser::add_target(std::string_view name, int line) {
  if (scopes_.find(name))
    throw PtxError(line, quoted(name) + " is no target; expected a label or a function");
  Operand target;
  target.kind = Operand::Kind::kSymbol;
  target.name = name;
  scopes_.add({name, line, function_.statements.size(), operands_.size()});
  operands_.push_back(std::move(target));
}

}  // namespace numpy_plugin::sim
