// Spelling of device kernel forms for users: "rows", "wide contiguous", "masked 1D strided",
// "reduce vector_rows".
#pragma once

#include <string>
#include <string_view>

#include "numpy_plugin/analysis/reduce_form.hpp"
#include "numpy_plugin/emit/source/emit.hpp"

namespace numpy_plugin::run {

// The form of a kernel for an architecture. Default: contiguous or, for generalized kernels, one
// thread per item. Throws base::Error (kValue) for words that name no form of such kernels.
analysis::DeviceForm parse_device_form(const std::string& text, std::string_view arch,
                                       bool is_generalized = false);

// Whether a text names a form of reductions.
bool is_reduce_form(const std::string& text);
// One dimension of results and one of elements. Throws base::Error (kValue) likewise. The caller
// sets the dtypes.
analysis::ReduceForm parse_reduce_form(const std::string& text);

}  // namespace numpy_plugin::run
