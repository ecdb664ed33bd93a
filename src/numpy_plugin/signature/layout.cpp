// Parser of core signatures, NumPy's "layout" of a guvectorize kernel: names, fixed sizes "3",
// optional "n?", broadcastable "n|1".
#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "numpy_plugin/signature/signature.hpp"
#include "numpy_plugin/signature/signature_text.hpp"

namespace numpy_plugin::declare {
namespace {

// An ASCII letter or '_', then ASCII letters, digits and '_'.
bool is_dimension_name(const std::string& word) {
  const auto is_letter = [](char each) {
    return std::isalnum(static_cast<unsigned char>(each)) != 0 || each == '_';
  };
  return !word.empty() && std::isdigit(static_cast<unsigned char>(word.front())) == 0 &&
         std::all_of(word.begin(), word.end(), is_letter);
}

bool is_number(const std::string& word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
}

class LayoutParser {
 public:
  explicit LayoutParser(std::string_view text)
      : source_{"layout", std::string(text)}, tokens_(tokenize(source_.text)) {}

  CoreSignature parse(bool may_lack_outputs = false);

 private:
  const Token& token() const { return tokens_[at_]; }
  bool is_at(std::string_view word) const { return token().word == word; }
  [[noreturn]] void fail(TextRange range, const std::string& message,
                         const std::string& hint = {}) const {
    fail_at(source_, range, message, hint);
  }

  bool has_arrow() const;
  void check_arrow() const;
  std::string arrow_hint() const;
  void parse_operands(std::string_view terminator);
  void parse_operand();
  void check_dimension_begins(const std::optional<Token>& comma) const;
  void parse_dimension();
  DimensionName parse_name() const;
  int add_name(const DimensionName& name, TextRange range);
  std::string numpy_text() const;

