// Which calls of a kernel have the same bits everywhere with math="reproducible".
#pragma once

#include <string_view>
#include <vector>

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::emit {

struct ReproducibleFunction {
  declare::Operation operation;
  std::string_view library_name;  // in npp::library
  std::string_view own_name;      // in npp::vector_math
  std::string_view header;
  int n_arguments;
};

// The row of the function that a call needs for it; null for other expressions.
const ReproducibleFunction* reproducible_function(const declare::Expression& expression);

// Errors for the functions that there are no rows for.
std::vector<declare::Diagnostic> irreproducible_calls(const declare::TypedKernel& kernel);

}  // namespace numpy_plugin::emit
