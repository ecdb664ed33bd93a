// Class of a syntax node (syntax_kinds.def), resolved once from its name.
#pragma once

#include <cstdint>
#include <string_view>

namespace numpy_plugin::declare {

enum class SyntaxKind : std::uint8_t {
  kOther,  // a class without a row: newer than this version, or a missing operator
#define NPP_SYNTAX_KIND(enumerator, name) enumerator,
#include "numpy_plugin/syntax/syntax_kinds.def"
};

SyntaxKind find_syntax_kind(std::string_view class_name);

// The name in `ast`; "a node" for kOther.
std::string_view class_name(SyntaxKind kind);

}  // namespace numpy_plugin::declare
