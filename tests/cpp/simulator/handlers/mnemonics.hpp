// All mnemonics that the decoder's tables allow, many of which no compiler emits.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "simulator/program/grammar.hpp"
#include "simulator/program/opcode_table.hpp"

namespace numpy_plugin::sim {

// Whether all words are without effect, as hints to caches are.
inline bool is_plain(const GrammarNode& node) {
  if (node.kind == GrammarNode::Kind::kWord) return !node.word->has_effect();
  return std::all_of(node.parts.begin(), node.parts.end(), is_plain);
}

// All texts that match the grammar, but for alternatives without effect: the first one stands for
// all of them, and none where they are optional.
inline std::vector<std::string> expand(const GrammarNode& node) {
  if (node.kind == GrammarNode::Kind::kWord) {
    const std::string spelling(node.word->spelling);
    return {spelling.empty() ? spelling : "." + spelling};
  }
  if (node.kind == GrammarNode::Kind::kNeed) return {""};
  std::vector<std::string> texts;
  if (node.kind == GrammarNode::Kind::kOptional && is_plain(node)) return {""};
  if (node.kind == GrammarNode::Kind::kChoice) {
    if (is_plain(node)) return expand(node.parts.front());
    for (const GrammarNode& part : node.parts) {
      for (const std::string& text : expand(part)) texts.push_back(text);
    }
    return texts;
  }
  std::vector<std::string> sequences = {""};
  for (const GrammarNode& part : node.parts) {
    std::vector<std::string> longer;
    for (const std::string& begin : sequences) {
      for (const std::string& end : expand(part)) longer.push_back(begin + end);
    }
    sequences = longer;
  }
  if (node.kind == GrammarNode::Kind::kOptional) texts.push_back("");
  texts.insert(texts.end(), sequences.begin(), sequences.end());
  return texts;
}

// Mnemonics of instructions of one flow; by default those that fall through.
inline std::vector<std::string> possible_mnemonics(Flow flow = Flow::kNext) {
  struct FormText {
    const char* modifiers;
    const char* operands;
    Flow flow = Flow::kNext;
  };
  struct OpcodeText {
    const char* spelling;
    std::vector<FormText> forms;
  };
  const std::vector<OpcodeText> rows = {
#define NPP_PTX_OPCODE(enumerator, spelling, class, ...) {spelling, {__VA_ARGS__}},
#include "simulator/program/opcodes.def"
  };
  std::vector<std::string> mnemonics;
  for (const OpcodeText& row : rows) {
    for (const FormText& form : row.forms) {
      const Flow each = form.flow == Flow::kYield ? Flow::kNext : form.flow;
      if (each != flow) continue;
      for (const std::string& modifiers : expand(parse_grammar(form.modifiers))) {
        mnemonics.push_back(row.spelling + modifiers);
      }
    }
  }
  return mnemonics;
}

}  // namespace numpy_plugin::sim
