#include "numpy_plugin/signature/operand_pattern.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <span>
#include <utility>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/signature/signature_parse.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;
using Part = std::span<const Token>;

// C's and CUDA's names, which come before NumPy's: float is 32 bits wide here. long is 64 bits on
// all supported platforms.
constexpr std::pair<std::string_view, DType> kCppTypes[] = {
    {"char", DType::kInt8},
    {"signed char", DType::kInt8},
    {"unsigned char", DType::kUInt8},
    {"short", DType::kInt16},
    {"unsigned short", DType::kUInt16},
    {"int", DType::kInt32},
    {"unsigned", DType::kUInt32},
    {"unsigned int", DType::kUInt32},
    {"long", DType::kInt64},
    {"unsigned long", DType::kUInt64},
    {"long long", DType::kInt64},
    {"unsigned long long", DType::kUInt64},
    {"int8_t", DType::kInt8},
    {"uint8_t", DType::kUInt8},
    {"int16_t", DType::kInt16},
    {"uint16_t", DType::kUInt16},
    {"int32_t", DType::kInt32},
    {"uint32_t", DType::kUInt32},
    {"int64_t", DType::kInt64},
    {"uint64_t", DType::kUInt64},
    {"size_t", DType::kUInt64},
    {"ptrdiff_t", DType::kInt64},
    {"float", DType::kFloat32},
    {"double", DType::kFloat64},
    {"__half", DType::kFloat16},
    {"__nv_bfloat16", DType::kBFloat16},
    {"complex<float>", DType::kComplex64},
    {"complex<double>", DType::kComplex128},
    {"cuComplex", DType::kComplex64},
    {"cuFloatComplex", DType::kComplex64},
    {"cuDoubleComplex", DType::kComplex128},
};

constexpr std::string_view kIgnored[] = {"const", "_non_const", "__restrict__", "restrict"};

bool is_qualifier(const Token& token) {
  return token.word == "raw" || token.word == "*" || base::contains(kIgnored, token.word);
}

// "unsigned int" or "complex<float>": words with spaces, or without spaces and namespaces.
std::string type_text(Part words) {
  const bool is_plain = std::all_of(words.begin(), words.end(), is_word);
  std::string text;
  for (const Token& token : words) {
    if (is_plain && !text.empty()) text += ' ';
    text += token.word;
  }
  const std::size_t colon = text.rfind("::");
  return is_plain || colon == std::string::npos ? text : text.substr(colon + 2);
}

bool is_placeholder(const std::string& type) {
  const auto first = static_cast<unsigned char>(type.front());
  const auto continues = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return (type.size() == 1 ? std::isalpha(first) : std::isupper(first)) != 0 &&
         std::all_of(type.begin(), type.end(), continues);
}

class ParameterParser {
 public:
  explicit ParameterParser(const LabelledText& source) : source_(source) {}

  ListedParameter parse(Part part) const;

 private:
  void check_name(const Token& name) const;
  void set_type(ListedParameter& parameter, Part words) const;

  const LabelledText& source_;
};

void ParameterParser::check_name(const Token& name) const {
  if (!is_word(name)) {
    fail_at(source_, name.range, "a parameter ends with its name, found " + in_quotes(name));
  }
  if (name.word == "i" || name.word.starts_with("_")) {
    fail_at(source_, name.range, in_quotes(name) + " is a reserved name",
            "i is the index, and names with '_' are the kernel's own");
  }
}

void ParameterParser::set_type(ListedParameter& parameter, Part words) const {
  const TextRange range = {words.front().range.begin, words.back().range.end};
  parameter.type = type_text(words);
  const auto* const known =
      std::find_if(std::begin(kCppTypes), std::end(kCppTypes),
                   [&](const auto& row) { return row.first == parameter.type; });
  std::optional<DType> dtype;
  if (known != std::end(kCppTypes)) {
    dtype = known->second;
  } else if (parameter.type.size() > 1) {
    dtype = base::find_dtype(std::string_view(parameter.type));
  }
  parameter.is_placeholder = !dtype && is_placeholder(parameter.type);
  if (parameter.is_placeholder) return;
  if (!dtype && words.size() > 1) {
    fail_at(source_, range, format("unknown type '{}'", parameter.type),
            "a type is a name of C or NumPy, or a placeholder such as T");
  }
  parameter.type = base::name(dtype ? *dtype : dtype_of_name(source_, words.front()));
}

ListedParameter ParameterParser::parse(Part part) const {
  const Token& name = part.back();
  check_name(name);
  ListedParameter parameter{name.word, ""};
  std::vector<Token> words;
  for (const Token& token : part.first(part.size() - 1)) {
    parameter.is_pointer |= token.word == "*";
    parameter.is_const |= token.word == "const";
    parameter.is_raw |= token.word == "*" || token.word == "raw";
    if (!is_qualifier(token)) words.push_back(token);
  }
  if (words.empty()) {
    fail_at(source_, name.range, in_quotes(name) + " has no type", format("\"T {}\"", name.word));
  }
  set_type(parameter, words);
  return parameter;
}

}  // namespace

std::vector<ListedParameter> parse_parameter_list(const LabelledText& source) {
  const std::vector<Token> tokens = tokenize(source.text);
  std::vector<ListedParameter> parameters;
  if (tokens.size() == 1) return parameters;
  const ParameterParser parser(source);
  std::size_t begin = 0;
  for (std::size_t end = 0; end < tokens.size(); ++end) {
    if (tokens[end].word != "," && !tokens[end].word.empty()) continue;
    if (begin == end) fail_at(source, tokens[end].range, "a parameter is missing here");
    parameters.push_back(parser.parse(Part(tokens).subspan(begin, end - begin)));
    begin = end + 1;
  }
  return parameters;
}

}  // namespace numpy_plugin::declare
