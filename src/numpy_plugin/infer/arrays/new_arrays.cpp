#include "numpy_plugin/infer/arrays/new_arrays.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/kernel/scratch.hpp"
#include "numpy_plugin/syntax/functions.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

// "np.zeros", "a + 1": the function or the expression that makes an array.
std::string maker_text(const FunctionContext& context, const SyntaxNode& node) {
  const SyntaxNode* const function = node.child("func");
  return text(context, function != nullptr ? *function : node);
}

int memory_exception(FunctionContext& context, const SyntaxNode& node) {
  const auto literal = [](std::string part) {
    return MessagePart{std::move(part), false, DType::kInt64, ""};
  };
  RaisedException raised;
  raised.type_name = "MemoryError";
  raised.arguments = {{literal("Unable to allocate "), MessagePart{"", true, DType::kInt64, ""},
                       literal(format(" bytes for {}: the scratch arrays of an element have at "
                                      "most {}; pass the array as an operand",
                                      maker_text(context, node), kMaxScratchBytes))}};
  raised.place = place(context, node);
  raised.file = context.syntax.source.file;
  raised.function = context.syntax.name;
  return exception(context, std::move(raised));
}

std::optional<std::int64_t> constant_size(const Expression& size) {
  if (size.kind != ExpressionKind::kConstant) return std::nullopt;
  return std::get<std::int64_t>(detail<ConstantValue>(size));
}

// The sizes, where all are constants.
std::vector<std::int64_t> constant_sizes(const std::vector<Expression>& sizes) {
  std::vector<std::int64_t> constants;
  for (const Expression& size : sizes) {
    const auto constant = constant_size(size);
    if (!constant || *constant == 0) return {};
    constants.push_back(*constant);
  }
  return constants;
}

Value scratch_array(FunctionContext& context, const InferredType& type,
                    std::vector<Expression> sizes, const SyntaxNode& node) {
  const SourceSpan where = place(context, node);
  const int local = local_for_array(context, type, {ArrayStorage::Kind::kScratch, {}}, node);
  Expression made{ExpressionKind::kScratchArray, storage(type), where, std::move(sizes)};
  made.exception = memory_exception(context, node);
  Statement statement{StatementKind::kAssign, where, local, std::move(made), {}, {}, {}, {}};
  add_statement(context, std::move(statement));
  Value value;
  value.node = &node;
  value.type = type;
  value.expression =
      Expression{ExpressionKind::kLocal, storage(type), where, {}, LocalReference{local}};
  return value;
}

Value report_launched(FunctionContext& context, const SyntaxNode& node) {
  return error(
      context, node,
      maker_text(context, node) + " needs constant sizes in a kernel that is launched with a grid",
      std::string(device_hint("numpy.zeros")));
}

// Whether a name is assigned another array in a loop while it may still hold the previous one.
bool is_renewed(const FunctionContext& context, const SyntaxNode& node) {
  const StatementState& statement = context.statement;
  return !context.loops.empty() && statement.only_value == &node && statement.only_target >= 0 &&
         context.scope.variable(statement.only_target).n_targets > 1;
}

}  // namespace

std::int64_t known_size(const FunctionContext& context, const Expression& size) {
  if (const auto constant = constant_size(size)) return *constant;
  if (size.kind != ExpressionKind::kArraySize) return -1;
  const auto& [array, axis] = detail<ArraySize>(size);
  const auto parameter = static_cast<std::size_t>(array);
  const std::vector<InferredType>& arguments = context.task.arguments;
  return parameter < arguments.size() ? arguments[parameter].size(axis) : -1;
}

Int128 array_bytes(const std::vector<std::int64_t>& sizes, DType dtype) {
  Int128 n_bytes = static_cast<Int128>(base::info(dtype).n_bytes);
  for (const std::int64_t size : sizes) {
    n_bytes = std::min<Int128>(n_bytes * size, Int128{1} << 63);
  }
  return n_bytes;
}

Value stored_array_of(FunctionContext& context, ArrayStorage::Kind kind, DType dtype,
                      const std::vector<std::int64_t>& sizes, const SyntaxNode& node) {
  Value value;
  value.node = &node;
  value.type =
      InferredType::array(dtype, static_cast<int>(sizes.size()), /*is_read_only=*/false, sizes);
  const int local = local_for_array(context, value.type, {kind, sizes, nullptr}, node);
  value.expression = Expression{
      ExpressionKind::kLocal, storage(value.type), place(context, node), {}, LocalReference{local}};
  return value;
}

