#include "numpy_plugin/infer/calls/infer_calls.hpp"

#include <unordered_map>

#include "numpy_plugin/system/fork.hpp"

namespace numpy_plugin::declare {

namespace {

std::unordered_map<std::string_view, Builtin> builtins_by_name() {
  return {
#define NPP_BUILTIN(qualified_name, function) {qualified_name, function},
#include "numpy_plugin/infer/calls/builtins.def"
  };
}

}  // namespace

Builtin find_builtin(std::string_view name) {
  const auto& builtins = system::made_once<builtins_by_name>();
  const auto found = builtins.find(name);
  return found == builtins.end() ? nullptr : found->second;
}

}  // namespace numpy_plugin::declare
