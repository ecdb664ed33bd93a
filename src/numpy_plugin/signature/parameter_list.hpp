// Parameter lists of kernels as CuPy and PyCUDA write them: "T x, raw S y", "float a, float *x".
#pragma once

#include <string>
#include <vector>

#include "numpy_plugin/signature/signature_text.hpp"

namespace numpy_plugin::declare {

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
