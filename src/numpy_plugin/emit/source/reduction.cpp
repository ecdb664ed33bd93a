// Translation unit for NVRTC: a device kernel of a ufunc's reduction.
#include <string>
#include <vector>

#include "numpy_plugin/analysis/reassociation.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/emit/printing/cpp_body.hpp"
#include "numpy_plugin/emit/printing/external_functions.hpp"
#include "numpy_plugin/emit/printing/kernel_struct.hpp"
#include "numpy_plugin/emit/printing/line_directives.hpp"
#include "numpy_plugin/emit/source/emit.hpp"
#include "numpy_plugin/emit/source/template_includes.hpp"
#include "numpy_plugin/kernel/raising.hpp"

namespace numpy_plugin::emit {
namespace {

std::string cpp_name(base::DType dtype) { return std::string(base::info(dtype).cpp_name); }

std::string reduction_instance(const ReduceForm& form, const std::string& entry_point,
                               bool can_raise) {
  const ReduceLaunchInfo& row = info(form.launch);
  std::vector<std::string> arguments = {entry_point};
  if (!row.option.empty()) arguments.emplace_back(row.option);
  arguments.insert(arguments.end(),
                   {"Reduction0", form.is_wide ? "npp::Wide" : "npp::Narrow",
                    form.is_masked ? "npp::Mask::kGiven" : "npp::Mask::kNone",
                    std::to_string(form.n_dimensions), std::to_string(form.n_reduced)});
  return std::string(can_raise ? "NPP_RAISING_" : "NPP_") + std::string(row.macro) + "_KERNEL(" +
         base::join(arguments, ", ") + ")\n";
}

}  // namespace

Source emit_reduction(const Program& program, const ReduceForm& form) {
  NPP_ASSERT(program.kernels.size() == 1, program.name);
  const declare::TypedKernel& kernel = program.kernels.front();
  Source source;
  source.target = Target::kCuda;
  source.name = program.name + ".reduce";
  source.user_text = user_text(program, Target::kCuda);
  const ExternalFunctions external = print_external_functions(program, Target::kCuda);
  source.linked = program.linked;
  source.linked.insert(source.linked.end(), external.linked.begin(), external.linked.end());
  source.sources = labelled_sources(program);
  source.entry_points = {"npp_reduce_" + std::string(info(form.launch).name) + "_0"};
  source.launch_shapes.emplace_back();
  const std::string name = kernel_struct_name(0);
  const std::string types =
      name + ", " + cpp_name(form.stored_input) + ", " + cpp_name(form.stored_output);
  source.text = "#include \"npp/reduce/" + std::string(info(form.launch).header) + ".hpp\"\n" +
                print_template_includes(program) + print_body_include(program, Target::kCuda) +
                "\n" + print_preamble(program.name, program.preamble) + external.text +
                KernelStructPrinter(external, /*has_lines=*/true).print(kernel, name) +
                "\nusing Reduction0 = npp::UfuncReduction<" + types + ">;\n" +
                reduction_instance(form, source.entry_points.front(), declare::can_raise(kernel));
  return source;
}

}  // namespace numpy_plugin::emit
