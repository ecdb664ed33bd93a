#include "numpy_plugin/kernel/kernel.hpp"

#include <algorithm>
#include <cstddef>

namespace numpy_plugin::declare {
namespace {

constexpr OperationInfo kOperations[] = {
#define NPP_OPERATION(enumerator, name, n_arguments, result, evaluation) \
  {name, n_arguments, OperationResult::result, Evaluation::evaluation, {}},
#define NPP_OPERATION_OF(header, enumerator, name, n_arguments, result, evaluation) \
  {name, n_arguments, OperationResult::result, Evaluation::evaluation, header},
#include "numpy_plugin/kernel/operations.def"
};

constexpr ThreadFunctionInfo kThreadFunctions[] = {
#define NPP_THREAD_FUNCTION(enumerator, python_name, name, parameters, result, wait, differs) \
  {python_name, name, parameters, ThreadResult::result, ThreadWait::wait, differs},
#include "numpy_plugin/kernel/thread_functions.def"
};

constexpr AtomicInfo kAtomics[] = {
#define NPP_ATOMIC(enumerator, python_name, name, n_values, dtypes, takes_index) \
  {python_name, name, n_values, AtomicDTypes::dtypes, takes_index},
#include "numpy_plugin/kernel/atomics.def"
};

// The enumerator of the row with a name; nullopt for unknown names.
template <class Enumerator, class Info, std::size_t n>
std::optional<Enumerator> find_row(const Info (&rows)[n], std::string_view python_name) {
  const auto* const found =
      std::find_if(rows, rows + n, [&](const Info& row) { return row.python_name == python_name; });
  if (found == rows + n) return std::nullopt;
  return static_cast<Enumerator>(found - rows);
}

}  // namespace

const OperationInfo& info(Operation operation) {
  return kOperations[static_cast<std::size_t>(operation)];
}

const ThreadFunctionInfo& info(ThreadFunction function) {
  return kThreadFunctions[static_cast<std::size_t>(function)];
}

std::optional<ThreadFunction> find_thread_function(std::string_view python_name) {
  return find_row<ThreadFunction>(kThreadFunctions, python_name);
}

const AtomicInfo& info(Atomic atomic) { return kAtomics[static_cast<std::size_t>(atomic)]; }

std::optional<Atomic> find_atomic(std::string_view python_name) {
  return find_row<Atomic>(kAtomics, python_name);
}

std::optional<int> read_local(const Expression& expression) {
  const auto* const reference = std::get_if<LocalReference>(&expression.detail);
  return reference ? std::optional(reference->local) : std::nullopt;
}

std::optional<int> named_local(const Expression& expression) {
  // Kinds that name a local have its number in their detail.
  return std::visit(
      [](const auto& part) -> std::optional<int> {
        if constexpr (requires { part.local; }) return part.local;
        if constexpr (requires { part.array; }) return part.array;
        return std::nullopt;
      },
      expression.detail);
}

void rename_local(Expression& expression, int local) {
  std::visit(
      [local](auto& part) {
        if constexpr (requires { part.local; }) part.local = local;
        if constexpr (requires { part.array; }) part.array = local;
      },
      expression.detail);
}

bool sets_elements(const Expression& expression) {
  return expression.kind == ExpressionKind::kFillElements ||
         expression.kind == ExpressionKind::kCopyElements ||
         expression.kind == ExpressionKind::kMoveElements ||
         expression.kind == ExpressionKind::kSortElements;
}

int root_array(const Expression& array) {
  const Expression* root = &array;
  while (root->kind == ExpressionKind::kView || root->kind == ExpressionKind::kTranspose ||
         root->kind == ExpressionKind::kReshape || root->kind == ExpressionKind::kCast) {
    root = &root->operands.front();
  }
  return root->kind == ExpressionKind::kLocal ? detail<LocalReference>(*root).local : -1;
}

}  // namespace numpy_plugin::declare
