// Kernels of a PTX text and their parameters.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/signature/signature.hpp"

namespace numpy_plugin::jit {

struct KernelParameter {
  std::string type;           // of PTX: "u64", "f32"; "b8" for a struct
  std::size_t n_bytes = 0;    // of the whole parameter
  std::size_t alignment = 1;  // in bytes
  bool is_array = false;      // bytes of a struct: ".b8 name[56]"
  bool is_pointer = false;    // marked as such; other "u64"s may be pointers too
  std::size_t offset = 0;     // in the argument buffer
  std::string cpp_type;       // as in the source: "float const*"; empty where unknown
  // For kernels written in Python: the parameter's declared type.
  std::optional<declare::OperandType> operand;
};

struct KernelSignature {
  std::string name;  // as launched: "_Z5scaleIfEvPT_i"
  std::vector<KernelParameter> parameters;

  std::size_t n_argument_bytes() const;
};

// Every `.entry` of the text, in its order. Throws base::Error (kRuntime) for entries that can't be
// parsed.
std::vector<KernelSignature> read_kernel_signatures(std::string_view ptx);

// A device function defined in a PTX text.
struct FunctionSignature {
  std::string name;
  std::vector<KernelParameter> results;  // at most one
  std::vector<KernelParameter> parameters;
};

// Every `.func` of the text that has a body. Throws base::Error (kRuntime) likewise.
std::vector<FunctionSignature> read_function_signatures(std::string_view ptx);

// A kernel's name for users: mangled names demangled, as in "scale<float>(float*, int)".
std::string demangled(const std::string& name);

// "float32[:]" for a kernel in Python, else "float const*" or, where the source is unknown, "u64
// pointer", "f32", "56 bytes".
std::string parameter_text(const KernelParameter& parameter);

// C++ types of a kernel's parameters, which PTX does not record: they are read from the mangled
// name of a variable template instantiated with the kernel's type.

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
