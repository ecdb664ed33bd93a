// Parts of a source beside the kernels: what it includes of templates/, and what it leaves out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/analysis/lanes/lane_plan.hpp"
#include "numpy_plugin/emit/printing/program.hpp"
#include "numpy_plugin/emit/source/emit.hpp"
#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::emit {

// The #include lines that the kernels of a program need, beyond those of loops and launches.
std::string print_template_includes(const Program& program);
// A translation unit for NVRTC: the lines that include the templates of its launch form, with what
// else the program needs before its own code, less the sections that it does without.
std::string print_device_unit(const Program& program, const std::string& includes,
                              const std::string& code);

// Definitions, before the first #include, that leave out the sections of templates/ whose names do
// not occur in the text of a program: they would take longer to read than a short kernel takes to
// compile. None for a text that may include or form names of its own.
std::string print_absent_names(std::string_view text);

// Whether a source for the CPU includes formulas of templates/npp/special or npp/vector_math.
bool includes_formulas(std::string_view source);
// Whether it divides integers in lanes, whose quotients are those of floating-point numbers.
bool divides_integers_as_floats(std::string_view source);

// Functions of templates/npp/vector_math that a source calls instead of the libraries'.

struct OwnFunctions {
  std::string before;  // the templates: macros such as NPP_ASKS_FOR_POW, and includes
  std::string after;
};
// For elementwise loops, and the lanes of those kernels that have a plan, in the program's order.
OwnFunctions own_functions_of_loops(const Program& program,
                                    const std::vector<analysis::LaneDecision>& decisions);

// For every source of a program with reproducible functions, before the templates; else empty.
std::string print_reproducible(const Program& program);

// The body of a kernel with has_packed_body(), on words: "struct `name` : `kernel_name` {...};".
std::string print_packed_struct(const declare::TypedKernel& kernel, const std::string& kernel_name,
                                const std::string& name);

}  // namespace numpy_plugin::emit
