// A stand-in for libcudadevrt, a library of machine code that programs link for barriers of grids.
// grids.
#pragma once

#include <string_view>

namespace numpy_plugin::sim {

// PTX of cudaCGGetIntrinsicHandle and cudaCGSynchronize, which other compilers than nvcc call. The
// barrier is that of cooperative groups: a word of the launch's workspace, whose address %envreg1
// and %envreg2 have, that the first block moves across half of its range. Launches that are not
// cooperative have no workspace: the handle is 0, and cudaCGSynchronize returns
// cudaErrorInvalidValue.
extern const std::string_view kDeviceRuntime;

// Whether an input is libcudadevrt.a.
bool is_device_runtime(std::string_view bytes);

}  // namespace numpy_plugin::sim
