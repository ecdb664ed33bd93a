// opcodes.def as data: what follows an opcode, and what its operands are.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "simulator/program/grammar.hpp"
#include "simulator/program/operation.hpp"
#include "simulator/program/program.hpp"

namespace numpy_plugin::sim {

// An operand as the table has it; its letters are told there.
struct OperandRule {
  char letter = 'T';
  bool may_be_wider = false;
  bool may_be_missing = false;
  char second = 0;  // letter of the second part of a pair, 0: no pair
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
};

// Nothing for one that is not in the table.
std::optional<Mnemonic> find_mnemonic(std::string_view text);

}  // namespace numpy_plugin::sim
