// Parts of type signatures: names of dtypes, the grammar of one signature, and its resolution
// against a layout.
#pragma once

#include <string>
#include <vector>

#include "numpy_plugin/base/dtype.hpp"
#include "numpy_plugin/signature/signature.hpp"
#include "numpy_plugin/signature/signature_text.hpp"

namespace numpy_plugin::declare {

// Dtypes of kernels, as listed in messages.

inline constexpr const char* kKernelTypes =
    "bool, int8 to int64, uint8 to uint64, float16, bfloat16, float32, float64, complex64, "
    "complex128, datetime64, timedelta64";

inline std::string expected_kernel_types() {
  return std::string("expected one of ") + kKernelTypes;
}

// Names of dtypes in a signature, and messages about unknown names.

// "float32", "f4", "boolean"; throws base::Error of kind kSignature.
base::DType dtype_of_name(const LabelledText& source, const Token& token);

// Whether the unit of a date or duration may follow a name: "datetime64", "m8".
bool is_time_name(std::string_view name);

// "15m" after "datetime64"; throws likewise.
base::DType dtype_of_time(const LabelledText& source, const std::string& name, const Token& unit);

// One of NumPy's letters, at text[at]; throws likewise.
base::DType dtype_of_letter(const LabelledText& source, std::size_t at);

// Grammar of one type signature, in every spelling, independent of layouts and of the ufunc's other
// signatures.

struct ParsedType {
  base::DType dtype;
  int n_dimensions;  // from [:] or [:,:]; -1 where the spelling has no dimensions
  TextRange range;
};

enum class SignatureSpelling {
  kResult,    // float32(float32)
  kVoid,      // void(float32[:], float32[:]): all operands are in `inputs`
  kOperands,  // (float32[:], float32[:]) or without brackets, as Numba takes it: in `inputs`
  kLetters,   // f->f
  kBareType   // float32: in `outputs`
};

struct ParsedSignature {
  SignatureSpelling spelling;
  std::vector<ParsedType> inputs;
  std::vector<ParsedType> outputs;
};

// Throws base::Error of kind kSignature.
ParsedSignature parse_signature_text(const LabelledText& source);

// Resolution of a guvectorize kernel's type signature against the layout.

// Splits the operands of void(...) into inputs and outputs, adds the layout's dimensions to bare
// types and letters, and checks explicit dimensions. `subject` names the signature in messages.
TypeSignature resolve_with_layout(const LabelledText& source, const std::string& subject,
                                  const ParsedSignature& parsed, const CoreSignature& layout);

// Adds the layout's dimensions to operands of which only the dtypes are known. Outputs may be
// missing.
void take_dimensions(TypeSignature& signature, const CoreSignature& layout);

}  // namespace numpy_plugin::declare
