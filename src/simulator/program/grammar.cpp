// The table of modifiers, and grammars over them as trees.
#include "simulator/program/grammar.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <utility>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/system/fork.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr Modifier kModifiers[] = {
#define NPP_PTX_MODIFIER(name, spelling, field, value) \
  {name, spelling, #field, [](Operation& operation) { operation.field = value; }},
#define NPP_PTX_PLAIN_MODIFIER(spelling) {spelling, spelling, ""},
#define NPP_PTX_GROUP(name, grammar)
#include "simulator/program/modifiers.def"
#define NPP_PTX_TYPE(enumerator, spelling, bytes, kind) \
  {spelling, spelling, "type", nullptr, Type::enumerator},
#include "simulator/assembly/types.def"
};

struct Group {
  std::string_view name;
  std::string_view grammar;
};

constexpr Group kGroups[] = {
#define NPP_PTX_MODIFIER(name, spelling, field, value)
#define NPP_PTX_PLAIN_MODIFIER(spelling)
#define NPP_PTX_GROUP(name, grammar) {name, grammar},
#include "simulator/program/modifiers.def"
};

std::unordered_map<std::string_view, const Modifier*> modifiers_by_name() {
  std::unordered_map<std::string_view, const Modifier*> found;
  for (const Modifier& modifier : kModifiers) found.emplace(modifier.name, &modifier);
  return found;
}

const Modifier* find_modifier(std::string_view name) {
  const auto& modifiers = system::made_once<modifiers_by_name>();
  const auto place = modifiers.find(name);
  return place == modifiers.end() ? nullptr : place->second;
}

// "sm_90", "sm_100f", "ptx_86"
Target parse_need(std::string_view token) {
  constexpr std::string_view kVersionPrefix = "ptx_";
  if (!token.starts_with(kVersionPrefix)) return parse_target(token);
  Target need;
  for (const char digit : token.substr(kVersionPrefix.size()))
    need.version = need.version * 10 + (digit - '0');
  return need;
}

// choice = sequence {"|" sequence}; sequence = {word | group | "[" choice "]" | "(" choice ")"}
class GrammarParser {
 public:
  explicit GrammarParser(std::string_view text) : text_(text) {}

  GrammarNode parse() {
    GrammarNode choice = parse_choice();
    NPP_ASSERT(next().empty(), std::string(text_));
    return choice;
  }

 private:
  static constexpr std::string_view kMarks = "|[]()";

  std::string_view next() {
    while (position_ < text_.size() && text_[position_] == ' ') ++position_;
    if (position_ == text_.size()) return {};
    if (kMarks.find(text_[position_]) != std::string_view::npos) return text_.substr(position_, 1);
    const std::size_t end = text_.find_first_of("|[]() ", position_);
    return text_.substr(position_, end == std::string_view::npos ? end : end - position_);
  }

  void expect(std::string_view mark) {
    NPP_ASSERT(next() == mark, std::string(text_));
    position_ += mark.size();
  }

  GrammarNode parse_choice() {
    GrammarNode choice{GrammarNode::Kind::kChoice, nullptr, {}};
    choice.parts.push_back(parse_sequence());
    while (next() == "|") {
      expect("|");
      choice.parts.push_back(parse_sequence());
    }
    return choice.parts.size() == 1 ? std::move(choice.parts.front()) : choice;
  }

  GrammarNode parse_sequence() {
    GrammarNode sequence;
    for (auto token = next(); !token.empty() && token != "|" && token != "]" && token != ")";
         token = next())
      sequence.parts.push_back(parse_item(token));
    return sequence;
  }

  GrammarNode parse_item(std::string_view token) {
    position_ += token.size();
    if (token == "[" || token == "(") {
      GrammarNode item{
          token == "[" ? GrammarNode::Kind::kOptional : GrammarNode::Kind::kSequence, nullptr, {}};
      item.parts.push_back(parse_choice());
      expect(token == "[" ? "]" : ")");
      return item;
    }
    const Target need = parse_need(token);
    if (need != Target{}) return {GrammarNode::Kind::kNeed, nullptr, {}, need};
    const auto* group =
        std::find_if(std::begin(kGroups), std::end(kGroups),
                     [&](const Group& candidate) { return candidate.name == token; });
    if (group != std::end(kGroups)) return parse_grammar(group->grammar);
    const Modifier* word = find_modifier(token);
    NPP_ASSERT(word != nullptr, std::string(token));
    return {GrammarNode::Kind::kWord, word, {}};
  }

  std::string_view text_;
  std::size_t position_ = 0;
};

}  // namespace

GrammarNode parse_grammar(std::string_view text) { return GrammarParser(text).parse(); }

}  // namespace numpy_plugin::sim
