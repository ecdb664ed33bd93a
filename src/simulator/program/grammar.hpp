// Grammar of an opcode's modifiers, as written in opcodes.def, and its matching.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "simulator/program/operation.hpp"
#include "simulator/program/target.hpp"

namespace numpy_plugin::sim {

struct Modifier {
  std::string_view name;      // in the tables
  std::string_view spelling;  // in a mnemonic, without the preceding dot
  std::string_view field;     // of Operation, "type" for types, empty for plain ones
  void (*apply)(Operation&) = nullptr;
  Type type = Type::kNone;  // for a type; `apply` is nullptr

  bool has_effect() const { return apply != nullptr || type != Type::kNone; }
};

struct GrammarNode {
  enum class Kind { kWord, kNeed, kSequence, kChoice, kOptional };
  Kind kind = Kind::kSequence;
  const Modifier* word = nullptr;
  std::vector<GrammarNode> parts;
  Target need = {};
};

// An unknown name or an unbalanced bracket is a bug in the tables.
GrammarNode parse_grammar(std::string_view text);

// kAny: as ptxas takes them, too. Modifiers of one kind keep their order, such as types and spaces.
// kAnyAfterFirst: likewise, after the first modifier.
enum class Order { kTable, kAny, kAnyAfterFirst };

struct Match {
  Operation operation;        // with the fields given by the modifiers
  std::vector<Target> needs;  // of the module: one of them suffices; empty: nothing is needed
};

// `text` begins with a dot or is empty. nullopt where it does not match the whole grammar, or has
// several meanings.
std::optional<Match> match(const GrammarNode& grammar, std::string_view text,
                           const Operation& operation, Order order = Order::kTable);

// The longest beginning of a text that begins a mnemonic of some grammars.
struct Mismatch {
  std::string_view rest;                   // the text after it; of the whole text at first
  std::vector<std::string_view> expected;  // spellings that continue it, without dots
  bool may_end = false;                    // whether it is a mnemonic itself
};

// Adds what a grammar accepts of the text that `mismatch` was begun with.
void compare(const GrammarNode& grammar, std::string_view text, Mismatch& mismatch);

}  // namespace numpy_plugin::sim
