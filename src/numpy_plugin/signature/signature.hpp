// Type signatures ("float32(float32, float32)", "ff->f", ...) and core signatures
// ("(m,n),(n)->(m)"): parsed from text to plain typed data; a mistake is a SignatureError with a
// caret under the token.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/base/dtype.hpp"
#include "numpy_plugin/signature/signature_text.hpp"

namespace numpy_plugin::declare {

// One operand of a type signature. n_dimensions is 0 for a scalar. An output of a guvectorize
// kernel is always an array: with core signature "()" it has 1 dimension of size 1, as in Numba,
// regardless of its spelling; an input with core signature "()" has 1 only if written "float64[:]".
struct OperandType {
  base::DType dtype;
  int n_dimensions = 0;
  bool operator==(const OperandType&) const = default;

  // "float64", "float64[:,:]"
  std::string text() const;
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

// A core dimension as an operand refers to it.
struct CoreDimension {
  int name_index;                 // into CoreSignature::names
  bool is_broadcastable = false;  // "n|1": this operand may have size 1 here
  bool operator==(const CoreDimension&) const = default;
};

// A name of a core signature: "n", or "3" for a fixed size.
struct DimensionName {
  std::string name;
  long frozen_size = -1;          // -1 where the call determines the size
  bool is_optional = false;       // "n?"
  bool is_broadcastable = false;  // "n|1" in at least one operand
  bool operator==(const DimensionName&) const = default;
};

struct CoreSignature {
  // Without spaces and "|1", which NumPy's own parser rejects. Operands with broadcastable
  // dimensions must be broadcast before NumPy sees them.
  std::string text;
  std::vector<DimensionName> names;
  std::vector<std::vector<CoreDimension>> operands;  // inputs, then outputs
  std::size_t n_inputs = 0;
  std::vector<std::size_t> writable_inputs;  // which a kernel may modify in place

  std::size_t n_outputs() const { return operands.size() - n_inputs; }
  bool is_writable(std::size_t operand) const;
  // The first name that no input has, whose size comes from `out`; empty where there is none.
  std::string output_only_name() const;
  // "(m,n)" for one operand.
  std::string operand_text(std::size_t operand) const;
};

// Number of operands of the kernel, for expanding a bare type ("float32") to a signature.
struct OperandCounts {
  std::size_t n_inputs;
  std::size_t n_outputs = 1;
};

// Parses all signatures of a ufunc and validates them together and against the layout, which
// determines how many of the last operands of a "void(...)" signature are outputs. Throws
// base::Error of kind kSignature. Duplicates are removed; the order is kept.
std::vector<TypeSignature> parse_type_signatures(const std::vector<std::string>& texts,
                                                 const std::optional<CoreSignature>& layout,
                                                 const std::optional<OperandCounts>& counts = {});

// Parses the parameters of a device kernel: "void(float32[:], int64)".
std::vector<OperandType> parse_device_kernel_signature(const std::string& text);

// Validates signatures as far as possible without a kernel: those that are a bare type are skipped.
// Throws like parse_type_signatures; returns a mistake, to be issued as a warning, for each text
// equivalent to an earlier one.
std::vector<ArgumentMistake> check_type_signatures(const std::vector<std::string>& texts,
                                                   const std::optional<CoreSignature>& layout);

// A layout without '->' has inputs only, some of which the kernel writes.
CoreSignature parse_core_signature(std::string_view text, bool may_lack_outputs = false);

// Whether an operand is a date or duration without a unit, which calls decide.
bool has_open_units(const TypeSignature& signature);
// Whether any operand is a date or duration.
bool has_times(const TypeSignature& signature);

// The signature for a call whose inputs have these dtypes: operands without a unit have the inputs'
// common one. Throws base::Error (kType) where there is none.
TypeSignature with_units(TypeSignature signature, const std::vector<base::DType>& inputs);

// NumPy's casting="safe"; ml_dtypes' rules where bfloat16 is involved.
bool can_cast_safely(base::DType from, base::DType to);

// The order in which loops are registered: a loop whose inputs can all be cast safely to another's
// precedes it; otherwise the given order is kept. NumPy takes the first loop that fits.
std::vector<TypeSignature> sort_by_casting(std::vector<TypeSignature> signatures);

}  // namespace numpy_plugin::declare
