#include "numpy_plugin/run/library/function_kernel.hpp"

#include <utility>

#include "numpy_plugin/cpp_body/cpp_body.hpp"
#include "numpy_plugin/emit/source/emit.hpp"

namespace numpy_plugin::run {

declare::DeclarationText host_declaration(const declare::IndexedOperation& operation) {
  declare::CppBody body = declare::make_indexed_body(operation);
  declare::DeclarationText text;
  text.name = body.name;
  text.target = "cpu";
  text.preamble = operation.preamble;
  text.signatures = {declare::TypeSignature{declare::argument_types(operation), {}}.text()};
  text.layout = declare::indexed_layout(operation);
  text.writable_args = declare::writable_arguments(operation);
  text.body = std::move(body.body);
  text.input_names = std::move(body.input_names);
  text.aliases = std::move(body.aliases);
  text.before = std::move(body.before);
  text.after = std::move(body.after);
  return text;
}

std::shared_ptr<RawKernel> device_kernel(const declare::IndexedOperation& operation,
                                         const std::vector<std::string>& options) {
  declare::check_preamble(operation.name, operation.preamble);
  const std::vector<declare::OperandType> types = declare::argument_types(operation);
  declare::TypedKernel kernel =
      declare::type_cpp_kernel(declare::make_indexed_body(operation), {types, {}}, std::nullopt);
  emit::Source source = emit::emit_device_kernel(
      {operation.name, {std::move(kernel)}, declare::MathMode::kVector, operation.preamble});
  return std::make_shared<RawKernel>(jit::CudaText{std::move(source.text),
                                                   source.entry_points.front(),
                                                   options,
                                                   operation.name,
                                                   types,
                                                   false,
                                                   std::move(source.sources),
                                                   {},
                                                   std::move(source.user_text)});
}

}  // namespace numpy_plugin::run
