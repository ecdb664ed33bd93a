// Signatures with type placeholders, "T x, T y, int32 k": resolved from the types of a call.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "numpy_plugin/signature/signature.hpp"

namespace numpy_plugin::declare {

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

}  // namespace numpy_plugin::declare
