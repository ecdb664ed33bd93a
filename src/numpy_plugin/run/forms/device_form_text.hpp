// Spelling of device kernel forms for users: "rows", "wide contiguous", "masked 1D strided".
#pragma once

#include <string>
#include <string_view>

#include "numpy_plugin/emit/source/emit.hpp"

namespace numpy_plugin::run {

// The form of a kernel for an architecture. Default: contiguous or, for generalized kernels, one
// thread per item. Throws base::Error (kValue) for words that name no form of such kernels.
emit::DeviceForm parse_device_form(const std::string& text, std::string_view arch,
                                   bool is_generalized = false);

}  // namespace numpy_plugin::run
