// opcodes.def as data: modifiers and operands of each opcode.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/program/grammar.hpp"
#include "simulator/program/operation.hpp"
#include "simulator/program/program.hpp"

namespace numpy_plugin::sim {

// An operand in the notation of the table, which explains its letters.
struct OperandRule {
  char letter = 'T';
  bool may_be_wider = false;
  bool may_be_missing = false;
  bool may_be_unused = false;  // may be `_`
  Target need = {};            // where it is given
  char second = 0;             // letter of a pair's second part, 0: no pair
  bool needs_second = false;
  bool may_second_be_unused = false;
};

struct Form {
  GrammarNode modifiers;
  bool has_own_rules = false;  // OWN
  std::vector<OperandRule> results;
  std::vector<OperandRule> sources;
  Flow flow = Flow::kNext;
  InstructionClass category = InstructionClass::kMove;
};

struct Mnemonic {
  Operation operation;
  const Form* form = nullptr;
  std::vector<Target> needs;  // as in Match
};

// nullopt for mnemonics that are not in the table.
std::optional<Mnemonic> find_mnemonic(std::string_view text);

// The mistake in a mnemonic that is not in the table: "'.rn' is not expected after '.f32'". Empty
// where the table lacks its opcode.
std::string explain_mnemonic(std::string_view text);

}  // namespace numpy_plugin::sim
