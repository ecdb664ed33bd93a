// Translation unit for the host compiler: a loop with NumPy's signature for each kernel.
#include "numpy_plugin/analysis/generalized_kernel.hpp"
#include "numpy_plugin/analysis/reduce_form.hpp"
#include "numpy_plugin/analysis/tree.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/emit/lanes/lane_function.hpp"
#include "numpy_plugin/emit/printing/kernel_struct.hpp"
#include "numpy_plugin/emit/printing/user_code.hpp"
#include "numpy_plugin/emit/source/emit.hpp"
#include "numpy_plugin/emit/source/source_parts.hpp"

#include <algorithm>

namespace numpy_plugin::emit {
namespace {

bool has_loops(const Program& program) {
  return std::any_of(
      program.kernels.begin(), program.kernels.end(),
      [](const declare::TypedKernel& kernel) { return analysis::traits(kernel).has_loops; });
}

std::vector<analysis::LaneDecision> plan_all_lanes(const Program& program) {
  std::vector<analysis::LaneDecision> decisions;
  for (const declare::TypedKernel& kernel : program.kernels)
    decisions.push_back(analysis::plan_lanes(kernel, program.math));
  return decisions;
}

std::string print_reduction_member(const declare::TypedKernel& kernel) {
  const auto member = [](const std::string& enumerator) {
    return format("\n  static constexpr npp::Reduction kReduction = npp::Reduction::{};\n",
                  enumerator);
  };
  switch (analysis::known_reduction(kernel)) {
    case analysis::KnownReduction::kNone:
      return "";
    case analysis::KnownReduction::kSum:
      return member("kSum");
    case analysis::KnownReduction::kComplexSum:
      return member("kComplexSum");
    case analysis::KnownReduction::kLeast:
      return member("kLeast");
    case analysis::KnownReduction::kGreatest:
      return member("kGreatest");
    case analysis::KnownReduction::kOperation:
      return member("kOperation");
  }
  return "";
}

// Whether compilers would load inputs again after each result, as it might change them: where
// several are stored. Loops would index copies in memory, which takes up to three times as long.
bool holds_inputs(const declare::TypedKernel& kernel) {
  const auto* const python = std::get_if<declare::PythonKernel>(&kernel.body);
  if (python == nullptr || !kernel.layout || analysis::traits(kernel).has_loops) return false;
  int n_results = 0;
  declare::visit_statements(python->function.body, [&](const declare::Statement& each) {
    n_results += int(each.kind == declare::StatementKind::kStore);
  });
  return n_results > 1;
}

// Whether the loop takes operands apart, where those of its kernel are parts of complex ones.
bool has_part_operands(const declare::TypedKernel& kernel, const analysis::LaneDecision& decision) {
  const auto is_complex = [](const auto& operand) { return base::is_complex(operand.dtype); };
  return decision.parts && (std::ranges::any_of(kernel.signature.inputs, is_complex) ||
                            std::ranges::any_of(kernel.signature.outputs, is_complex));
}

// Where each of these is: in which operand of the loop, at which byte.
std::string print_operand_parts(const declare::TypedKernel& kernel,
                                const analysis::LaneDecision& decision) {
  if (!has_part_operands(kernel, decision)) return "";
  std::vector<declare::OperandType> operands = kernel.signature.inputs;
  operands.insert(operands.end(), kernel.signature.outputs.begin(), kernel.signature.outputs.end());
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    parts.push_back(format("{{}, 0}", i));
    if (base::is_complex(operands[i].dtype))
      parts.push_back(format("{{}, {}}", i, base::info(operands[i].dtype).n_bytes / 2));
  }
  return format("\n  static constexpr npp::OperandPart kParts[] = {{}};\n",
                base::join(parts, ", "));
}

std::string_view loop_macro(const declare::TypedKernel& kernel,
                            const analysis::LaneDecision& decision) {
  if (kernel.layout) return "NPP_GENERALIZED_LOOP";
  return has_part_operands(kernel, decision) ? "NPP_ELEMENTWISE_LOOP_OF_PARTS"
                                             : "NPP_ELEMENTWISE_LOOP";
}

std::string print_held_inputs(const declare::TypedKernel& kernel) {
  return holds_inputs(kernel) ? "\n  static constexpr bool kHoldsInputs = true;\n" : "";
}

}  // namespace

std::string subject_of(const Program& program) {
  std::vector<std::string> signatures;
  for (const declare::TypedKernel& kernel : program.kernels) {
    signatures.push_back(kernel.signature.text());
  }
  return format("'{}' for {}", program.name, base::join(signatures, "; "));
}

Source emit_cpu(const Program& given) {
  NPP_ASSERT(!given.kernels.empty(), given.name);
  Program program = given;
  for (declare::TypedKernel& kernel : program.kernels) analysis::hold_elements(kernel);
  const bool is_generalized = program.kernels[0].layout.has_value();
  const std::string shape = is_generalized ? "generalized" : "elementwise";
  const ExternalFunctions external = print_external_functions(program, Target::kCpu);
  Source source;
  source.target = Target::kCpu;
  source.subject = subject_of(program);
  source.user_text = user_text(program, Target::kCpu);
  source.library_functions = external.library_functions;
  source.missing = external.missing;
  const std::vector<analysis::LaneDecision> decisions = plan_all_lanes(program);
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    if (decisions[i].parts) program.kernels[i] = *decisions[i].parts;
  }
  OwnFunctions own;
  if (!is_generalized) {
    own = own_functions_of_loops(program, decisions);
    if (program.math == declare::MathMode::kVector) source.text += "#define NPP_VECTOR_MATH 1\n";
    source.text += own.before;
  }
  if (!external.text.empty() && has_loops(program)) source.text += "#define NPP_HAS_LOOPS 1\n";
  KernelStructPrinter printer(external);
  std::string kernels, loops;
  for (std::size_t i = 0; i < program.kernels.size(); ++i) {
    const std::string name = kernel_struct_name(i);
    source.entry_points.push_back(format("npp_loop_{}", i));
    const std::string members = print_lane_members(program.kernels[i], decisions[i]) +
                                print_reduction_member(program.kernels[i]) +
                                print_held_inputs(program.kernels[i]) +
                                print_operand_parts(given.kernels[i], decisions[i]);
    kernels += printer.print(program.kernels[i], name, {}, members) + "\n";
    loops += format("{}({}, {})\n", loop_macro(given.kernels[i], decisions[i]),
                    source.entry_points.back(), name);
  }
  const std::string others = print_body_include(program, Target::kCpu) + "\n" +
                             print_preamble(program.name, program.preamble) + external.text;
  source.text += print_absent_names(others + kernels);
  source.text += format(
      "{}#include \"npp/cpu/{}.hpp\"\n"
      "{}{}{}{}namespace {\n\n"
      "{}}  // namespace\n\n"
      "{}",
      print_reproducible(program), shape, print_lane_include(decisions), own.after,
      print_template_includes(program), others, kernels, loops);
  source.keeps_order = includes_formulas(source.text);
  source.keeps_quotients = divides_integers_as_floats(source.text);
  return source;
}

}  // namespace numpy_plugin::emit
