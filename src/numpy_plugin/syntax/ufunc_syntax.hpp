// A ufunc of this package as seen by kernels that call it: its untyped kernel and its declared
// signatures.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "numpy_plugin/kernel/kernel.hpp"
#include "numpy_plugin/signature/operand_pattern.hpp"
#include "numpy_plugin/signature/signature.hpp"
#include "numpy_plugin/syntax/syntax.hpp"

namespace numpy_plugin::declare {

// A C++ body as given by the user.
struct CppBody {
  std::string name;
  std::string body;
  std::vector<std::string> input_names;
  std::vector<std::string> output_names;
  std::vector<OperandPattern> patterns = {};  // of all operands, or none
  std::vector<TypeAlias> aliases = {};        // beyond the patterns' placeholders
  std::string before = {};                    // generated C++ around the body: see IndexedOperation
  std::string after = {};
};

struct UfuncSyntax {
  std::string name;
  std::vector<TypeSignature> signatures;  // in the order of `types`; empty: typed where called
  std::string layout;                     // empty without core dimensions
  std::size_t n_inputs = 0;
  std::size_t n_outputs = 0;
  // Exactly one of the two is set.
  std::shared_ptr<const FunctionSyntax> function;
  std::shared_ptr<const CppBody> body;
  std::string preamble;  // of a C++ body
  DeviceCodes linked;    // likewise
};

}  // namespace numpy_plugin::declare
