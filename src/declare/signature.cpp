// Type signatures of one ufunc: resolved against the layout or the kernel's operands, checked
// against one another, printed.
#include "numpy_plugin/declare/signature.hpp"

#include <algorithm>
#include <utility>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/declare/signature_layout.hpp"
#include "numpy_plugin/declare/signature_parse.hpp"

namespace numpy_plugin::declare {
namespace {

constexpr std::size_t kMaxOperands = 64;  // NPY_MAXARGS of NumPy 2

std::string list_text(const std::vector<OperandType>& operands) {
  std::string text;
  for (const OperandType& operand : operands) {
    text += (text.empty() ? "" : ", ") + operand.text();
  }
  return text;
}

OperandType operand_of(const ParsedType& parsed) { return {parsed.dtype, parsed.n_dimensions}; }

TypeSignature types_of(const ParsedSignature& parsed) {
  TypeSignature types;
  for (const ParsedType& type : parsed.inputs) types.inputs.push_back(operand_of(type));
  for (const ParsedType& type : parsed.outputs) types.outputs.push_back(operand_of(type));
  return types;
}

// A bare type stands for every operand and result.
TypeSignature repeat(const ParsedType& type, const OperandCounts& counts) {
  const OperandType operand = operand_of(type);
  return {std::vector<OperandType>(counts.n_inputs, operand),
          std::vector<OperandType>(counts.n_outputs, operand)};
}

void check_is_scalar(const LabelledText& source, const ParsedType& type, const std::string& what) {
  if (type.n_dimensions <= 0) return;
  const std::string text = operand_of(type).text();
  fail_at(source, type.range, what + " is " + text + "; arrays are for guvectorize",
          "\"" + std::string(base::name(type.dtype)) + "\", or npp.guvectorize with a layout");
}

void check_scalars(const LabelledText& source, const ParsedSignature& parsed) {
  for (std::size_t i = 0; i < parsed.inputs.size(); ++i) {
    check_is_scalar(source, parsed.inputs[i], "operand " + std::to_string(i + 1));
  }
  for (const ParsedType& type : parsed.outputs) check_is_scalar(source, type, "a result");
}

// Of a ufunc without core dimensions.
TypeSignature resolve_scalars(const LabelledText& source, const ParsedSignature& parsed,
                              const std::optional<OperandCounts>& counts) {
  if (parsed.spelling == SignatureSpelling::kVoid) {
    const std::string result(base::name(parsed.inputs.front().dtype));
    fail_at(source, {whole(source).begin, whole(source).begin + 4},
            "a vectorize kernel returns its result, found void",
            "write the result's type, such as " + result + ", or use npp.guvectorize");
  }
  TypeSignature types = types_of(parsed);
  if (parsed.spelling == SignatureSpelling::kBareType) {
    if (!counts) {
      const std::string name(base::name(parsed.outputs.front().dtype));
      fail_at(source, whole(source), "a bare type does not say how many operands there are",
              "\"" + name + "(" + name + ")\"");
    }
    types = repeat(parsed.outputs.front(), *counts);
  }
  check_scalars(source, parsed);
  for (OperandType& operand : types.inputs) operand.n_dimensions = 0;
  for (OperandType& operand : types.outputs) operand.n_dimensions = 0;
  return types;
}

void check_count(const LabelledText& source, const TypeSignature& types) {
  const std::size_t n_operands = types.inputs.size() + types.outputs.size();
  if (n_operands <= kMaxOperands) return;
  fail_at(source, whole(source),
          std::to_string(n_operands) + " operands and results; a ufunc has at most " +
              std::to_string(kMaxOperands));
}

void check_same_counts(const LabelledText& source, const TypeSignature& types,
                       const TypeSignature& first) {
  const auto check = [&source](std::size_t count, std::size_t expected, const std::string& noun) {
    if (count == expected) return;
    fail_at(source, whole(source),
            source.label + " has " + base::counted(count, noun) + ", signature 1 has " +
                std::to_string(expected));
  };
  check(types.inputs.size(), first.inputs.size(), "operand");
  check(types.outputs.size(), first.outputs.size(), "result");
}

LabelledText labelled(const std::vector<std::string>& texts, std::size_t index) {
  return {"signature " + std::to_string(index + 1), texts[index]};
}

// One signature a text, in their order.
std::vector<TypeSignature> resolve_all(const std::vector<std::string>& texts,
                                       const std::optional<CoreSignature>& layout,
                                       const std::optional<OperandCounts>& counts) {
  std::vector<TypeSignature> all;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const LabelledText source = labelled(texts, i);
    const ParsedSignature parsed = parse_signature_text(source);
    if (layout) {
      const std::string subject = texts.size() == 1 ? "the signature" : source.label;
      all.push_back(resolve_with_layout(source, subject, parsed, *layout));
    } else {
      all.push_back(resolve_scalars(source, parsed, counts));
    }
    check_count(source, all.back());
    check_same_counts(source, all.back(), all.front());
  }
  return all;
}

}  // namespace

