#include "numpy_plugin/run/function_kernel.hpp"

#include "numpy_plugin/emit/emit.hpp"

namespace numpy_plugin::run {

std::shared_ptr<RawKernel> FunctionKernel::typed_for(
    const std::vector<declare::OperandType>& parameters) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<RawKernel>& kernel = kernels_[declare::TypeSignature{parameters, {}}.text()];
  if (kernel == nullptr) kernel = make(parameters);
  return kernel;
}

std::shared_ptr<RawKernel> FunctionKernel::make(
    const std::vector<declare::OperandType>& parameters) {
  const declare::FrontEndResult typed = declare::type_device_kernel(function_, parameters);
  for (const declare::Diagnostic& warning : typed.warnings) {
    warnings_.push_back(make_warning(warning, typed.sources));
  }
  emit::Source source =
      emit::emit_device_kernel({name(), {typed.kernel}, emit::MathMode::kVector, ""});
  return std::make_shared<RawKernel>(jit::CudaText{std::move(source.text),
                                                   source.entry_points.front(), options_, name(),
                                                   parameters, std::move(source.linked)});
}

std::vector<KernelWarning> FunctionKernel::take_warnings() {
  const std::lock_guard lock(mutex_);
  return std::exchange(warnings_, {});
}

}  // namespace numpy_plugin::run
