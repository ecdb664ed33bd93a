// Mathematical functions of templates/npp/vector_math, and who calls them instead of a library's.
#pragma once

#include <span>
#include <string_view>

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::analysis {

struct OwnFunction {
  // Types of which lane blocks call it, as bits.
  enum Lanes : std::uint8_t { kNever = 0, kFloat32 = 1, kFloat64 = 2, kBoth = 3 };

  declare::Operation operation;
  std::string_view library_name;  // in npp::library
  std::string_view own_name;      // in npp::vector_math
  std::string_view header;
  int n_arguments;
  Lanes lanes;
  int vector_bytes;  // of the shortest vectors for which they do
  int since;         // glibc's minor version with a vector function
};

std::span<const OwnFunction> own_functions();
// The function for a call, which is what math="reproducible" computes; null for other expressions.
const OwnFunction* own_function(const declare::Expression& expression);
// The function that lane blocks call, on some targets at least; null where they call the library's
// on all, or need none.
const OwnFunction* own_lane_function(const declare::Expression& expression, declare::MathMode math);
// Bytes of the shortest vectors for which they call it beside a vector library; kNoVectors where
// they do not.
inline constexpr int kNoVectors = 1024;
int own_vector_bytes(const declare::Expression& expression, declare::MathMode math);

}  // namespace numpy_plugin::analysis
