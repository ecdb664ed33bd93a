// The kernels of a PTX text and what they are launched with.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/signature/signature.hpp"

namespace numpy_plugin::jit {

struct KernelParameter {
  std::string type;           // PTX's: "u64", "f32"; "b8" for a struct
  std::size_t n_bytes = 0;    // of the whole parameter
  std::size_t alignment = 1;  // in bytes
  bool is_array = false;      // bytes of a struct: ".b8 name[56]"
  bool is_pointer = false;    // said to be one; a "u64" that is not may still be one
  std::size_t offset = 0;     // in the buffer of all arguments
  std::string cpp_type;       // as its source has it: "float const*"; empty where that is unknown
  // Of a kernel written in Python: what it takes the parameter for.
  std::optional<declare::OperandType> operand;
};

struct KernelSignature {
  std::string name;  // as it is launched: "_Z5scaleIfEvPT_i"
  std::vector<KernelParameter> parameters;

  std::size_t n_argument_bytes() const;
};

// Every `.entry` of the text, in its order. Throws base::Error (kRuntime) for a text whose entries
// can't be read.
std::vector<KernelSignature> read_kernel_signatures(std::string_view ptx);

// A device function that is defined in a PTX text.
struct FunctionSignature {
  std::string name;
  std::vector<KernelParameter> results;  // none or one
  std::vector<KernelParameter> parameters;
};

// Every `.func` of the text that has a body. Throws base::Error (kRuntime) likewise.
std::vector<FunctionSignature> read_function_signatures(std::string_view ptx);

// A kernel's name for users: "scale<float>(float*, int)" where it is a mangled one.
std::string demangled(const std::string& name);

// "float32[:]" of a kernel in Python, "float const*" or, where the source is not known, "u64
// pointer", "f32", "56 bytes".
std::string parameter_text(const KernelParameter& parameter);

}  // namespace numpy_plugin::jit
