// Names of dtypes in a signature, and messages about unknown names.
#pragma once

#include "numpy_plugin/base/dtype.hpp"
#include "numpy_plugin/signature/signature_text.hpp"

namespace numpy_plugin::declare {

// "float32", "f4", "boolean"; throws base::Error of kind kSignature.
base::DType dtype_of_name(const LabelledText& source, const Token& token);

// One of NumPy's letters, at text[at]; throws likewise.
base::DType dtype_of_letter(const LabelledText& source, std::size_t at);

}  // namespace numpy_plugin::declare
