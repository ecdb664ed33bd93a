// Table of opcodes, parsed once, and look-up of mnemonics.
#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "numpy_plugin/base/error.hpp"
#include "simulator/program/opcode_table.hpp"

namespace numpy_plugin::sim {
namespace {

struct FormText {
  std::string_view modifiers;
  std::string_view operands;
  Flow flow = Flow::kNext;
};

struct OpcodeRow {
  Opcode opcode = {};
  std::vector<Form> forms;
};

using OpcodeTable = std::unordered_map<std::string_view, OpcodeRow>;

bool take_end(std::string_view& word, char mark) {
  const bool is_there = word.ends_with(mark);
  if (is_there) word.remove_suffix(1);
  return is_there;
}

// "T|P", "T_&P", "P_|P_", "[U]", "V+"
OperandRule parse_rule(std::string_view word) {
  OperandRule rule;
  rule.may_be_missing = word.starts_with('[');
  if (rule.may_be_missing) word = word.substr(1, word.size() - 2);
  if (const std::size_t mark = word.find_first_of("|&"); mark != word.npos) {
    std::string_view second = word.substr(mark + 1);
    rule.needs_second = word[mark] == '&';
    rule.may_second_be_unused = take_end(second, '_');
    NPP_ASSERT(second.size() == 1, std::string(word));
    rule.second = second.front();
    word = word.substr(0, mark);
  }
  rule.may_be_unused = take_end(word, '_');
  rule.may_be_wider = take_end(word, '+');
  NPP_ASSERT(word.size() == 1, std::string(word));
  rule.letter = word.front();
  return rule;
}

Form parse_form(const FormText& text, InstructionClass category) {
  Form form;
  form.modifiers = parse_grammar(text.modifiers);
  form.flow = text.flow;
  form.category = category;
  form.has_own_rules = text.operands == "OWN";
  if (form.has_own_rules) return form;
  std::vector<OperandRule>* side = &form.results;
  std::string_view rest = text.operands;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    if (word == "=")
      side = &form.sources;
    else
      side->push_back(parse_rule(word));
  }
  return form;
}

void add_row(OpcodeTable& table, Opcode opcode, std::string_view spelling,
             InstructionClass category, std::initializer_list<FormText> forms) {
  OpcodeRow& row = table[spelling];
  row.opcode = opcode;
  for (const FormText& form : forms) row.forms.push_back(parse_form(form, category));
}

const OpcodeTable& opcode_table() {
  static const OpcodeTable table = [] {
    OpcodeTable rows;
#define NPP_PTX_OPCODE(enumerator, spelling, category, ...) \
  add_row(rows, Opcode::enumerator, spelling, InstructionClass::category, {__VA_ARGS__});
#include "simulator/program/opcodes.def"
    return rows;
  }();
  return table;
}

}  // namespace

std::optional<Mnemonic> find_mnemonic(std::string_view text) {
  const std::size_t end = std::min(text.find('.'), text.size());
  const auto row = opcode_table().find(text.substr(0, end));
  if (row == opcode_table().end()) return std::nullopt;
  Operation operation;
  operation.opcode = row->second.opcode;
  for (const Form& form : row->second.forms) {
    if (const auto found = match(form.modifiers, text.substr(end), operation))
      return Mnemonic{*found, &form};
  }
  return std::nullopt;
}

std::optional<Operation> decode_mnemonic(std::string_view mnemonic) {
  const auto found = find_mnemonic(mnemonic);
  if (!found) return std::nullopt;
  return found->operation;
}

}  // namespace numpy_plugin::sim
