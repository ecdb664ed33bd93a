// Obstacles to staging, in the order of a user's likely questions.
#include "numpy_plugin/analysis/generalized_kernel.hpp"

namespace numpy_plugin::analysis {
namespace {

// Limit for all core arrays of an item: 128 items then take 32 KiB of shared memory, and several
// blocks fit on a multiprocessor.
constexpr long kMaxItemBytes = 256;

long n_elements(const declare::CoreSignature& layout, std::size_t operand) {
  long product = 1;
  for (const declare::CoreDimension& dimension : layout.operands[operand])
    product *= layout.names[static_cast<std::size_t>(dimension.name_index)].frozen_size;
  return product;
}

long item_bytes(const declare::TypedKernel& kernel) {
  const auto& [inputs, outputs] = kernel.signature;
  long total = 0;
  for (std::size_t i = 0; i < kernel.layout->operands.size(); ++i) {
    const auto& operand = i < inputs.size() ? inputs[i] : outputs[i - inputs.size()];
    total += n_elements(*kernel.layout, i) * static_cast<long>(base::info(operand.dtype).n_bytes);
  }
  return total;
}

}  // namespace

std::string staging_obstacle(const declare::TypedKernel& kernel) {
  const declare::CoreSignature& layout = *kernel.layout;
  for (const declare::DimensionName& name : layout.names)
    if (name.frozen_size < 0)
      return format("the size of '{}' is known only at the call", name.name);
  if (layout.names.empty()) return "there are no core dimensions";
  if (!layout.writable_inputs.empty()) return "it writes inputs in place";
  if (item_bytes(kernel) > kMaxItemBytes)
    return format("an item has {} bytes, more than {}", item_bytes(kernel), kMaxItemBytes);
  const auto* const python = std::get_if<declare::PythonKernel>(&kernel.body);
  if (python == nullptr) return "a C++ body is not analyzed";
  if (!python->exceptions.empty()) return "the kernel can raise";
  if (python->prints) return "the kernel prints";
  for (std::size_t i = layout.n_inputs; i < layout.operands.size(); ++i)
    if (!is_wholly_written(kernel, static_cast<int>(i)))
      return format("not every element of '{}' is known to be written before it is read",
                    python->function.locals[i].name);
  return "";
}

}  // namespace numpy_plugin::analysis
