#include "numpy_plugin/infer/functions/builtins.hpp"

#include <unordered_map>

namespace numpy_plugin::declare {

Builtin find_builtin(std::string_view name) {
  static const std::unordered_map<std::string_view, Builtin> kBuiltins = {
#define NPP_BUILTIN(qualified_name, function) {qualified_name, function},
#include "numpy_plugin/infer/functions/builtins.def"
  };
  const auto found = kBuiltins.find(name);
  return found == kBuiltins.end() ? nullptr : found->second;
}

}  // namespace numpy_plugin::declare