int local_for_array(FunctionContext& context, const InferredType& type, ArrayStorage array_storage,
                    const SyntaxNode& node) {
  if (context.statement.only_value == &node && context.statement.only_target >= 0) {
    Variable& variable = context.scope.variable(context.statement.only_target);
    if (variable.n_targets == 1) {
      variable.storage = std::move(array_storage);
      return context.statement.only_target;
    }
  }
  const int local = context.scope.add_temporary(type);
  context.scope.temporaries.back().storage = std::move(array_storage);
  return local;
}

bool takes_local_bytes(FunctionContext& context, const std::vector<std::int64_t>& sizes,
                       DType dtype) {
  const Int128 total = context.arrays.n_local_bytes + array_bytes(sizes, dtype);
  if (total > kMaxLocalBytes) return false;
  context.arrays.n_local_bytes = static_cast<std::int64_t>(total);
  return true;
}

Value local_array_of(FunctionContext& context, DType dtype, const std::vector<std::int64_t>& sizes,
                     const SyntaxNode& node) {
  Value value = stored_array_of(context, ArrayStorage::Kind::kLocal, dtype, sizes, node);
  Statement statement{StatementKind::kAssign,
                      place(context, node),
                      *read_local(value.expression),
                      {},
                      {},
                      {},
                      {},
                      {}};
  statement.value =
      Expression{ExpressionKind::kZeroArray, storage(value.type), place(context, node), {}};
  add_statement(context, std::move(statement));
  if (!context.loops.empty()) {
    context.arrays.made_on_trips.insert(*read_local(value.expression));
  }
  return value;
}

namespace {

// `is_renewed` as of the variable that is assigned.
Value new_array(FunctionContext& context, const InferredType& type, std::vector<Expression> sizes,
                bool is_renewed, const SyntaxNode& node) {
  InferredType own = type;
  own.is_read_only = false;
  own.sizes.resize(sizes.size(), -1);
  for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
    if (own.sizes[axis] == -1) own.sizes[axis] = known_size(context, sizes[axis]);
  }
  const bool is_launched = context.kernel.is_device_kernel();
  const std::vector<std::int64_t> constants = constant_sizes(sizes);
  if (!constants.empty() && (is_launched || !is_renewed) &&
      takes_local_bytes(context, constants, own.dtype)) {
    return local_array_of(context, own.dtype, constants, node);
  }
  if (is_launched) return report_launched(context, node);
  return scratch_array(context, own, std::move(sizes), node);
}

}  // namespace

Value new_array(FunctionContext& context, const InferredType& type, std::vector<Expression> sizes,
                const SyntaxNode& node) {
  return new_array(context, type, std::move(sizes), is_renewed(context, node), node);
}

Value viewed_array(FunctionContext& context, const InferredType& type,
                   std::vector<Expression> sizes, const SyntaxNode& node) {
  const bool has_old_one = is_renewed(context, node);
  const SyntaxNode* const only = std::exchange(context.statement.only_value, nullptr);
  Value array = new_array(context, type, std::move(sizes), has_old_one, node);
  context.statement.only_value = only;
  return array;
}

NewDimension dimension_of(const ElementLoop& loop, std::size_t axis) {
  NewDimension dimension{loop.axes[axis].size, 1};
  for (const ElementSource& source : loop.sources) {
    const std::size_t n_missing = loop.axes.size() - source.axes.size();
    if (axis < n_missing) continue;
    if (source.is_broadcast[axis - n_missing]) return {loop.axes[axis].size, -1};
    const std::int64_t found = source.array.type.size(static_cast<int>(axis - n_missing));
    if (found != 1 && (dimension.known == 1 || dimension.known == -1)) dimension.known = found;
  }
  if (dimension.known < 0) return dimension;
  const SourceSpan where = dimension.size.place;
  dimension.size = int64_constant(dimension.known, where);
  return dimension;
}

Value new_array(FunctionContext& context, DType dtype, std::vector<NewDimension> dimensions,
                const SyntaxNode& node) {
  InferredType type = InferredType::array(dtype, static_cast<int>(dimensions.size()));
  std::vector<Expression> sizes;
  for (NewDimension& dimension : dimensions) {
    type.sizes.push_back(dimension.known);
    sizes.push_back(std::move(dimension.size));
  }
  return new_array(context, type, std::move(sizes), node);
}

}  // namespace numpy_plugin::declare
