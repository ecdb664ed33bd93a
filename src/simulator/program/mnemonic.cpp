// Table of opcodes, parsed once, and look-up of mnemonics.
#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/system/fork.hpp"
#include "simulator/assembly/lexer.hpp"
#include "simulator/program/opcode_table.hpp"

namespace numpy_plugin::sim {
namespace {

// Opcodes whose first modifier is a part of the instruction's name.
constexpr std::string_view kCompoundOpcodes[] = {
    "bar",   "barrier", "brx",      "cp",    "createpolicy", "dp2a", "mad",
    "mad24", "madc",    "mbarrier", "mul24", "setmaxnreg",   "wmma"};

// Modifiers that are a part of the name of some of an opcode's instructions.
struct NamePart {
  std::string_view opcode;
  std::string_view modifier;
};
constexpr NamePart kNameParts[] = {{"bar", ".arrive"},  {"bar", ".red"},  {"barrier", ".arrive"},
                                   {"barrier", ".red"}, {"cvt", ".pack"}, {"div", ".full"},
                                   {"red", ".async"},   {"st", ".async"}};

// The order of modifiers that is tried after the table's own.
Order other_order(std::string_view opcode) {
  return base::contains(kCompoundOpcodes, opcode) ? Order::kAnyAfterFirst : Order::kAny;
}

// Whether a part of the name comes after other modifiers.
bool has_late_name(std::string_view opcode, std::string_view modifiers) {
  return std::ranges::any_of(kNameParts, [&](const NamePart& part) {
    const std::size_t place = modifiers.find(part.modifier);
    if (part.opcode != opcode || place == modifiers.npos) return false;
    const std::string_view before = modifiers.substr(0, place);
    return !before.empty() && before != ".cta" && before != ".cluster";
  });
}

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
  const std::size_t end = std::min(word.find('@'), word.size());
  rule.need = parse_target(word.substr(std::min(end + 1, word.size())));
  word = word.substr(0, end);
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

OpcodeTable opcode_table() {
  OpcodeTable rows;
#define NPP_PTX_OPCODE(enumerator, spelling, category, ...) \
  add_row(rows, Opcode::enumerator, spelling, InstructionClass::category, {__VA_ARGS__});
#include "simulator/program/opcodes.def"
  return rows;
}

// Whether a word of a mnemonic, with its dot, is a modifier of the grammar or a part of one.
bool has_word(const GrammarNode& node, std::string_view word) {
  if (node.kind == GrammarNode::Kind::kWord) {
    const std::string modifier = format(".{}.", node.word->spelling);
    return modifier.find(format("{}.", word)) != std::string::npos;
  }
  return std::ranges::any_of(node.parts,
                             [&](const GrammarNode& part) { return has_word(part, word); });
}

// The first modifier that no form of the opcode has; empty where all are known.
std::string_view unknown_word(std::string_view modifiers, const OpcodeRow& row) {
  while (!modifiers.empty()) {
    const std::string_view word = modifiers.substr(0, modifiers.find('.', 1));
    const bool is_known = std::ranges::any_of(
        row.forms, [&](const Form& form) { return has_word(form.modifiers, word); });
    if (!is_known) return word;
    modifiers.remove_prefix(word.size());
  }
  return {};
}

// "; expected .f32, .f64 or the end"; empty where there are too many to be of use.
std::string describe_expected(const Mismatch& mismatch) {
  constexpr std::size_t kMost = 8;
  std::vector<std::string> texts;
  for (const std::string_view spelling : mismatch.expected)
    texts.push_back(format(".{}", spelling));
  if (mismatch.may_end) texts.emplace_back("the end");
  if (texts.empty() || texts.size() > kMost) return "";
  const std::string last = texts.back();
  texts.pop_back();
  return format("; expected {}{}", texts.empty() ? "" : base::join(texts, ", ") + " or ", last);
}

std::string describe(const Mismatch& mismatch, std::string_view text) {
  const std::string_view before = text.substr(0, text.size() - mismatch.rest.size());
  const std::size_t dot = before.rfind('.');
  const std::string last = quoted(dot == before.npos ? before : before.substr(dot));
  if (mismatch.rest.empty()) return format("it ends after {}{}", last, describe_expected(mismatch));
  const std::string_view next = mismatch.rest.substr(0, mismatch.rest.find('.', 1));
  return format("{} is not expected after {}{}", quoted(next), last, describe_expected(mismatch));
}

}  // namespace

std::optional<Mnemonic> find_mnemonic(std::string_view text) {
  const std::size_t end = std::min(text.find('.'), text.size());
  const auto row = system::made_once<opcode_table>().find(text.substr(0, end));
  if (row == system::made_once<opcode_table>().end()) return std::nullopt;
  if (has_late_name(row->first, text.substr(end))) return std::nullopt;
  Operation operation;
  operation.opcode = row->second.opcode;
  for (const Order order : {Order::kTable, other_order(row->first)}) {
    for (const Form& form : row->second.forms) {
      if (auto found = match(form.modifiers, text.substr(end), operation, order))
        return Mnemonic{found->operation, &form, std::move(found->needs)};
    }
  }
  return std::nullopt;
}

std::string explain_mnemonic(std::string_view text) {
  const std::size_t end = std::min(text.find('.'), text.size());
  const auto row = system::made_once<opcode_table>().find(text.substr(0, end));
  if (row == system::made_once<opcode_table>().end()) return "";
  const std::string_view unknown = unknown_word(text.substr(end), row->second);
  if (!unknown.empty())
    return format("{} is no modifier of {}", quoted(unknown), quoted(text.substr(0, end)));
  Mismatch mismatch{text.substr(end), {}, false};
  for (const Form& form : row->second.forms) compare(form.modifiers, text.substr(end), mismatch);
  return describe(mismatch, text);
}

std::optional<Operation> decode_mnemonic(std::string_view mnemonic) {
  const auto found = find_mnemonic(mnemonic);
  if (!found) return std::nullopt;
  return found->operation;
}

}  // namespace numpy_plugin::sim
