// Names of SyntaxKind, looked up in both directions.
#include "numpy_plugin/syntax/syntax_kind.hpp"

#include <unordered_map>

namespace numpy_plugin::declare {
namespace {

constexpr std::string_view kClassNames[] = {
    "a node",
#define NPP_SYNTAX_KIND(enumerator, name) name,
#include "numpy_plugin/syntax/syntax_kinds.def"
};

}  // namespace

SyntaxKind find_syntax_kind(std::string_view class_name) {
  static const std::unordered_map<std::string_view, SyntaxKind> kKinds = {
#define NPP_SYNTAX_KIND(enumerator, name) {name, SyntaxKind::enumerator},
#include "numpy_plugin/syntax/syntax_kinds.def"
  };
  const auto found = kKinds.find(class_name);
  return found == kKinds.end() ? SyntaxKind::kOther : found->second;
}

std::string_view class_name(SyntaxKind kind) { return kClassNames[static_cast<std::size_t>(kind)]; }

}  // namespace numpy_plugin::declare
