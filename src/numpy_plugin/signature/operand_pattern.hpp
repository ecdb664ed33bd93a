// Operands with type placeholders: resolved from the types of a call, and read from the parameter
// lists of CuPy and PyCUDA.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "numpy_plugin/signature/signature.hpp"
#include "numpy_plugin/signature/signature_text.hpp"

namespace numpy_plugin::declare {

// Signatures with type placeholders, "T x, T y, int32 k".

struct OperandPattern {
  std::string placeholder;  // empty: `dtype`
  base::DType dtype = base::DType::kBool;

  // From NumPy's name of a dtype, or a placeholder.
  static OperandPattern parse(const std::string& type);
};

// An argument of a call. Neither: nothing, or a type that no kernel has.
struct GivenType {
  std::optional<base::DType> dtype;   // of an array or a scalar of NumPy's
  std::optional<base::DType> number;  // a Python number: its type where no array decides
};

// Names for messages and the types of a kernel's operands, inputs first.
struct PatternedOperands {
  std::string kernel;
  std::vector<std::string> names;
  std::vector<OperandPattern> patterns;
  std::size_t n_inputs;
};

// The dtypes of all operands: of placeholders, those of the given outputs come first, then those of
// the inputs, then Python's numbers. Throws base::Error (kType) that names both operands that
// disagree, or the placeholder that nothing resolves.
std::vector<base::DType> resolve_pattern(const PatternedOperands& operands,
                                         const std::vector<GivenType>& given);

// Parameter lists of kernels as CuPy and PyCUDA write them: "T x, raw S y", "float a, float *x".

struct ListedParameter {
  std::string name;
  std::string type;             // NumPy's name of the dtype, or a placeholder
  bool is_placeholder = false;  // its dtype is that of a call's argument
  bool is_raw = false;          // the kernel indexes it: CuPy's "raw", PyCUDA's '*'
  bool is_pointer = false;      // written with '*'
  bool is_const = false;        // written with "const"
};

// Throws like parse_type_signatures. Types are C's, CUDA's and NumPy's names; any other single
// letter, or a name that begins with a capital letter, is a placeholder.
std::vector<ListedParameter> parse_parameter_list(const LabelledText& source);

}  // namespace numpy_plugin::declare
