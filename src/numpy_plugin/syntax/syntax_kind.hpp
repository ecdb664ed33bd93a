// The class of a node of Python's syntax tree (syntax_kinds.def), which is read from its name once.
#pragma once

#include <cstdint>
#include <string_view>

namespace numpy_plugin::declare {

enum class SyntaxKind : std::uint8_t {
  kOther,  // a class without a row: newer than this version, or no operator where one is expected
#define NPP_SYNTAX_KIND(enumerator, name) enumerator,
#include "numpy_plugin/syntax/syntax_kinds.def"
};

SyntaxKind find_syntax_kind(std::string_view class_name);

// The name in `ast`; "a node" of kOther.
std::string_view class_name(SyntaxKind kind);

}  // namespace numpy_plugin::declare
