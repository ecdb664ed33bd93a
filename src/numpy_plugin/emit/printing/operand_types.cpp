// Operands as scalars, or as npp::Array with the layout's dimensions.
#include "numpy_plugin/emit/printing/cpp_text.hpp"

namespace numpy_plugin::emit {
namespace {

std::string dimension(const declare::CoreSignature& layout, const declare::CoreDimension& core) {
  const long frozen = layout.names.at(static_cast<std::size_t>(core.name_index)).frozen_size;
  return format("npp::Dim<{}{}>", core.name_index, frozen < 0 ? "" : format(", {}", frozen));
}

std::string array_type(const std::string& element, const declare::CoreSignature& layout,
                       const std::vector<declare::CoreDimension>& dimensions) {
  std::string result = "npp::Array<" + element;
  for (const declare::CoreDimension& core : dimensions) result += ", " + dimension(layout, core);
  if (dimensions.empty()) result += ", npp::One";
  return result + ">";
}

}  // namespace

std::vector<std::string> element_types(const std::vector<declare::OperandType>& operands) {
  std::vector<std::string> types;
  for (const declare::OperandType& operand : operands)
    types.emplace_back(base::info(operand.dtype).cpp_name);
  return types;
}

std::vector<std::string> view_types(const std::vector<declare::OperandType>& operands) {
  std::vector<std::string> types = element_types(operands);
  for (std::size_t i = 0; i < types.size(); ++i) {
    const int n_dimensions = operands[i].n_dimensions;
    if (n_dimensions > 0) types[i] = format("const npp::View<{}, {}>", types[i], n_dimensions);
  }
  return types;
}

std::vector<std::string> generalized_types(const declare::TypedKernel& kernel) {
  const declare::CoreSignature& layout = *kernel.layout;
  std::vector<std::string> types;
  for (const declare::OperandType& input : kernel.signature.inputs) {
    const auto& dimensions = layout.operands.at(types.size());
    const std::string element(base::info(input.dtype).cpp_name);
    // "float64[:]" for an input without core dimensions: the kernel reads it as a[0].
    const bool is_array = !dimensions.empty() || input.n_dimensions > 0;
    const std::string item = (layout.is_writable(types.size()) ? "" : "const ") + element;
    types.push_back(is_array ? array_type(item, layout, dimensions) : element);
  }
  for (const std::string& element : element_types(kernel.signature.outputs))
    types.push_back(array_type(element, layout, layout.operands.at(types.size())));
  return types;
}

}  // namespace numpy_plugin::emit
