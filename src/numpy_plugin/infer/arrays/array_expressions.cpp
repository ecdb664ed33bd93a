#include "numpy_plugin/infer/arrays/array_expressions.hpp"

#include <utility>
#include <vector>

#include "numpy_plugin/infer/arrays/array_syntax.hpp"
#include "numpy_plugin/infer/arrays/element_loop.hpp"
#include "numpy_plugin/infer/arrays/new_arrays.hpp"
#include "numpy_plugin/infer/core/infer_report.hpp"
#include "numpy_plugin/infer/expressions/infer_bindings.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"

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

// The size of a dimension as types know it; -1 where sources may be broadcast.
std::int64_t known_size(const ElementLoop& loop, std::size_t axis) {
  std::int64_t size = 1;
  for (const ElementSource& source : loop.sources) {
    const std::size_t n_missing = loop.axes.size() - source.axes.size();
    if (axis < n_missing) continue;
    if (source.is_broadcast[axis - n_missing]) return -1;
    const std::int64_t found = source.array.type.size(static_cast<int>(axis - n_missing));
    if (found != 1 && (size == 1 || size == -1)) size = found;
  }
  return size;
}

// A new array with the loop's dimensions.
Value array_of_loop(FunctionContext& context, const ElementLoop& loop, DType dtype,
                    const SyntaxNode& node) {
  InferredType type = InferredType::array(dtype, static_cast<int>(loop.axes.size()));
  std::vector<Expression> sizes;
  for (std::size_t axis = 0; axis < loop.axes.size(); ++axis) {
    const std::int64_t size = known_size(loop, axis);
    type.sizes.push_back(size);
    sizes.push_back(size >= 0 ? constant_expression(DType::kInt64, size, place(context, node))
                              : loop.axes[axis].size);
  }
  return new_array(context, type, std::move(sizes), node);
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
  Value array = array_of_loop(context, loop, dtype, node);
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
