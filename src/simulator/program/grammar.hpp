// The grammar of the modifiers of an opcode, as opcodes.def writes it, and its matching.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "simulator/program/operation.hpp"

namespace numpy_plugin::sim {

struct Modifier {
  std::string_view name;      // in the tables
  std::string_view spelling;  // in a mnemonic, without the dot before it
  void (*apply)(Operation&) = nullptr;
  Type type = Type::kNone;  // of a type; `apply` is nullptr
};

struct GrammarNode {
  enum class Kind { kWord, kSequence, kChoice, kOptional };
  Kind kind = Kind::kSequence;
  const Modifier* word = nullptr;
  std::vector<GrammarNode> parts;
};

// An unknown name or a broken bracket is a bug of the tables.
GrammarNode parse_grammar(std::string_view text);

// `text` begins with a dot or is empty. The fields of `operation` that the modifiers say are set;
// nothing where the text does not follow the grammar to its end.
std::optional<Operation> match(const GrammarNode& grammar, std::string_view text,
                               const Operation& operation);

}  // namespace numpy_plugin::sim
