// Input and output of emission as plain data.
#pragma once

#include <string>
#include <vector>

#include "numpy_plugin/analysis/device_form.hpp"
#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::emit {

// Input of a translation unit: kernels of one ufunc, one per type signature.
struct Program {
  std::string name;
  std::vector<declare::TypedKernel> kernels;
  declare::MathMode math = declare::MathMode::kVector;
  std::string preamble;              // the user's C++ before the kernels
  declare::DeviceCodes linked = {};  // linked with the device kernels
};

enum class Target { kCpu, kCuda };

// A function of a shared library, and the variable for its address.
struct LibraryFunction {
  std::string pointer;  // a variable of the source
  std::string library;  // of a shared library
  std::string name;     // of the function in it
};

// The user's C++ in a source: errors after its #line are the user's.
struct UserText {
  std::string label = {};  // of the #line; empty without user text
  bool is_body = false;    // of a kernel, inside an emitted function
};

struct Source {
  Target target = Target::kCpu;
  std::string text;
  // CPU: the loops ("npp_loop_0"), one per kernel, with NumPy's loop signature. CUDA: the device
  // kernels ("npp_contiguous_0", "npp_rows_0", ... by form), in kernel order.
  std::vector<std::string> entry_points;
  std::vector<analysis::LaunchShape> launch_shapes;  // CUDA: one per entry point
  UserText user_text;
  std::vector<LibraryFunction> library_functions = {};  // CPU: set when the code is loaded
  declare::DeviceCodes linked = {};                     // CUDA: linked with the device kernels
  std::string name = {};                                // CUDA: the ufunc's
  std::vector<declare::LabelledSource> sources = {};    // CUDA: of the code's lines
  // CPU: has formulas of templates/, whose last digits are lost where sums are reordered.
  bool keeps_order = false;
  bool keeps_quotients = false;  // CPU: a product with a reciprocal is no quotient of integers
  std::string missing = {};      // CPU: which code is missing; the text is then incomplete
  std::string subject = {};  // what it computes, for logs: "'hypot' for float64(float64, float64)"
};

}  // namespace numpy_plugin::emit
