// Validates that plain data has the form Python's parser would produce. Later passes rely on it,
// and a pickle may contain anything.
#pragma once

#include "numpy_plugin/syntax/syntax.hpp"

namespace numpy_plugin::declare {

// Throws base::Error (kValue) that names the missing or misplaced part. Callees are checked
// separately.
void check_syntax(const FunctionSyntax& function);

}  // namespace numpy_plugin::declare
