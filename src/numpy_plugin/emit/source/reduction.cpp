// Translation unit for NVRTC: a device kernel of a ufunc's reduction.
#include <string>
#include <vector>

#include "numpy_plugin/analysis/reduce_form.hpp"
#include "numpy_plugin/analysis/scratch/scratch_sizes.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/emit/printing/kernel_struct.hpp"
#include "numpy_plugin/emit/printing/user_code.hpp"
#include "numpy_plugin/emit/source/emit.hpp"
#include "numpy_plugin/emit/source/source_parts.hpp"
#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::emit {
namespace {

std::string cpp_name(base::DType dtype) { return std::string(base::info(dtype).cpp_name); }

std::string reduction_instance(const analysis::ReduceForm& form, const std::string& entry_point,
                               bool can_raise) {
  const analysis::ReduceLaunchInfo& row = analysis::info(form.launch);
  std::vector<std::string> arguments = {entry_point};
  if (!row.option.empty()) arguments.emplace_back(row.option);
  arguments.insert(arguments.end(),
                   {"Reduction0", form.is_wide ? "npp::Wide" : "npp::Narrow",
                    form.is_masked ? "npp::Mask::kGiven" : "npp::Mask::kNone",
                    std::to_string(form.n_dimensions), std::to_string(form.n_reduced)});
  return format("{}{}_KERNEL({})\n", can_raise ? "NPP_RAISING_" : "NPP_", row.macro,
                base::join(arguments, ", "));
}

std::string include_of(const std::string& header) {
  return format("#include \"npp/reduce/{}.hpp\"\n", header);
}

// Everything but the reduction's type: the kernels' structs, in order.
Source with_kernels(const Program& program, const analysis::ReduceForm& form,
                    const std::string& header) {
  Source source;
  source.target = Target::kCuda;
  source.name = format("{}.{}", program.name, analysis::method_name(form.launch));
  source.subject = base::quoted(source.name);
  source.user_text = user_text(program, Target::kCuda);
  const ExternalFunctions external = print_external_functions(program, Target::kCuda);
  source.linked = program.linked;
  source.linked.insert(source.linked.end(), external.linked.begin(), external.linked.end());
  source.sources = labelled_sources(program);
  source.entry_points = {format("npp_reduce_{}_0", analysis::info(form.launch).name)};
  source.launch_shapes.emplace_back();
  source.text = print_reproducible(program) +
                include_of(std::string(analysis::info(form.launch).header)) + include_of(header) +
                print_template_includes(program) + print_body_include(program, Target::kCuda) +
                "\n" + print_preamble(program.name, program.preamble) + external.text;
  KernelStructPrinter kernels(external, /*has_lines=*/true);
  for (std::size_t i = 0; i < program.kernels.size(); ++i) {
    analysis::require_device_scratch(program.kernels[i]);
    source.text += kernels.print(program.kernels[i], kernel_struct_name(i)) + "\n";
  }
  return source;
}

}  // namespace

Source emit_reduction(const Program& program, const analysis::ReduceForm& form) {
  NPP_ASSERT(program.kernels.size() == 1, program.name);
  Source source = with_kernels(program, form, "reduction");
  const std::string types = format("{}, {}, {}", kernel_struct_name(0), cpp_name(form.stored_input),
                                   cpp_name(form.stored_output));
  source.text += format("using Reduction0 = npp::UfuncReduction<{}>;\n{}", types,
                        reduction_instance(form, source.entry_points.front(),
                                           declare::can_raise(program.kernels.front())));
  return source;
}

Source emit_map_reduction(const Program& program, const analysis::ReduceForm& form,
                          bool has_number) {
  NPP_ASSERT(program.kernels.size() == 2 || program.kernels.size() == 3, program.name);
  Source source = with_kernels(program, form, "map_reduction");
  const std::vector<std::string> arguments = {
      kernel_struct_name(0), kernel_struct_name(1),
      program.kernels.size() == 3 ? kernel_struct_name(2) : "void", has_number ? "true" : "false"};
  source.text +=
      format("using Reduction0 = npp::MapReduction<{}>;\n{}", base::join(arguments, ", "),
             reduction_instance(form, source.entry_points.front(),
                                declare::can_raise(program.kernels.front())));
  return source;
}

}  // namespace numpy_plugin::emit
