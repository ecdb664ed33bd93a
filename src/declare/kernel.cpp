#include "numpy_plugin/declare/kernel.hpp"

namespace numpy_plugin::declare {
namespace {

constexpr OperationInfo kOperations[] = {
#define NPP_OPERATION(enumerator, name, n_arguments, result, evaluation) \
  {name, n_arguments, OperationResult::result, Evaluation::evaluation},
#include "numpy_plugin/declare/operations.def"
};

}  // namespace

const OperationInfo& info(Operation operation) {
  return kOperations[static_cast<std::size_t>(operation)];
}

}  // namespace numpy_plugin::declare
