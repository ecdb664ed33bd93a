// Kernels in, C++ text out: one translation unit for the host compiler or for NVRTC. The text is
// the kernels and a few instantiations of templates/; it depends on nothing but its arguments.
#pragma once

#include <compare>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/declare/kernel.hpp"

namespace numpy_plugin::emit {

enum class MathMode { kVector, kLibm };

// What one translation unit is made from: kernels of one ufunc, one a type signature.
struct Program {
  std::string name;
  std::vector<declare::TypedKernel> kernels;
  MathMode math = MathMode::kVector;
  std::string preamble;              // the user's own C++ before the kernels
  declare::DeviceCodes linked = {};  // which device kernels are linked with
};

enum class Target { kCpu, kCuda };

// The device kernels a kernel can become; each is compiled when a call first needs it.
// templates/numpy_plugin/cuda_arguments.hpp says what each is launched with.
enum class LaunchForm { kContiguous, kRows, kStrided, kGeneralized, kSplit, kStaged };
// "contiguous".
std::string_view form_name(LaunchForm form);

// What a device kernel is made for, beyond its types.
struct DeviceForm {
  LaunchForm launch = LaunchForm::kContiguous;
  bool is_wide = false;    // 64-bit indices and offsets
  bool is_masked = false;  // kStrided: bools behind the inputs say which results are written
  // Elementwise: the operands' dtypes in memory, inputs, then outputs; empty: the kernel's own.
  // Casts are fused into loads and stores.
  std::vector<base::DType> stored;
  int architecture = 90;  // of the device: elements in flight differ
  auto operator<=>(const DeviceForm&) const = default;
};

// How a device kernel is launched, in elements.
struct LaunchShape {
  int tile = 128;  // elements a block of 128 threads takes
  int width = 1;   // elements of one vector access; 1 where there is none
  bool operator==(const LaunchShape&) const = default;
};

// A function of a shared library: where its address goes.
struct LibraryFunction {
  std::string pointer;  // a variable of the source
  std::string library;  // the path of a shared library
  std::string name;     // of the function in it
};

struct Source {
  Target target = Target::kCpu;
  std::string text;
  // CPU: the loops ("npp_loop_0"), one a kernel, with NumPy's loop signature.
  // CUDA: the device kernels ("npp_contiguous_0", "npp_rows_0", ... by form), in kernel order.
  std::vector<std::string> entry_points;
  std::vector<LaunchShape> launch_shapes;  // CUDA: one an entry point
  // The label of #line where a C++ body begins: errors below it are the user's. Empty for Python
  // kernels.
  std::string body_label;
  std::vector<LibraryFunction> library_functions = {};  // CPU: set when the code is loaded
  declare::DeviceCodes linked = {};  // CUDA: what the device kernels are linked with
  std::string missing = {};          // CPU: which code there is none of; then the text is not whole
};

Source emit_cpu(const Program& program);
Source emit_cuda(const Program& program, const DeviceForm& form);
// The one kernel of a program, which a user launches with a grid and a block. The entry point is
// its name in C++, not yet that in PTX. One that can raise has the address of an npp::Errors as its
// last parameter.
Source emit_device_kernel(const Program& program);

// A header of templates/, as compiled into the library: `name` is what #include says.
struct TemplateFile {
  std::string_view name;  // "numpy_plugin/prelude.hpp"
  std::string_view text;
};
std::span<const TemplateFile> template_files();

}  // namespace numpy_plugin::emit
