// Parser of functions: the head is in parse_function.cpp, statements in parse_statement.cpp,
// operands in parse_operand.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/assembly/lexer.hpp"
#include "simulator/assembly/module_parts.hpp"
#include "simulator/assembly/scopes.hpp"
#include "simulator/assembly/syntax.hpp"

namespace numpy_plugin::sim {

// Parses a function from ".entry" or ".func" to its "}", or to its ";" where it has no body.
Function parse_function(Lexer& lexer, const Linkage& linkage, ModuleUse& use);

// Skips ".noreturn", ".abi_preserve 16" and others without an effect after a prototype.
void skip_prototype_directives(Lexer& lexer);

// .reg's type; n_elements is above 1 for a vector.
struct RegisterType {
  Type element = Type::kNone;
  std::uint32_t n_elements = 1;
};

// Parser of the statements between a function's braces.
class BodyParser {
 public:
  BodyParser(Lexer& lexer, Function& function, ModuleUse& use);

  void parse();  // from after "{" to "}"

 private:
  // parse_statement.cpp
  void parse_item();
  void parse_directive();
  void parse_registers();
  void declare_parameter(Variable& parameter);
  void declare_registers(const RegisterType& type, std::string_view name, int line);
  void declare_range(const RegisterType& type, std::string_view prefix, std::uint32_t count,
                     int line);
  void add_names(std::string name, std::uint32_t n_elements);
  void add_registers(Type type, std::uint32_t count, int line);
  void parse_body_variables();
  void parse_instruction();
  void parse_labelled(std::string_view name, int line);
  void parse_prototype(std::string_view name, int line);
  void parse_targets(std::string_view name, int line);
  void parse_target();
  void add_target(std::string_view name, int line);
  Operand parse_guard();

  // parse_operand.cpp
  std::vector<Operand> parse_operands();
  Operand parse_operand();
  Operand parse_address();
  Operand parse_group(Operand::Kind kind, std::string_view closing_mark);
  Operand parse_part();
  void close_reference();
  Operand parse_simple();
  Operand parse_negated();
  std::uint64_t parse_offset();
  void parse_index(Operand& symbol);
  Operand parse_name();

  Lexer& lexer_;
  Function& function_;
  ModuleUse& use_;
  Scopes scopes_;
  std::uint32_t location_ = kNoLocation;  // of the statements from here
  std::string mnemonic_;                  // of the current statement
  std::vector<Operand> operands_;         // likewise, so far
  // For the current operand: a name not declared so far. Resolved at once where it can't be a
  // label.
  std::optional<OpenReference> open_reference_;
};

}  // namespace numpy_plugin::sim
