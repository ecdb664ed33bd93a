// Look-up in the table of Python functions.
#include "numpy_plugin/syntax/functions.hpp"

#include <algorithm>
#include <iterator>

namespace numpy_plugin::declare {
namespace {

constexpr FunctionInfo kFunctions[] = {
#define NPP_PYTHON_NAME(module, name, operation, rule) \
  {module, name, Operation::operation, TypingRule::rule},
#include "numpy_plugin/kernel/operations.def"
};

}  // namespace

const FunctionInfo* find_function(std::string_view qualified_name) {
  const std::size_t dot = qualified_name.rfind('.');
  if (dot == std::string_view::npos) return nullptr;
  const std::string_view module = qualified_name.substr(0, dot);
  const std::string_view name = qualified_name.substr(dot + 1);
  const auto found = std::find_if(
      std::begin(kFunctions), std::end(kFunctions),
      [&](const FunctionInfo& row) { return row.name == name && row.module == module; });
  return found == std::end(kFunctions) ? nullptr : found;
}

std::vector<std::string> function_names(std::string_view module) {
  std::vector<std::string> names;
  for (const FunctionInfo& row : kFunctions) {
    if (row.module == module) names.emplace_back(row.name);
  }
  return names;
}

}  // namespace numpy_plugin::declare
