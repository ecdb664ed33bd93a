// Resolution of a guvectorize kernel's type signature against the layout.
#pragma once

#include <string>

#include "numpy_plugin/signature/signature.hpp"
#include "numpy_plugin/signature/signature_parse.hpp"

namespace numpy_plugin::declare {

// Splits the operands of void(...) into inputs and outputs, adds the layout's dimensions to bare
// types and letters, and checks explicit dimensions. `subject` names the signature in messages.
TypeSignature resolve_with_layout(const LabelledText& source, const std::string& subject,
                                  const ParsedSignature& parsed, const CoreSignature& layout);

// Adds the layout's dimensions to operands of which only the dtypes are known. Outputs may be
// missing.
void take_dimensions(TypeSignature& signature, const CoreSignature& layout);

}  // namespace numpy_plugin::declare
