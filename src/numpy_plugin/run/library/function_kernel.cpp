#include "numpy_plugin/run/library/function_kernel.hpp"

#include <algorithm>

#include "numpy_plugin/emit/source/emit.hpp"
#include "numpy_plugin/kernel/kernel.hpp"
#include "numpy_plugin/kernel/visits.hpp"

namespace numpy_plugin::run {
namespace {

bool syncs_grid(const declare::Function& function) {
  bool found = false;
  declare::visit_expressions(function.body, [&found](const declare::Expression& expression) {
    found |=
        expression.kind == declare::ExpressionKind::kThread &&
        declare::detail<declare::ThreadFunction>(expression) == declare::ThreadFunction::kSyncGrid;
  });
  return found;
}

bool syncs_grid(const declare::PythonKernel& kernel) {
  return syncs_grid(kernel.function) ||
         std::any_of(kernel.device_functions.begin(), kernel.device_functions.end(),
                     [](const declare::Function& function) { return syncs_grid(function); });
}

}  // namespace

std::shared_ptr<RawKernel> FunctionKernel::typed_for(
    const std::vector<declare::OperandType>& parameters) {
  const system::ForkHold hold;
  const std::lock_guard lock(mutex_);
  std::shared_ptr<RawKernel>& kernel = kernels_[declare::TypeSignature{parameters, {}}.text()];
  if (kernel == nullptr) kernel = make(parameters);
  return kernel;
}

std::shared_ptr<RawKernel> FunctionKernel::make(
    const std::vector<declare::OperandType>& parameters) {
  const declare::FrontEndResult typed = declare::type_device_kernel(function_, parameters);
  for (const declare::Diagnostic& warning : typed.warnings) {
    warnings_.push_back(declare::make_warning(warning, typed.sources));
  }
  emit::Source source =
      emit::emit_device_kernel({name(), {typed.kernel}, declare::MathMode::kVector, ""});
  const bool can_raise = declare::can_raise(typed.kernel);
  jit::CudaText text = {std::move(source.text),
                        source.entry_points.front(),
                        options_,
                        name(),
                        parameters,
                        can_raise,
                        std::move(source.sources),
                        std::move(source.linked)};
  text.syncs_grid = syncs_grid(std::get<declare::PythonKernel>(typed.kernel.body));
  if (!can_raise) return std::make_shared<RawKernel>(std::move(text));
  return std::make_shared<RawKernel>(std::move(text),
                                     std::make_shared<const declare::PythonKernel>(
                                         std::get<declare::PythonKernel>(typed.kernel.body)));
}

std::vector<declare::KernelWarning> FunctionKernel::take_warnings() {
  const std::lock_guard lock(mutex_);
  return std::exchange(warnings_, {});
}

}  // namespace numpy_plugin::run
