// The C++ types of a kernel's parameters, which PTX does not keep: they are read from the mangled
// name of a variable template that is made for the kernel's type.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/jit/nvrtc/ptx_signature.hpp"

namespace numpy_plugin::jit {

// Text appended to a source, and the name expression of the variable for one of its kernels.
std::string type_variable_text();
std::string type_variable_name(const std::string& kernel);

// Gives the parameters their C++ types and marks pointers; `lowered_name` is the variable's. An
// empty one leaves them as they are.
void set_parameter_types(KernelSignature& kernel, const std::string& lowered_name);

// "float*" and "int" of "void (float*, int)" or "void (*)(float*, int)".
std::vector<std::string> split_parameter_types(std::string_view function_type);

// A C++ type that NumPy has too.
struct ScalarType {
  char kind;  // NumPy's: b, i, u, f
  std::size_t n_bytes;
};

// Of "unsigned int", "float"; nothing for structs and void.
std::optional<ScalarType> scalar_type(std::string_view cpp_type);
// Of what a pointer type points to: "float const*" is float's.
std::optional<ScalarType> pointed_type(std::string_view cpp_type);

}  // namespace numpy_plugin::jit