std::string OperandType::text() const {
  std::string text(base::name(dtype));
  if (n_dimensions == 0) return text;
  text += "[:";
  for (int dim = 1; dim < n_dimensions; ++dim) text += ",:";
  return text + "]";
}

std::string TypeSignature::numpy_types() const {
  std::string text;
  for (const OperandType& operand : inputs) text += base::info(operand.dtype).numpy_character;
  text += "->";
  for (const OperandType& operand : outputs) text += base::info(operand.dtype).numpy_character;
  return text;
}

std::string TypeSignature::text() const {
  const auto is_array = [](const OperandType& operand) { return operand.n_dimensions > 0; };
  if (!outputs.empty() && !std::any_of(outputs.begin(), outputs.end(), is_array)) {
    return list_text(outputs) + "(" + list_text(inputs) + ")";
  }
  std::vector<OperandType> operands = inputs;
  operands.insert(operands.end(), outputs.begin(), outputs.end());
  return "void(" + list_text(operands) + ")";
}

std::vector<TypeSignature> parse_type_signatures(const std::vector<std::string>& texts,
                                                 const std::optional<CoreSignature>& layout,
                                                 const std::optional<OperandCounts>& counts) {
  if (texts.empty()) {
    fail_at({"signatures", ""}, {}, "the list of signatures is empty",
            "leave it out to compile for the types of each call");
  }
  std::vector<TypeSignature> distinct;
  for (TypeSignature& types : resolve_all(texts, layout, counts)) {
    const bool is_new = std::find(distinct.begin(), distinct.end(), types) == distinct.end();
    if (is_new) distinct.push_back(std::move(types));
  }
  return distinct;
}

std::vector<OperandType> parse_device_kernel_signature(const std::string& text) {
  const LabelledText source{"signature", text};
  const ParsedSignature parsed = parse_signature_text(source);
  if (parsed.spelling != SignatureSpelling::kVoid) {
    fail_at(source, whole(source), "a device kernel returns nothing",
            "\"void(float32[:], int64)\"");
  }
  std::vector<OperandType> parameters;
  for (const ParsedType& type : parsed.inputs)
    parameters.push_back({type.dtype, type.n_dimensions});
  return parameters;
}

std::vector<std::string> duplicate_signature_warnings(const std::vector<std::string>& texts,
                                                      const std::optional<CoreSignature>& layout,
                                                      const std::optional<OperandCounts>& counts) {
  const std::vector<TypeSignature> all = resolve_all(texts, layout, counts);
  std::vector<std::string> warnings;
  for (auto types = all.begin(); types != all.end(); ++types) {
    const auto first = std::find(all.begin(), types, *types);
    if (first == types) continue;
    const LabelledText source = labelled(texts, static_cast<std::size_t>(types - all.begin()));
    warnings.push_back(text_with_underline(
        source, whole(source),
        source.label + " is the same as signature " + std::to_string(first - all.begin() + 1)));
  }
  return warnings;
}

}  // namespace numpy_plugin::declare
