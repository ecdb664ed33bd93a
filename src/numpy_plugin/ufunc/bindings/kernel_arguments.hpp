// Kernels and their arguments as Python passes them: syntax, device code, and what a launch takes.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "numpy_plugin/jit/nvrtc/ptx_signature.hpp"
#include "numpy_plugin/kernel/kernel.hpp"
#include "numpy_plugin/syntax/syntax.hpp"
#include "numpy_plugin/ufunc/arrays/device_array.hpp"

namespace numpy_plugin::ufunc {

// Converts a kernel's plain Python data (from the front end in numpy_plugin/) to
// declare::FunctionSyntax. Throws declare::KernelError for mistakes in the function's head that the
// data reports, and for expressions nested too deeply.
declare::FunctionSyntax read_function_syntax(nanobind::handle data);

// Device code passed from Python: names and bytes. Reads a sequence of tuples. Throws base::Error:
// kType for other objects, kValue for anything but device code.
declare::DeviceCodes read_device_codes(nanobind::handle codes);

// Arguments of a raw kernel in launch format.

struct KernelArguments {
  std::vector<std::byte> bytes;
  std::vector<DeviceArray> arrays;  // arrays in use by the kernel, including copies of host arrays
  std::vector<std::pair<DeviceArray, nanobind::object>> copied;  // host arrays to be copied back
};

// Checks each argument against its parameter, and copies host arrays to the device. Throws
// base::Error (kType) and Python's OverflowError, which name the parameter.
KernelArguments make_kernel_arguments(const std::string& kernel,
                                      const jit::KernelSignature& signature,
                                      const nanobind::tuple& arguments,
                                      const std::shared_ptr<run::Stream>& stream);

// The number of arguments, where each item of a tuple is one and None is none.
std::size_t n_items(const nanobind::tuple& arguments);

// Dtypes and dimensions of arguments, for which a kernel without a signature is typed. Python's
// numbers are bool, int64, float64 and complex128; each item of a tuple is an argument, None is
// none. Throws base::Error (kType) for arguments that no kernel takes.
std::vector<declare::OperandType> types_of_arguments(const std::string& kernel,
                                                     const nanobind::tuple& arguments);

// The device of the device arrays among the arguments; nullptr where there are none. Throws
// base::Error (kValue) for arrays on several devices.
std::shared_ptr<run::Device> device_of_arguments(const std::string& kernel,
                                                 const nanobind::tuple& arguments);

}  // namespace numpy_plugin::ufunc
