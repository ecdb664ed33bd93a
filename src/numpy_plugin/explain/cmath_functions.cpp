// One row per argument list.
#include "numpy_plugin/explain/explanations.hpp"

#include "numpy_plugin/base/text.hpp"

namespace numpy_plugin::explain {
namespace {

struct FunctionRow {
  const char* arguments;
  const char* names;
};

constexpr FunctionRow kFunctionRows[] = {
#define NPP_CPP_FUNCTIONS(arguments, names) {arguments, names},
#include "numpy_plugin/explain/cpp_functions.def"
};

}  // namespace

std::vector<std::string> cmath_names() {
  std::vector<std::string> names;
  for (const FunctionRow& row : kFunctionRows) {
    for (std::string& name : base::split_shell_words(row.names)) names.push_back(std::move(name));
  }
  return names;
}

std::optional<std::string> cmath_arguments(std::string_view name) {
  for (const FunctionRow& row : kFunctionRows) {
    for (const std::string& known : base::split_shell_words(row.names)) {
      if (known == name) return row.arguments;
    }
  }
  return std::nullopt;
}

}  // namespace numpy_plugin::explain
