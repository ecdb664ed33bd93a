// Type signatures ("float32(float32, float32)", "ff->f", ...) and core signatures
// ("(m,n),(n)->(m)"): text in, plain typed data out; a mistake is a SignatureError with a caret
// under the token.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/base/dtype.hpp"

namespace numpy_plugin::declare {

// One operand of a type signature. n_dimensions is what the text says with [:] or [:,:]; -1 where
// the spelling (NumPy's "dd->d") says nothing about dimensions.
struct OperandType {
  base::DType dtype;
  int n_dimensions = 0;
  bool operator==(const OperandType&) const = default;
};

struct TypeSignature {
  std::vector<OperandType> inputs;
  std::vector<OperandType> outputs;
  bool operator==(const TypeSignature&) const = default;

  // NumPy's spelling: "ff->f".
  std::string numpy_types() const;
  // The spelling of the documentation: "float32(float32, float32)".
  std::string text() const;
};

// One core dimension as an operand names it.
struct CoreDimension {
  int name_index;  // into CoreSignature::names
  bool operator==(const CoreDimension&) const = default;
};

// A name of a core signature: "n", or "3" for a fixed size.
struct DimensionName {
  std::string name;
  long frozen_size = -1;          // -1 where the size comes with the call
  bool is_optional = false;       // "n?"
  bool is_broadcastable = false;  // "n|1"
  bool operator==(const DimensionName&) const = default;
};

struct CoreSignature {
  std::string text;  // without spaces, as NumPy takes it
  std::vector<DimensionName> names;
  std::vector<std::vector<CoreDimension>> operands;  // inputs, then outputs
  std::size_t n_inputs = 0;
};

// All of a person's signatures for one ufunc, checked against one another and against the layout,
// which also says how many of the last operands of a "void(...)" signature are outputs. Throws
// base::Error of kind kSignature. Equal signatures are kept once; `duplicates` are reported by
// find_duplicate_signatures, since they are only worth a warning.
std::vector<TypeSignature> parse_type_signatures(const std::vector<std::string>& texts,
                                                 const std::optional<CoreSignature>& layout);

CoreSignature parse_core_signature(std::string_view text);

}  // namespace numpy_plugin::declare
