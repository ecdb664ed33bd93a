// Links objects to an extension module of Python.
#pragma once

#include <string>
#include <vector>

namespace numpy_plugin::jit {

// Writes the shared object `output`. Throws base::Error (kCompiler) with the compiler's log.
void link_module(const std::vector<std::string>& objects, const std::string& output);

}  // namespace numpy_plugin::jit
