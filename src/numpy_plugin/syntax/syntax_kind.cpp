// Names of SyntaxKind, looked up in both directions.
#include "numpy_plugin/syntax/syntax.hpp"

#include <unordered_map>

#include "numpy_plugin/system/fork.hpp"

namespace numpy_plugin::declare {
namespace {

constexpr std::string_view kClassNames[] = {
    "a node",
#define NPP_SYNTAX_KIND(enumerator, name) name,
#include "numpy_plugin/syntax/syntax_kinds.def"
};

std::unordered_map<std::string_view, SyntaxKind> kinds_by_name() {
  return {
#define NPP_SYNTAX_KIND(enumerator, name) {name, SyntaxKind::enumerator},
#include "numpy_plugin/syntax/syntax_kinds.def"
  };
}

}  // namespace

SyntaxKind find_syntax_kind(std::string_view class_name) {
  const auto& kinds = system::made_once<kinds_by_name>();
  const auto found = kinds.find(class_name);
  return found == kinds.end() ? SyntaxKind::kOther : found->second;
}

std::string_view class_name(SyntaxKind kind) { return kClassNames[static_cast<std::size_t>(kind)]; }

}  // namespace numpy_plugin::declare
