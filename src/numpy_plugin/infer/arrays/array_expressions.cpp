#include "numpy_plugin/infer/arrays/array_expressions.hpp"

#include <utility>
#include <vector>

#include "numpy_plugin/infer/arrays/element_loop.hpp"
#include "numpy_plugin/infer/arrays/new_arrays.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

// a.real, np.imag(a): of an array that exists they are views.
bool is_part_of_numbers(const FunctionContext& context, const SyntaxNode& node) {
  if (node.kind == SyntaxKind::kAttribute) return true;
  const SyntaxNode* const callee = node.child("func");
  const Binding* const binding = callee != nullptr ? find_binding(context, *callee) : nullptr;
  return binding != nullptr && (binding->name == "numpy.real" || binding->name == "numpy.imag");
}

bool makes_array(const FunctionContext& context, const SyntaxNode& node) {
  const std::vector<const SyntaxNode*> operands = elementwise_operands(context, node);
  if (operands.empty() || n_dimensions(context, node) == 0) return false;
  return !is_part_of_numbers(context, node) ||
         !elementwise_operands(context, *operands.front()).empty();
}

}  // namespace

std::optional<Value> infer_array_expression(FunctionContext& context, const SyntaxNode& node) {
  if (!makes_array(context, node)) return std::nullopt;
  ElementLoop loop;
  if (!add_expression(context, loop, node)) return Value();
  if (!broadcast(context, loop, /*is_store=*/false, node)) return Value();
  std::vector<Statement> body;
  const Value element = infer_element(context, loop, node, body);
  if (!element.type.is_known()) return Value();
  if (!element.type.is_scalar()) {
    return error(context, node, text(context, node) + " makes several arrays",
                 "write the loop, one element at a time");
  }
  const DType dtype = element.type.dtype;
  std::vector<NewDimension> dimensions;
  for (std::size_t axis = 0; axis < loop.axes.size(); ++axis) {
    dimensions.push_back(dimension_of(loop, axis));
  }
  Value array = new_array(context, dtype, std::move(dimensions), node);
  if (!array.type.is_known()) return Value();
  const ElementSource target = element_source(context, array, node);
  Statement store{StatementKind::kStore, place(context, node), target.local, {}, {}, {}, {}, {}};
  store.indices = element_indices(loop, target);
  store.value = convert(context, element, InferredType::scalar(dtype));
  body.push_back(std::move(store));
  add_loop(context, loop, std::move(body), node);
  return array;
}

}  // namespace numpy_plugin::declare
