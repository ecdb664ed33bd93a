// What lists are made of: a list is an array with room for the trips of the loops that append to
// it, of the type that its items have together.
#include <utility>

#include "numpy_plugin/infer/calls/infer_calls.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"
#include "numpy_plugin/infer/statements/infer_loops.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

// Without the statements that would evaluate it.
Value infer_type_of(FunctionContext& context, const SyntaxNode& node) {
  const int variable = context.scope.find(node);
  if (variable >= 0) {
    Value value;
    value.type = context.scope.type_of(variable).value_or(InferredType());
    return value;
  }
  std::vector<Statement> unused;
  std::vector<Statement>* const outer = std::exchange(context.block, &unused);
  const bool had_effects = context.has_effects;
  const bool might_raise = context.may_raise;
  const std::size_t n_warnings = context.findings.warnings.size();
  Value value = infer(context, node);
  context.findings.warnings.resize(n_warnings);
  context.block = outer;
  context.has_effects = had_effects;
  context.may_raise = might_raise;
  return value;
}

Expression number_of_trips(FunctionContext& context, const Iterable& iterable) {
  const bool counts_up = iterable.kind == Iterable::Kind::kRange &&
                         constant_integer(iterable.numbers[2]) != nullptr &&
                         *constant_integer(iterable.numbers[2]) == 1;
  const Value n = counts_up
                      ? minus(context, iterable.numbers[1], iterable.numbers[0], *iterable.node)
                      : length(context, iterable);
  return convert(context, n, InferredType::scalar(DType::kInt64));
}

}  // namespace

// trips(iterable): the number of items, for the size of an array.
Value builtin_trips(FunctionContext& context, const std::string&, const SyntaxNode& node) {
  const auto iterable = infer_iterable(context, node.children("args").front(), {});
  if (!iterable) return {};
  const SourceSpan where = place(context, node);
  Expression n = number_of_trips(context, *iterable);
  const Expression none = int64_constant(0, where);
  if (n.kind != ExpressionKind::kConstant) {
    return plain_integer(call(Operation::kPythonMax, DType::kInt64, {std::move(n), none}, where),
                         node);
  }
  const auto known = std::get<std::int64_t>(detail<ConstantValue>(n));
  return constant(context, Int128{known < 0 ? 0 : known}, node);
}

// item_type(value): a number of the value's type, which is not evaluated; a number of Python is
// one of NumPy's.
Value builtin_item_type(FunctionContext& context, const std::string&, const SyntaxNode& node) {
  const SyntaxNode& item = node.children("args").front();
  const Value found = infer_type_of(context, item);
  if (!found.type.is_known()) return {};
  if (!found.type.is_scalar()) {
    return error(context, node,
                 format("a list in a kernel has numbers, not {}", with_article(found.type)),
                 "use one list for each, or an array");
  }
  Value value;
  value.node = &node;
  value.type = InferredType::scalar(found.type.dtype);
  value.expression = cast(int64_constant(0, place(context, node)), found.type.dtype);
  return value;
}

}  // namespace numpy_plugin::declare
