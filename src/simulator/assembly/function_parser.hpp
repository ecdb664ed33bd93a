// A function's parser: its head in parse_function.cpp, the statements of its body in
// parse_statement.cpp, their operands in parse_operand.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/assembly/lexer.hpp"
#include "simulator/assembly/module_use.hpp"
#include "simulator/assembly/scopes.hpp"
#include "simulator/assembly/syntax.hpp"

namespace numpy_plugin::sim {

// Takes a function from ".entry" or ".func" to its "}", or to its ";" where it has no body.
Function parse_function(Lexer& lexer, const Linkage& linkage, ModuleUse& use);

// The statements between the braces of a function.
class BodyParser {
 public:
  BodyParser(Lexer& lexer, Function& function, ModuleUse& use);

  void parse();  // from after "{" to "}"

 private:
  // parse_statement.cpp
  void parse_item();
  void parse_directive();
  void parse_registers();
  void declare_registers(Type type, std::string_view name, int line);
  void add_registers(Type type, std::uint32_t count, int line);
  void parse_body_variables();
  void parse_instruction();
  void parse_labelled(std::string_view name, int line);
  void parse_prototype(std::string_view name, int line);
  Operand parse_guard();

  // parse_operand.cpp
  std::vector<Operand> parse_operands();
  Operand parse_operand();
  Operand parse_address();
  Operand parse_group(Operand::Kind kind, std::string_view closing_mark);
  Operand parse_part();
  void close_reference();
  Operand parse_simple();
  Operand parse_number();
  Operand parse_name();

  Lexer& lexer_;
  Function& function_;
  ModuleUse& use_;
  Scopes scopes_;
  std::string mnemonic_;           // of the statement at hand
  std::vector<Operand> operands_;  // likewise, so far
  // Of the operand at hand: a name that is not declared so far. Closed where it can be no label.
  std::optional<OpenReference> open_reference_;
};

}  // namespace numpy_plugin::sim
