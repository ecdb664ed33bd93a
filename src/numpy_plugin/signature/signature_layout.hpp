// A type signature of a guvectorize kernel meets the layout.
#pragma once

#include <string>

#include "numpy_plugin/signature/signature.hpp"
#include "numpy_plugin/signature/signature_parse.hpp"

namespace numpy_plugin::declare {

// Splits the operands of void(...) into inputs and outputs, gives a bare type and letters their
// dimensions, and checks the dimensions that were written. `subject` is what a message calls the
// signature.
TypeSignature resolve_with_layout(const LabelledText& source, const std::string& subject,
                                  const ParsedSignature& parsed, const CoreSignature& layout);

// Gives operands of which only the dtypes are known the layout's dimensions. Outputs may be
// missing.
void take_dimensions(TypeSignature& signature, const CoreSignature& layout);

}  // namespace numpy_plugin::declare
