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

// The kernels' structs, in order, and the device kernel of `reduction`, a type made of them.
Source with_kernels(const Program& program, const analysis::ReduceForm& form,
                    const std::string& header, const std::string& reduction) {
  const analysis::ReduceLaunchInfo& row = analysis::info(form.launch);
  Source source;
  source.target = Target::kCuda;
  source.name = format("{}.{}", program.name, analysis::method_name(form.launch));
  source.subject = base::quoted(source.name);
  source.user_text = user_text(program, Target::kCuda);
  const ExternalFunctions external = print_external_functions(program, Target::kCuda);
  source.linked = program.linked;
  source.linked.insert(source.linked.end(), external.linked.begin(), external.linked.end());
  source.sources = labelled_sources(program);
  source.entry_points = {format("npp_reduce_{}_0", row.name)};
  source.launch_shapes.emplace_back();
  std::string code = external.text;
  KernelStructPrinter kernels(external, /*has_lines=*/true);
  for (std::size_t i = 0; i < program.kernels.size(); ++i) {
    analysis::require_device_scratch(program.kernels[i]);
    code += kernels.print(program.kernels[i], kernel_struct_name(i)) + "\n";
  }
  code += "using Reduction0 = npp::" + reduction + ";\n" +
          reduction_instance(form, source.entry_points.front(),
                             declare::can_raise(program.kernels.front()));
  source.text = print_device_unit(
      program,
      print_reproducible(program) + include_of(std::string(row.header)) + include_of(header), code);
  return source;
}

}  // namespace

Source emit_reduction(const Program& program, const analysis::ReduceForm& form) {
  NPP_ASSERT(program.kernels.size() == 1, program.name);
  return with_kernels(program, form, "reduction",
                      format("UfuncReduction<{}, {}, {}>", kernel_struct_name(0),
                             cpp_name(form.stored_input), cpp_name(form.stored_output)));
}

Source emit_map_reduction(const Program& program, const analysis::ReduceForm& form,
                          bool has_number) {
  NPP_ASSERT(program.kernels.size() == 2 || program.kernels.size() == 3, program.name);
  const std::vector<std::string> arguments = {
      kernel_struct_name(0), kernel_struct_name(1),
      program.kernels.size() == 3 ? kernel_struct_name(2) : "void", has_number ? "true" : "false"};
  return with_kernels(program, form, "map_reduction",
                      format("MapReduction<{}>", base::join(arguments, ", ")));
}

}  // namespace numpy_plugin::emit
