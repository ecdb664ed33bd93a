// Arguments of a raw kernel, as the bytes it is launched with.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "numpy_plugin/jit/nvrtc/ptx_signature.hpp"
#include "numpy_plugin/ufunc/arrays/device_array.hpp"

namespace numpy_plugin::ufunc {

struct KernelArguments {
  std::vector<std::byte> bytes;
  std::vector<DeviceArray> arrays;  // those the kernel works on, with the copies of host arrays
  std::vector<std::pair<DeviceArray, nanobind::object>> copied;  // host arrays to be written back
};

// Each argument is checked against its parameter. Host arrays are copied to the device.
// Throws base::Error (kType) and Python's OverflowError, which name the parameter.
KernelArguments make_kernel_arguments(const std::string& kernel,
                                      const jit::KernelSignature& signature,
                                      const nanobind::tuple& arguments,
                                      const std::shared_ptr<run::Stream>& stream);

// The dtypes and dimensions that arguments have: what a kernel without a signature is typed for.
// Python's numbers are bool, int64, float64 and complex128. Throws base::Error (kType) for what no
// kernel takes.
std::vector<declare::OperandType> types_of_arguments(const std::string& kernel,
                                                     const nanobind::tuple& arguments);

// The device of the device arrays among the arguments; nullptr where there is none. Throws
// base::Error (kValue) where they are of several.
std::shared_ptr<run::Device> device_of_arguments(const std::string& kernel,
                                                 const nanobind::tuple& arguments);

}  // namespace numpy_plugin::ufunc
