// Grammar of an opcode's modifiers, as written in opcodes.def, and its matching.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "simulator/program/operation.hpp"

namespace numpy_plugin::sim {

struct Modifier {
  std::string_view name;      // in the tables
  std::string_view spelling;  // in a mnemonic, without the preceding dot
  void (*apply)(Operation&) = nullptr;
  Type type = Type::kNone;  // for a type; `apply` is nullptr

  bool has_effect() const { return apply != nullptr || type != Type::kNone; }
};

struct GrammarNode {
  enum class Kind { kWord, kSequence, kChoice, kOptional };
  Kind kind = Kind::kSequence;
  const Modifier* word = nullptr;
  std::vector<GrammarNode> parts;
};

// An unknown name or an unbalanced bracket is a bug in the tables.
GrammarNode parse_grammar(std::string_view text);

// `text` begins with a dot or is empty. Sets the fields of the operation given by the modifiers;
// nullopt where the text does not match the whole grammar.
std::optional<Operation> match(const GrammarNode& grammar, std::string_view text,
                               const Operation& operation);

}  // namespace numpy_plugin::sim
