// Input and output of emission as plain data.
#pragma once

#include <string>
#include <vector>

#include "numpy_plugin/analysis/device_form.hpp"
#include "numpy_plugin/kernel/kernel.hpp"
#include "numpy_plugin/kernel/math_mode.hpp"

namespace numpy_plugin::emit {

// One translation unit to be: kernels of one ufunc, one a type signature.
struct Program {
  std::string name;
  std::vector<declare::TypedKernel> kernels;
  declare::MathMode math = declare::MathMode::kVector;
  std::string preamble;              // the user's own C++ before the kernels
  declare::DeviceCodes linked = {};  // which device kernels are linked with
};

enum class Target { kCpu, kCuda };

// A function of a shared library: where its address goes.
struct LibraryFunction {
  std::string pointer;  // a variable of the source
  std::string library;  // the path of a shared library
  std::string name;     // of the function in it
};

// The user's own C++ in a source: errors below its #line are the user's.
struct UserText {
  std::string label = {};  // of the #line; empty where there is none
  bool is_body = false;    // of a kernel, inside a function that is emitted
};

struct Source {
  Target target = Target::kCpu;
  std::string text;
  // CPU: the loops ("npp_loop_0"), one a kernel, with NumPy's loop signature.
  // CUDA: the device kernels ("npp_contiguous_0", "npp_rows_0", ... by form), in kernel order.
  std::vector<std::string> entry_points;
  std::vector<LaunchShape> launch_shapes;  // CUDA: one an entry point
  UserText user_text;
  std::vector<LibraryFunction> library_functions = {};  // CPU: set when the code is loaded
  declare::DeviceCodes linked = {};  // CUDA: what the device kernels are linked with
  std::string missing = {};          // CPU: which code there is none of; then the text is not whole
};

}  // namespace numpy_plugin::emit
