// A form of device kernels as users write it: "rows", "wide contiguous", "masked strided".
#pragma once

#include <string>
#include <string_view>

#include "numpy_plugin/emit/source/emit.hpp"

namespace numpy_plugin::run {

// 90 for "sm_90", "sm_90a" and "compute_90"; 0 for anything else, which NVRTC will refuse.
int architecture_number(std::string_view arch);

// The form of a kernel for an architecture. Without a word of launch: contiguous, or, of a
// generalized kernel, one thread an item. Throws base::Error (kValue) for words that are no form of
// such kernels.
emit::DeviceForm parse_device_form(const std::string& text, std::string_view arch,
                                   bool is_generalized = false);

}  // namespace numpy_plugin::run
