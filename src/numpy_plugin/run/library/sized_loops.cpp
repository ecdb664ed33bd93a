#include "numpy_plugin/run/library/compiled_code.hpp"

#include <algorithm>
#include <utility>

#include "numpy_plugin/analysis/tree.hpp"
#include "numpy_plugin/kernel/scratch.hpp"
#include "numpy_plugin/run/library/kernel_library.hpp"
#include "numpy_plugin/system/process_end.hpp"

namespace numpy_plugin::run {
namespace {

bool has_sizes_of_calls(const declare::TypedKernel& kernel) {
  if (!kernel.layout) return false;
  const auto& names = kernel.layout->names;
  const auto is_free = [](const declare::DimensionName& name) { return name.frozen_size < 0; };
  const auto is_plain = [](const declare::DimensionName& name) {
    return !name.is_optional && !name.is_broadcastable;
  };
  return std::any_of(names.begin(), names.end(), is_free) &&
         std::all_of(names.begin(), names.end(), is_plain);
}

// Functions' values depend on whether a loop is vectorized, and a compiler that may regroup sums
// chooses by the size.
bool has_one_value(const declare::TypedKernel& kernel, const jit::HostOptions& options) {
  const auto* const python = std::get_if<declare::PythonKernel>(&kernel.body);
  return python != nullptr && python->external_functions.empty() && !python->prints &&
         !declare::has_scratch(*python) && !analysis::traits(kernel).has_vector_math &&
         options.fast_math == base::FastMath{};
}

emit::Program with_sizes(emit::Program program, const SizedVariants::Sizes& sizes) {
  auto& names = program.kernels[0].layout->names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i].frozen_size = sizes[i];
  return program;
}

// In a thread that may be the last one to compute while the process ends.
std::shared_ptr<const ParallelLoop> compile_sized(const emit::Program& program,
                                                  const jit::HostOptions& options,
                                                  const std::optional<LeastWork>& least_work) {
  const emit::Source source = emit::emit_cpu(program);
  auto object = load_compiled(program.name, source, options);
  system::stop_if_process_ends();
  auto* function = reinterpret_cast<LoopFunction*>(object->function(source.entry_points[0]));
  const declare::TypedKernel& kernel = program.kernels[0];
  const auto loop = std::make_shared<const Loop>(
      Loop{kernel, make_parallel_loop(function, kernel, least_work), std::move(object)});
  return {loop, &loop->parallel};
}

}  // namespace

std::shared_ptr<SizedVariants> make_sized_variants(const emit::Program& program,
                                                   const jit::HostOptions& options,
                                                   const std::optional<LeastWork>& least_work) {
  const declare::TypedKernel& kernel = program.kernels[0];
  if (!has_sizes_of_calls(kernel) || !has_one_value(kernel, options)) return nullptr;
  return std::make_shared<SizedVariants>([=](const SizedVariants::Sizes& sizes) {
    return compile_sized(with_sizes(program, sizes), options, least_work);
  });
}

}  // namespace numpy_plugin::run
