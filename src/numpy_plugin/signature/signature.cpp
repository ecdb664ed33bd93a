// Type signatures of one ufunc: resolved against the layout or the kernel's operands, validated
// together, printed.
#include "numpy_plugin/signature/signature.hpp"

#include <algorithm>
#include <utility>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/signature/signature_parse.hpp"

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

// A bare type applies to every operand and result.
TypeSignature repeat(const ParsedType& type, const OperandCounts& counts) {
  const OperandType operand = operand_of(type);
  return {std::vector<OperandType>(counts.n_inputs, operand),
          std::vector<OperandType>(counts.n_outputs, operand)};
}

void check_is_scalar(const LabelledText& source, const ParsedType& type, const std::string& what) {
  if (type.n_dimensions <= 0) return;
  const std::string text = operand_of(type).text();
  fail_at(source, type.range, format("{} is {}; arrays are for guvectorize", what, text),
          format("\"{}\", or npp.guvectorize with a layout", base::name(type.dtype)));
}

void check_scalars(const LabelledText& source, const ParsedSignature& parsed) {
  for (std::size_t i = 0; i < parsed.inputs.size(); ++i) {
    check_is_scalar(source, parsed.inputs[i], format("operand {}", i + 1));
  }
  for (const ParsedType& type : parsed.outputs) check_is_scalar(source, type, "a result");
}

// For a ufunc without core dimensions.
TypeSignature resolve_scalars(const LabelledText& source, const ParsedSignature& parsed,
                              const std::optional<OperandCounts>& counts) {
  if (parsed.spelling == SignatureSpelling::kVoid) {
    const std::string result(base::name(parsed.inputs.front().dtype));
    fail_at(source, {whole(source).begin, whole(source).begin + 4},
            "a vectorize kernel returns its result, found void",
            format("write the result's type, such as {}, or use npp.guvectorize", result));
  }
  TypeSignature types = types_of(parsed);
  if (parsed.spelling == SignatureSpelling::kBareType) {
    if (!counts) {
      const std::string name(base::name(parsed.outputs.front().dtype));
      fail_at(source, whole(source), "a bare type does not determine the number of operands",
              format("\"{}({})\"", name, name));
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
  fail_at({source.label, "", source.item}, kWholeArgument,
          format("{} operands and results; a ufunc has at most {}", n_operands, kMaxOperands));
}

// A signature and its number, for messages about other ones.
struct NumberedSignature {
  TypeSignature types;
  std::size_t number;
};

void check_same_counts(const LabelledText& source, const TypeSignature& types,
                       const NumberedSignature& first) {
  const auto check = [&](std::size_t count, std::size_t expected, const std::string& noun) {
    if (count == expected) return;
    fail_at(source, kWholeArgument,
            format("{} has {}, signature {} has {}", source.label, base::counted(count, noun),
                   first.number, expected));
  };
  check(types.inputs.size(), first.types.inputs.size(), "operand");
  if (types.outputs.empty() || first.types.outputs.empty()) return;  // inferred later
  check(types.outputs.size(), first.types.outputs.size(), "result");
}

LabelledText labelled(const std::vector<std::string>& texts, std::size_t index) {
  return {format("signature {}", index + 1), texts[index], static_cast<int>(index)};
}

TypeSignature resolve(const LabelledText& source, const ParsedSignature& parsed, bool is_only,
                      const std::optional<CoreSignature>& layout,
                      const std::optional<OperandCounts>& counts) {
  TypeSignature types =
      layout
          ? resolve_with_layout(source, is_only ? "the signature" : source.label, parsed, *layout)
          : resolve_scalars(source, parsed, counts);
  check_count(source, types);
  return types;
}

void check_is_not_empty(const std::vector<std::string>& texts) {
  if (!texts.empty()) return;
  fail_at({"signatures", ""}, kWholeArgument, "the list of signatures is empty",
          "leave it out to compile for the types of each call");
}

// One signature per text, in their order.
std::vector<TypeSignature> resolve_all(const std::vector<std::string>& texts,
                                       const std::optional<CoreSignature>& layout,
                                       const std::optional<OperandCounts>& counts) {
  check_is_not_empty(texts);
  std::vector<TypeSignature> all;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const LabelledText source = labelled(texts, i);
    const ParsedSignature parsed = parse_signature_text(source);
    all.push_back(resolve(source, parsed, texts.size() == 1, layout, counts));
    check_same_counts(source, all.back(), {all.front(), 1});
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
    return format("{}({})", list_text(outputs), list_text(inputs));
  }
  std::vector<OperandType> operands = inputs;
  operands.insert(operands.end(), outputs.begin(), outputs.end());
  return format("void({})", list_text(operands));
}

std::vector<TypeSignature> parse_type_signatures(const std::vector<std::string>& texts,
                                                 const std::optional<CoreSignature>& layout,
                                                 const std::optional<OperandCounts>& counts) {
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
  if (parsed.spelling != SignatureSpelling::kVoid &&
      parsed.spelling != SignatureSpelling::kOperands) {
    const std::size_t bracket = text.find('(');
    const bool has_parameters =
        bracket != std::string::npos && text.find("->") == std::string::npos;
    const std::string parameters = has_parameters ? text.substr(bracket) : "(float32[:], int64)";
    fail_at(source, whole(source), "a device kernel returns nothing",
            format("\"void{}\"", parameters));
  }
  std::vector<OperandType> parameters;
  for (const ParsedType& type : parsed.inputs) {
    parameters.push_back({type.dtype, type.n_dimensions});
    if (has_open_units({parameters, {}})) {
      fail_at(source, type.range, "a device kernel's dates and durations need a unit",
              format("\"{}[s]\", or leave the signature out", base::name(type.dtype)));
    }
  }
  return parameters;
}

std::vector<ArgumentMistake> check_type_signatures(const std::vector<std::string>& texts,
                                                   const std::optional<CoreSignature>& layout) {
  check_is_not_empty(texts);
  std::vector<ArgumentMistake> duplicates;
  std::vector<NumberedSignature> earlier;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const LabelledText source = labelled(texts, i);
    const ParsedSignature parsed = parse_signature_text(source);
    if (parsed.spelling == SignatureSpelling::kBareType && !layout) continue;
    TypeSignature types = resolve(source, parsed, texts.size() == 1, layout, std::nullopt);
    if (!earlier.empty()) check_same_counts(source, types, earlier.front());
    const auto same = std::find_if(earlier.begin(), earlier.end(),
                                   [&types](const auto& each) { return each.types == types; });
    if (same == earlier.end()) {
      earlier.push_back({std::move(types), i + 1});
      continue;
    }
    const std::string message =
        format("{} is the same as signature {}", source.label, same->number);
    duplicates.push_back({message, "", source, kWholeArgument});
  }
  return duplicates;
}

}  // namespace numpy_plugin::declare
