// Grammar of one type signature, in every spelling, independent of layouts and of the ufunc's other
// signatures.
#pragma once

#include <string>
#include <vector>

#include "numpy_plugin/base/dtype.hpp"
#include "numpy_plugin/signature/signature_text.hpp"

namespace numpy_plugin::declare {

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

}  // namespace numpy_plugin::declare
