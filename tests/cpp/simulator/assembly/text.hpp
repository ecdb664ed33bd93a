// PTX for tests: the common beginning of modules, so that tests show only the essentials.
#pragma once

#include <string>

#include "simulator/assembly/parse.hpp"

namespace numpy_plugin::sim {

// Three lines: the rest begins on line 4.
inline const std::string kModuleHead = ".version 9.0\n.target sm_90\n.address_size 64\n";

// The statements begin on line 5.
inline std::string with_body(const std::string& statements) {
  return kModuleHead + ".visible .entry k(.param .u64 p) {\n" + statements + "\n}\n";
}

inline Module parse_module(const std::string& rest) { return parse_ptx(kModuleHead + rest); }

inline Function parse_body(const std::string& statements) {
  return parse_ptx(with_body(statements)).functions.at(0);
}

// Operands of the only instruction with this mnemonic.
inline std::vector<Operand> operands_of(const Function& function, const std::string& mnemonic) {
  for (const Statement& statement : function.statements) {
    if (statement.mnemonic == mnemonic) return statement.operands;
  }
  return {};
}

}  // namespace numpy_plugin::sim
