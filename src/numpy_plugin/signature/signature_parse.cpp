// Recursive-descent parser for the tokens of one type signature.
#include "numpy_plugin/signature/signature_parse.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "numpy_plugin/base/format.hpp"

namespace numpy_plugin::declare {
namespace {

// An example with the user's own type, where the text names one.
std::string example(const std::vector<Token>& tokens) {
  std::string name = "float32";
  for (const Token& token : tokens) {
    if (const auto dtype = base::find_dtype(std::string_view(token.word))) {
      name = base::name(*dtype);
      break;
    }
  }
  return format("\"{}({})\"", name, name);
}

class SignatureParser {
 public:
  explicit SignatureParser(const LabelledText& source)
      : source_(source), tokens_(tokenize(source.text)) {}

  ParsedSignature parse();

 private:
  const Token& token() const { return tokens_[at_]; }
  bool is_at(std::string_view word) const { return token().word == word; }
  [[noreturn]] void fail(TextRange range, const std::string& message) const {
    fail_at(source_, range, message);
  }
  std::size_t count(std::string_view word) const;

  void check_brackets() const;
  [[noreturn]] void fail_form() const;
  ParsedSignature parse_operands(std::string_view terminator);
  void check_end();
  ParsedSignature parse_letters();
  std::vector<ParsedType> parse_letters_between(std::size_t begin, std::size_t end) const;
  std::vector<ParsedType> parse_types(std::string_view terminator, const std::string& noun);
  void check_type_begins(const std::optional<Token>& comma, std::string_view terminator,
                         const std::string& noun) const;
  ParsedType parse_type();
  bool has_unit() const;
  base::DType parse_unit();
  int parse_dimensions();