  LabelledText source_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  CoreSignature layout_;
};

CoreSignature LayoutParser::parse(bool may_lack_outputs) {
  if (tokens_.size() == 1)
    fail_at({"layout", ""}, kWholeArgument, "the layout is empty", "\"(n)->(n)\"");
  if (!may_lack_outputs || has_arrow()) check_arrow();
  parse_operands(has_arrow() ? "->" : "");
  layout_.n_inputs = layout_.operands.size();
  if (has_arrow()) {
    ++at_;
    parse_operands("");
  }
  layout_.text = numpy_text();
  return std::move(layout_);
}

bool is_arrow(const Token& token) { return token.word == "->"; }

bool LayoutParser::has_arrow() const {
  return std::any_of(tokens_.begin(), tokens_.end(), is_arrow);
}

void LayoutParser::check_arrow() const {
  const auto arrow = std::find_if(tokens_.begin(), tokens_.end(), is_arrow);
  if (arrow == tokens_.end()) fail(whole(source_), "the layout has no '->'", arrow_hint());
  const auto second = std::find_if(arrow + 1, tokens_.end(), is_arrow);
  if (second != tokens_.end()) fail(second->range, "'->' appears twice");
}

// Whether a text is a valid layout whose sizes all appear in inputs.
bool is_plain_layout(const std::string& text) {
  try {
    return LayoutParser(text).parse().output_only_name().empty();
  } catch (const base::Error&) {
    return false;
  }
}

// Suggests the last operand as the output, a single one as both; empty where that is no valid
// layout.
std::string LayoutParser::arrow_hint() const {
  std::string before;
  std::string last;
  for (const Token& each : tokens_) {
    if (each.word == "(") before += std::exchange(last, "");
    last += each.word;
  }
  while (!before.empty() && before.back() != ')') before.pop_back();
  const bool has_operand = last.starts_with('(') && last.ends_with(')');
  if (!has_operand) return "\"(n)->(n)\"";
  const std::string hint = format("{}->{}", before.empty() ? last : before, last);
  return is_plain_layout(hint) ? format("\"{}\"", hint) : "";
}

// Parses operands up to `terminator`, and stops there.
void LayoutParser::parse_operands(std::string_view terminator) {
  const bool is_output = terminator.empty();
  const std::string side = is_output ? "output after '->'" : "input before '->'";
  if (is_at(terminator)) {
    const std::size_t arrow = is_output ? at_ - 1 : at_;
    fail(tokens_[arrow].range, "the layout has no " + side);
  }
  while (true) {
    parse_operand();
    if (is_at(terminator)) return;
    const TextRange close = tokens_[at_ - 1].range;
    if (is_at("(")) {
      fail({close.begin, token().range.end}, "',' is missing between the operands");
    }
    if (!is_at(",")) fail(token().range, "',' is expected after ')', found " + in_quotes(token()));
    const Token comma = token();
    ++at_;
    if (is_at(terminator)) fail(comma.range, "an operand is missing after the comma");
  }
}

void LayoutParser::parse_operand() {
  if (!is_at("(")) fail(token().range, "'(' is expected here, found " + in_quotes(token()));
  ++at_;
  layout_.operands.emplace_back();
  std::optional<Token> comma;
  while (!is_at(")") || comma) {
    check_dimension_begins(comma);
    parse_dimension();
    if (is_at(")")) break;
    if (is_word(token())) fail(token().range, "',' is missing before " + in_quotes(token()));
    if (is_at("") || is_at("->") || is_at("(")) fail(token().range, "')' is missing");
    if (!is_at(","))
      fail(token().range, "',' or ')' is expected here, found " + in_quotes(token()));
    comma = token();
    ++at_;
  }
  ++at_;
}

void LayoutParser::check_dimension_begins(const std::optional<Token>& comma) const {
  if (is_at(",") && comma) {
    fail({comma->range.begin, token().range.end}, "a dimension is missing between the commas");
  }
  if (is_at(",")) fail(token().range, "a dimension is missing before the comma");
  if (is_at(")")) fail(comma->range, "a dimension is missing after the comma");
  if (is_at("") || is_at("->") || is_at("(")) fail(token().range, "')' is missing");
}

void LayoutParser::parse_dimension() {
  const TextRange first = token().range;
  DimensionName name = parse_name();
  ++at_;
  if (is_at("?")) {
    name.is_optional = true;
    ++at_;
  }
  if (is_at("|")) {
    const TextRange bar = token().range;
    ++at_;
    if (!is_at("1")) fail(token().range, "'|' must be followed by 1, found " + in_quotes(token()));
    name.is_broadcastable = true;
    if (name.is_optional) {
      fail({first.begin, token().range.end}, "a dimension is optional or broadcastable, not both");
    }
    const bool is_output = layout_.n_inputs > 0;
    if (is_output) fail({bar.begin, token().range.end}, "'|1' is for inputs only");
    ++at_;
  }
  const TextRange range{first.begin, tokens_[at_ - 1].range.end};
  layout_.operands.back().push_back({add_name(name, range), name.is_broadcastable});
}

DimensionName LayoutParser::parse_name() const {
  const std::string& word = token().word;
  if (is_dimension_name(word)) return {word, -1, false, false};
  if (!is_number(word)) {
    fail(token().range, "a dimension must be a name or a size, found " + in_quotes(token()));
  }
  long size = 0;
  const auto result = std::from_chars(word.data(), word.data() + word.size(), size);
  if (result.ec != std::errc()) fail(token().range, format("the size {} is too large", word));
  if (size == 0) fail(token().range, "a fixed size must be 1 or more, found 0");
  return {std::to_string(size), size, false, false};
}

// The index of a name, new or known; both uses must agree on '?'.
int LayoutParser::add_name(const DimensionName& name, TextRange range) {
  const auto known = std::find_if(layout_.names.begin(), layout_.names.end(),
                                  [&name](const auto& each) { return each.name == name.name; });
  if (known == layout_.names.end()) {
    layout_.names.push_back(name);
    return static_cast<int>(layout_.names.size()) - 1;
  }
  if (known->is_optional != name.is_optional) {
    const std::string here = name.is_optional ? format("'{}?' here, '{}'", name.name, name.name)
                                              : format("'{}' here, '{}?'", name.name, name.name);
    fail(range, here + " before; '?' must be in every place or in none");
  }
  known->is_broadcastable = known->is_broadcastable || name.is_broadcastable;
  return static_cast<int>(known - layout_.names.begin());
}

std::string LayoutParser::numpy_text() const {
  std::string text;
  for (std::size_t i = 0; i < layout_.operands.size(); ++i) {
    if (i > 0) text += i == layout_.n_inputs ? "->" : ",";
    text += layout_.operand_text(i);
  }
  return text;
}

}  // namespace

bool CoreSignature::is_writable(std::size_t operand) const {
  return std::find(writable_inputs.begin(), writable_inputs.end(), operand) !=
         writable_inputs.end();
}

std::string CoreSignature::output_only_name() const {
  std::vector<bool> is_sized;
  for (const DimensionName& name : names) is_sized.push_back(name.frozen_size >= 0);
  for (std::size_t input = 0; input < n_inputs; ++input) {
    for (const CoreDimension& dim : operands[input]) {
      is_sized[static_cast<std::size_t>(dim.name_index)] = true;
    }
  }
  const auto unsized = std::find(is_sized.begin(), is_sized.end(), false);
  if (unsized == is_sized.end()) return "";
  return names[static_cast<std::size_t>(unsized - is_sized.begin())].name;
}

std::string CoreSignature::operand_text(std::size_t operand) const {
  std::string dimensions;
  for (const CoreDimension& dim : operands[operand]) {
    const DimensionName& name = names[static_cast<std::size_t>(dim.name_index)];
    dimensions += (dimensions.empty() ? "" : ",") + name.name + (name.is_optional ? "?" : "");
  }
  return format("({})", dimensions);
}

CoreSignature parse_core_signature(std::string_view text, bool may_lack_outputs) {
  return LayoutParser(text).parse(may_lack_outputs);
}

}  // namespace numpy_plugin::declare
