// C++ types of a kernel's parameters, which PTX does not record: they are read from the mangled
// name of a variable template instantiated with the kernel's type.
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

// Sets the parameters' C++ types and marks pointers; `lowered_name` is the variable's. No effect
// where it is empty.
void set_parameter_types(KernelSignature& kernel, const std::string& lowered_name);

// "float*" and "int" of "void (float*, int)" or "void (*)(float*, int)".
std::vector<std::string> split_parameter_types(std::string_view function_type);

// A C++ type with a NumPy equivalent.
struct ScalarType {
  char kind;  // NumPy's kind: b, i, u, f
  std::size_t n_bytes;
};

// The type of "unsigned int", "float"; nullopt for structs and void.
std::optional<ScalarType> scalar_type(std::string_view cpp_type);
// The type that a pointer type points to: float for "float const*".
std::optional<ScalarType> pointed_type(std::string_view cpp_type);

}  // namespace numpy_plugin::jit