  const LabelledText& source_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  bool may_end_with_comma_ = false;
};

std::size_t SignatureParser::count(std::string_view word) const {
  return static_cast<std::size_t>(std::count_if(
      tokens_.begin(), tokens_.end(), [word](const Token& each) { return each.word == word; }));
}

void SignatureParser::check_brackets() const {
  int depth = 0;
  for (const Token& each : tokens_) {
    if (each.word == "(") ++depth;
    if (each.word == ")" && --depth < 0) fail(each.range, "')' has no '('");
  }
  if (depth > 0) fail(whole(source_), "')' is missing");
}

void SignatureParser::fail_form() const {
  const TextRange range = whole(source_);
  const std::string text = source_.text.substr(range.begin, range.end - range.begin);
  fail_at(source_, range, format("a signature is result(operands), found '{}'", text),
          example(tokens_));
}

ParsedSignature SignatureParser::parse() {
  if (tokens_.size() == 1) {
    fail_at({source_.label, "", source_.item}, kWholeArgument, source_.label + " is empty",
            example(tokens_));
  }
  if (count("->") > 0) return parse_letters();
  check_brackets();
  if (count("(") == 0 && count(",") > 0) return parse_operands("");
  if (is_at("(") && count("(") == 1) {
    ++at_;
    return parse_operands(")");
  }
  if (count("(") == 0) {
    ParsedType type = parse_type();
    if (!is_at("") || type.n_dimensions > 0) fail_form();
    type.n_dimensions = -1;
    return {SignatureSpelling::kBareType, {}, {type}};
  }

  ParsedSignature parsed{SignatureSpelling::kResult, {}, {}};
  if (is_at("void") && tokens_[at_ + 1].word == "(") {
    parsed.spelling = SignatureSpelling::kVoid;
    ++at_;
  } else if (is_at("(")) {
    ++at_;
    parsed.outputs = parse_types(")", "result");
    ++at_;
  } else {
    parsed.outputs = parse_types("(", "result");
  }
  if (!is_at("(")) fail(token().range, "'(' is expected here, found " + in_quotes(token()));
  ++at_;
  parsed.inputs = parse_types(")", "operand");
  check_end();
  return parsed;
}

// A tuple of types as Python writes it: a comma may follow the last one.
ParsedSignature SignatureParser::parse_operands(std::string_view terminator) {
  may_end_with_comma_ = true;
  ParsedSignature parsed{SignatureSpelling::kOperands, parse_types(terminator, "operand"), {}};
  if (!terminator.empty()) check_end();
  return parsed;
}

// Checks that nothing follows the closing bracket.
void SignatureParser::check_end() {
  ++at_;
  if (!is_at("")) fail(token().range, "nothing can follow ')', found " + in_quotes(token()));
}

ParsedSignature SignatureParser::parse_letters() {
  const auto is_arrow = [](const Token& each) { return each.word == "->"; };
  const auto arrow = std::find_if(tokens_.begin(), tokens_.end(), is_arrow);
  const auto second = std::find_if(arrow + 1, tokens_.end(), is_arrow);
  if (second != tokens_.end()) fail(second->range, "'->' appears twice");
  for (const Token& each : tokens_) {
    const bool is_name =
        each.word.size() > 1 && base::find_dtype(std::string_view(each.word)).has_value();
    const bool is_letters = is_word(each) || each.word == "?" || each.word.empty();
    if (is_arrow(each) || (is_letters && !is_name)) continue;
    const TextRange all{tokens_.front().range.begin, tokens_.back().range.end};
    fail_at(source_, is_name ? all : each.range,
            "'->' signatures use one character per type, found " + in_quotes(each),
            is_name ? example(tokens_) : "\"dd->d\"");
  }
  ParsedSignature parsed{SignatureSpelling::kLetters, {}, {}};
  parsed.inputs = parse_letters_between(0, arrow->range.begin);
  parsed.outputs = parse_letters_between(arrow->range.end, source_.text.size());
  if (parsed.inputs.empty()) fail(arrow->range, "the signature has no operand before '->'");
  if (parsed.outputs.empty()) fail(arrow->range, "the signature has no result after '->'");
  return parsed;
}

std::vector<ParsedType> SignatureParser::parse_letters_between(std::size_t begin,
                                                               std::size_t end) const {
  std::vector<ParsedType> types;
  for (const Token& each : tokens_) {
    if (each.range.begin < begin || each.range.end > end) continue;
    for (std::size_t at = each.range.begin; at < each.range.end; ++at) {
      types.push_back({dtype_of_letter(source_, at), -1, {at, at + 1}});
    }
  }
  return types;
}

// Parses types up to `terminator`, and stops there.
std::vector<ParsedType> SignatureParser::parse_types(std::string_view terminator,
                                                     const std::string& noun) {
  std::vector<ParsedType> types;
  std::optional<Token> comma;
  while (true) {
    check_type_begins(comma, terminator, noun);
    types.push_back(parse_type());
    if (is_at(terminator)) return types;
    if (is_word(token())) {
      fail({types.back().range.begin, token().range.end},
           format("',' is missing between the {}s", noun));
    }
    if (!is_at(","))
      fail(token().range,
           format("',' or '{}' is expected here, found {}", terminator, in_quotes(token())));
    comma = token();
    ++at_;
    if (may_end_with_comma_ && is_at(terminator)) return types;
  }
}

void SignatureParser::check_type_begins(const std::optional<Token>& comma,
                                        std::string_view terminator,
                                        const std::string& noun) const {
  const std::string article = noun == "operand" ? "an " : "a ";
  const std::string missing = article + noun + " is missing ";
  if (is_at(",") && comma) {
    fail({comma->range.begin, token().range.end}, missing + "between the commas");
  }
  if (is_at(",")) fail(token().range, missing + "before the comma");
  if (is_at(terminator) && comma) fail(comma->range, missing + "after the comma");
  if (is_at(terminator)) fail(whole(source_), "the signature has no " + noun);
}

ParsedType SignatureParser::parse_type() {
  if (!is_word(token()))
    fail(token().range, "a type is expected here, found " + in_quotes(token()));
  const TextRange name = token().range;
  base::DType dtype = dtype_of_name(source_, token());
  if (is_time_name(token().word) && has_unit()) dtype = parse_unit();
  ++at_;
  if (!is_at("[")) return {dtype, 0, name};
  const int n_dimensions = parse_dimensions();
  return {dtype, n_dimensions, {name.begin, tokens_[at_ - 1].range.end}};
}

// Whether brackets with a unit follow the name: datetime64[s], not datetime64[:].
bool SignatureParser::has_unit() const {
  return tokens_[at_ + 1].word == "[" && is_word(tokens_[at_ + 2]);
}

// [s], of which ']' is the current token then.
base::DType SignatureParser::parse_unit() {
  const std::string name = token().word;
  at_ += 2;
  const Token unit = token();
  ++at_;
  if (!is_at("]")) fail(unit.range, "']' is missing after the unit of time");
  return dtype_of_time(source_, name, unit);
}

// [:,:], and Numba's [:,::1], whose contiguity is not enforced here.
int SignatureParser::parse_dimensions() {
  const TextRange open = token().range;
  int n_dimensions = 0;
  do {
    ++at_;
    if (is_at("")) fail({open.begin, token().range.end}, "']' is missing");
    if (!is_at(":")) fail(token().range, "a dimension must be ':', found " + in_quotes(token()));
    ++at_;
    ++n_dimensions;
    if (is_at(":") && tokens_[at_ + 1].word == "1") at_ += 2;
  } while (is_at(","));
  if (is_at("]")) {
    ++at_;
    return n_dimensions;
  }
  if (is_at("") || is_at(")")) fail({open.begin, token().range.begin}, "']' is missing");
  fail(token().range, "',' or ']' is expected here, found " + in_quotes(token()));
}

}  // namespace

ParsedSignature parse_signature_text(const LabelledText& source) {
  return SignatureParser(source).parse();
}

}  // namespace numpy_plugin::declare
