// Validates a type signature against a layout: number of operands, and dimensions of each.
#include "numpy_plugin/signature/signature_parse.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "numpy_plugin/base/text.hpp"

namespace numpy_plugin::declare {
namespace {

[[noreturn]] void fail_count(const std::string& subject, std::size_t n_operands,
                             const CoreSignature& layout) {
  const LabelledText source{"layout", layout.text};
  fail_at(source, whole(source),
          format("the layout names {}, {} has {}", base::counted(layout.operands.size(), "operand"),
                 subject, n_operands));
}

// All operands in the layout's order.
std::vector<ParsedType> operands_of(const std::string& subject, const ParsedSignature& parsed,
                                    const CoreSignature& layout) {
  if (parsed.spelling == SignatureSpelling::kBareType) {
    return std::vector<ParsedType>(layout.operands.size(), parsed.outputs.front());
  }
  std::vector<ParsedType> operands = parsed.inputs;
  operands.insert(operands.end(), parsed.outputs.begin(), parsed.outputs.end());
  if (operands.size() != layout.operands.size()) fail_count(subject, operands.size(), layout);
  const bool has_result = parsed.spelling == SignatureSpelling::kResult ||
                          parsed.spelling == SignatureSpelling::kLetters;
  if (has_result && parsed.inputs.size() != layout.n_inputs) {
    const LabelledText source{"layout", layout.text};
    fail_at(source, whole(source),
            format("the layout names {}, {} has {}", base::counted(layout.n_inputs, "input"),
                   subject, parsed.inputs.size()));
  }
  return operands;
}

OperandType resolve_operand(const LabelledText& source, const ParsedType& type,
                            const CoreSignature& layout, std::size_t index) {
  const std::size_t n_core = layout.operands[index].size();
  const bool is_output = index >= layout.n_inputs;
  const int n_dimensions = n_core == 0 && is_output ? 1 : static_cast<int>(n_core);
  if (type.n_dimensions == -1) return {type.dtype, n_dimensions};
  const bool is_array_of_one = n_core == 0 && type.n_dimensions == 1;
  if (is_array_of_one || static_cast<std::size_t>(type.n_dimensions) == n_core) {
    return {type.dtype, is_output ? n_dimensions : type.n_dimensions};
  }
  const auto written = static_cast<std::size_t>(type.n_dimensions);
  fail_at(source, type.range,
          format("operand {} is {} with {}, the layout {} has {}", index + 1,
                 OperandType{type.dtype, type.n_dimensions}.text(),
                 base::counted(written, "dimension"), layout.operand_text(index), n_core),
          OperandType{type.dtype, n_dimensions}.text());
}

}  // namespace

TypeSignature resolve_with_layout(const LabelledText& source, const std::string& subject,
                                  const ParsedSignature& parsed, const CoreSignature& layout) {
  TypeSignature types;
  const std::vector<ParsedType> operands = operands_of(subject, parsed, layout);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    auto& side = i < layout.n_inputs ? types.inputs : types.outputs;
    side.push_back(resolve_operand(source, operands[i], layout, i));
  }
  return types;
}

void take_dimensions(TypeSignature& signature, const CoreSignature& layout) {
  for (std::size_t i = 0; i < layout.operands.size(); ++i) {
    const bool is_output = i >= layout.n_inputs;
    if (is_output && signature.outputs.empty()) return;
    OperandType& operand = is_output ? signature.outputs[i - layout.n_inputs] : signature.inputs[i];
    const int n_core = static_cast<int>(layout.operands[i].size());
    operand.n_dimensions = is_output ? std::max(n_core, 1) : n_core;
  }
}

}  // namespace numpy_plugin::declare
