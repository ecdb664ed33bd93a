// Grammar of an opcode's modifiers, as written in opcodes.def, its matching, and what instructions
// need.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/program/operation.hpp"

namespace numpy_plugin::sim {

// Targets of modules (.target and .version), and what instructions need of them.

struct Target {
  int number = 0;   // 90 for sm_90; 0: any
  char suffix = 0;  // 'a': this architecture only, 'f': its family, from this one
  int version = 0;  // 86 for PTX 8.6; 0: any

  // Whether code that needs the other can be compiled for this one.
  bool provides(const Target& needed) const;
  // Narrows a need by a further one.
  void add(const Target& further);

  friend bool operator==(const Target&, const Target&) = default;
};

// Parses "sm_90a"; number 0 for other texts.
Target parse_target(std::string_view text);

// Of a module, from its .target and .version.
Target module_target(std::string_view target, int version_major, int version_minor);

// The mistake in a module without any of the needs, of which one suffices; empty where there is
// none: "needs sm_90 or newer; the module's target is sm_75".
std::string describe_missing(const Target& module, const std::vector<Target>& needs);

// Grammar of an opcode's modifiers, as written in opcodes.def, and its matching.

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

// Instructions that are not simulated (unsimulated.def), as messages.

// "warpgroup matrix instructions (sm_90a) are not simulated; mma.sync is"; nullopt for mnemonics
// that the table does not know.
std::optional<std::string> why_unsimulated(std::string_view mnemonic);

// Whether a mnemonic's modifiers have the words of a row of the table.
bool has_words(std::string_view modifiers, std::string_view words);

}  // namespace numpy_plugin::sim
