// A kernel as the C++ struct for the loop templates, with its device functions.
#pragma once

#include <map>
#include <string>

#include "numpy_plugin/analysis/generalized_kernel.hpp"
#include "numpy_plugin/emit/printing/expression.hpp"
#include "numpy_plugin/emit/printing/program.hpp"
#include "numpy_plugin/emit/printing/user_code.hpp"
#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::emit {

// Constant arrays captured by a kernel, as definitions in its source.

using ConstantNames = std::map<const declare::ConstantArray*, std::string>;

// Prints and names the kernel's arrays that have no name yet.
std::string print_constant_arrays(const declare::PythonKernel& kernel, ConstantNames& names);

// C++ names of one kernel's callees.
struct FunctionNames {
  std::vector<std::string> device;
  std::vector<std::string> external;
  ConstantNames constants;   // of all kernels so far
  bool can_raise = false;    // its own functions then take an npp::Errors first
  bool has_scratch = false;  // and these then an npp::Scratch
  const std::vector<declare::SourceText>* sources = nullptr;  // for #line directives; null: none
};

// Prints the kernels of one translation unit, in order; device functions are numbered across it.
class KernelStructPrinter {
 public:
  // `has_lines`: with #line directives in functions from Python.
  explicit KernelStructPrinter(const ExternalFunctions& external, bool has_lines = false)
      : external_(external), has_lines_(has_lines) {}

  // Everything for one kernel: its device functions, then "struct `name` {...};" with `members`
  // after `call`. With split loops, `call` is one iteration and takes their variables after the
  // operands.
  std::string print(const declare::TypedKernel& kernel, const std::string& name,
                    const std::vector<analysis::SplitLoop>& loops = {},
                    const std::string& members = "");
  // Likewise, with the parts of a matrix product in place of `call`, and as DeviceForm::tile_items.
  std::string print_product(const declare::TypedKernel& kernel, const std::string& name,
                            const analysis::MatrixProduct& product, int tile_items);
  // A user-launched kernel: its device functions, then "__global__ void `name`(...)".
  std::string print_launched(const declare::TypedKernel& kernel, const std::string& name);

 private:
  std::string device_functions(const declare::PythonKernel& kernel);

  const ExternalFunctions& external_;
  const bool has_lines_;
  FunctionNames called_;  // of the current kernel
  std::size_t n_kernels_ = 0;
  int n_device_functions_ = 0;
};

// "Kernel0".
std::string kernel_struct_name(std::size_t index);

}  // namespace numpy_plugin::emit
