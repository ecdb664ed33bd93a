// Translation unit for the host compiler: a loop with NumPy's signature for each kernel.
#include "numpy_plugin/analysis/tree.hpp"
#include "numpy_plugin/emit/lanes/lane_function.hpp"
#include "numpy_plugin/emit/printing/cpp_body.hpp"
#include "numpy_plugin/emit/printing/kernel_struct.hpp"
#include "numpy_plugin/emit/source/emit.hpp"
#include "numpy_plugin/emit/source/own_functions.hpp"
#include "numpy_plugin/emit/source/template_includes.hpp"

#include <algorithm>

namespace numpy_plugin::emit {
namespace {

bool has_loops(const Program& program) {
  return std::any_of(program.kernels.begin(), program.kernels.end(),
                     [](const declare::TypedKernel& kernel) { return traits(kernel).has_loops; });
}

std::vector<std::string> print_all_lane_members(const Program& program) {
  std::vector<std::string> members;
  for (const declare::TypedKernel& kernel : program.kernels)
    members.push_back(print_lane_members(kernel, program.math));
  return members;
}

}  // namespace

Source emit_cpu(const Program& program) {
  NPP_ASSERT(!program.kernels.empty(), program.name);
  const bool is_generalized = program.kernels[0].layout.has_value();
  const std::string shape = is_generalized ? "generalized" : "elementwise";
  const std::string loop_macro = is_generalized ? "NPP_GENERALIZED_LOOP" : "NPP_ELEMENTWISE_LOOP";

  const ExternalFunctions external = print_external_functions(program, Target::kCpu);
  Source source;
  source.target = Target::kCpu;
  source.user_text = user_text(program, Target::kCpu);
  source.library_functions = external.library_functions;
  source.missing = external.missing;
  OwnFunctions own;
  if (program.math == declare::MathMode::kVector && !is_generalized) {
    own = own_vector_functions(program);
    source.text += "#define NPP_VECTOR_MATH 1\n" + own.before;
  }
  if (program.math == declare::MathMode::kReproducible && !is_generalized)
    source.text += "#define NPP_HAS_BLOCKS 1\n";
  if (!external.text.empty() && has_loops(program)) source.text += "#define NPP_HAS_LOOPS 1\n";
  const std::vector<std::string> lane_members = print_all_lane_members(program);
  const bool has_lanes = std::any_of(lane_members.begin(), lane_members.end(),
                                     [](const std::string& members) { return !members.empty(); });
  KernelStructPrinter printer(external);
  std::string kernels, loops;
  for (std::size_t i = 0; i < program.kernels.size(); ++i) {
    const std::string name = kernel_struct_name(i);
    source.entry_points.push_back("npp_loop_" + std::to_string(i));
    kernels += printer.print(program.kernels[i], name, {}, lane_members[i]) + "\n";
    loops += loop_macro + "(" + source.entry_points.back() + ", " + name + ")\n";
  }
  const std::string others = print_body_include(program, Target::kCpu) + "\n" +
                             print_preamble(program.name, program.preamble) + external.text;
  if (others == "\n") source.text += print_absent_types(kernels);
  source.text += print_reproducible(program) + "#include \"npp/cpu/" + shape + ".hpp\"\n" +
                 own.after + (has_lanes ? "#include \"npp/cpu/lanes/blocks.hpp\"\n" : "") +
                 print_template_includes(program) + others + "namespace {\n\n" + kernels +
                 "}  // namespace\n\n" + loops;
  return source;
}

}  // namespace numpy_plugin::emit
