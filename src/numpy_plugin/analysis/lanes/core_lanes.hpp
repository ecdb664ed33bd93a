// Generalized kernels in lanes: each lane has its own element of the loop dimensions.
#pragma once

#include <string>

#include "numpy_plugin/analysis/lanes/lane_plan.hpp"

namespace numpy_plugin::analysis {

enum class CoreForm : std::uint8_t {
  kNumber,  // an input without core dimensions
  kHeld,    // a vector of lanes for each element: small arrays of known sizes
  kResult,  // likewise, without the elements that were there before
  kRead     // other inputs, read where they are
};
CoreForm core_form(const declare::TypedKernel& kernel, std::size_t operand);

// The reason for running a generalized kernel element by element; empty where lanes pay.
std::string why_no_core_lanes(const declare::TypedKernel& kernel, const LanePlan& plan);

}  // namespace numpy_plugin::analysis
