#include "numpy_plugin/declare/kernel.hpp"

#include <algorithm>
#include <iterator>

namespace numpy_plugin::declare {
namespace {

constexpr OperationInfo kOperations[] = {
#define NPP_OPERATION(enumerator, name, n_arguments, result, evaluation) \
  {name, n_arguments, OperationResult::result, Evaluation::evaluation, {}},
#define NPP_OPERATION_OF(header, enumerator, name, n_arguments, result, evaluation) \
  {name, n_arguments, OperationResult::result, Evaluation::evaluation, header},
#include "numpy_plugin/declare/operations.def"
};

constexpr ThreadFunctionInfo kThreadFunctions[] = {
#define NPP_THREAD_FUNCTION(enumerator, python_name, name, has_effect, differs) \
  {python_name, name, has_effect, differs},
#include "numpy_plugin/declare/thread_functions.def"
};

}  // namespace

const OperationInfo& info(Operation operation) {
  return kOperations[static_cast<std::size_t>(operation)];
}

const ThreadFunctionInfo& info(ThreadFunction function) {
  return kThreadFunctions[static_cast<std::size_t>(function)];
}

std::optional<ThreadFunction> find_thread_function(std::string_view python_name) {
  const auto* const found =
      std::find_if(std::begin(kThreadFunctions), std::end(kThreadFunctions),
                   [&](const ThreadFunctionInfo& row) { return row.python_name == python_name; });
  if (found == std::end(kThreadFunctions)) return std::nullopt;
  return static_cast<ThreadFunction>(found - std::begin(kThreadFunctions));
}

}  // namespace numpy_plugin::declare
