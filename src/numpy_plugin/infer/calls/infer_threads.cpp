#include "numpy_plugin/infer/calls/infer_calls.hpp"

#include <limits>

#include "numpy_plugin/infer/calls/call_arguments.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"
#include "numpy_plugin/infer/expressions/infer_operators.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

constexpr std::string_view kCudaPrefix = "cuda.";
constexpr int kMostMatchedBits = 64;
constexpr const char* kAxes[] = {".x", ".y", ".z"};

// cuda.grid(n) and cuda.gridsize(n): a number, or a tuple of 2 or 3.
Value grid_value(FunctionContext& context, const std::string& name, const SyntaxNode& node) {
  const auto arguments = scalar_arguments(context, name, 1, 1, node);
  if (!arguments) return {};
  const Value& count = arguments->front();
  const auto* number = constant_integer(count);
  if (!number || *number < 1 || *number > 3) {
    return error(context, *count.node,
                 format("{} takes 1, 2 or 3, found {}", name, text(context, *count.node)));
  }
  const std::string function = name.substr(kCudaPrefix.size());
  const auto part = [&](Int128 axis) {
    return thread_value(context, *find_thread_function(function + kAxes[axis]), node);
  };
  if (*number == 1) return part(0);
  std::vector<Value> parts;
  for (Int128 axis = 0; axis < *number; ++axis) parts.push_back(part(axis));
  return tuple_of(context, parts, node);
}

std::optional<std::vector<Value>> thread_arguments(FunctionContext& context,
                                                   const ThreadFunctionInfo& row,
                                                   const SyntaxNode& node) {
  const auto n_letters = static_cast<int>(row.parameters.size());
  const std::size_t mark = row.parameters.find('?');
  const bool has_mark = mark != std::string_view::npos;
  return scalar_arguments(context, std::string(kCudaPrefix) + std::string(row.python_name),
                          has_mark ? static_cast<int>(mark) : n_letters,
                          has_mark ? n_letters - 1 : n_letters, node);
}

// -1 means all lanes, as in C.
Expression lane_mask(FunctionContext& context, const Value& value) {
  const auto* number = value.constant ? std::get_if<Int128>(&*value.constant) : nullptr;
  if (number == nullptr) return cast(value.expression, DType::kUInt32);
  if (*number < std::numeric_limits<std::int32_t>::min() || *number >= 0) {
    return convert(context, value, InferredType::scalar(DType::kUInt32));
  }
  return constant_expression(DType::kUInt32, std::uint64_t{static_cast<std::uint32_t>(*number)},
                             place(context, *value.node));
}

Expression thread_operand(FunctionContext& context, char letter, const Value& value,
                          const SyntaxNode& node) {
  const std::string shown = text(context, *node.child("func"));
  const std::string argument = text(context, *value.node);
  if (letter == 'p') return truth(context, value, *value.node);
  const bool is_number = letter == 'v' || letter == 'k';
  if (!is_number && !base::is_integer(value.type.dtype)) {
    error(context, *value.node,
          format("{} needs an integer, {} is {}", shown, argument, describe(value.type)),
          base::is_complex(value.type.dtype) ? "" : format("int({})", argument));
  } else if (letter == 'k' && n_bits(value.type.dtype) > kMostMatchedBits) {
    error(context, *value.node,
          format("{} takes numbers of at most 64 bits, {} is {}", shown, argument,
                 describe(value.type)));
  }
  if (letter == 'm') return lane_mask(context, value);
  if (letter != 'l') return convert(context, value, value.type);
  return value.constant ? convert(context, value, InferredType::scalar(DType::kInt32))
                        : cast(value.expression, DType::kInt32);
}

std::optional<std::vector<Expression>> thread_operands(FunctionContext& context,
                                                       const ThreadFunctionInfo& row,
                                                       const std::vector<Value>& arguments,
                                                       const SyntaxNode& node) {
  std::string letters(row.parameters);
  std::erase(letters, '?');
  std::vector<Expression> operands;
  const std::size_t n_errors = context.findings.errors.size();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    operands.push_back(thread_operand(context, letters[i], arguments[i], node));
  }
  if (context.findings.errors.size() > n_errors) return std::nullopt;
  return operands;
}

InferredType thread_result(const ThreadFunctionInfo& row, const std::vector<Value>& arguments) {
  const InferredType mask = InferredType::scalar(DType::kUInt32);
  switch (row.result) {
    case ThreadResult::kBool:
      return InferredType::scalar(DType::kBool);
    case ThreadResult::kMask:
      return mask;
    case ThreadResult::kMaskAndBool:
      return InferredType::tuple({mask, InferredType::scalar(DType::kBool)});
    case ThreadResult::kSame:
      return arguments[row.parameters.find_first_of("vi")].type;
    default:
      return InferredType::weak(DType::kInt64);
  }
}

Value thread_row_value(FunctionContext& context, ThreadFunction function, const SyntaxNode& node) {
  const ThreadFunctionInfo& row = info(function);
  const auto arguments = thread_arguments(context, row, node);
  if (!arguments) return {};
  auto operands = thread_operands(context, row, *arguments, node);
  if (!operands) return {};
  Value value;
  value.node = &node;
  value.type = thread_result(row, *arguments);
  value.expression = Expression{ExpressionKind::kThread, storage(value.type), place(context, node),
                                std::move(*operands), function};
  return row.wait == ThreadWait::kNobody ? value : once(context, std::move(value));
}

}  // namespace

Value call_thread_function(FunctionContext& context, const std::string& name,
                           const SyntaxNode& node) {
  const SyntaxNode& callee = *node.child("func");
  if (!check_in_device_kernel(context, text(context, callee), place(context, callee))) return {};
  if (name == "cuda.grid" || name == "cuda.gridsize") return grid_value(context, name, node);
  if (name.starts_with("cuda.atomic.")) return call_atomic(context, name, node);
  if (name == "cuda.shared.array") return make_array(context, ArrayStorage::Kind::kShared, node);
  const auto function = find_thread_function(name.substr(kCudaPrefix.size()));
  NPP_ASSERT(function, name);
  if (info(*function).result != ThreadResult::kNothing) {
    return thread_row_value(context, *function, node);
  }
  return error(context, node, text(context, callee) + " returns no value",
               "write it on a line of its own");
}

bool effect_statement(FunctionContext& context, const SyntaxNode& node) {
  if (node.kind != SyntaxKind::kCall) return false;
  const SyntaxNode& callee = *node.child("func");
  const Binding* binding = find_binding(context, callee);
  if (!binding || binding->kind != Binding::Kind::kFunction ||
      !binding->name.starts_with(kCudaPrefix)) {
    return false;
  }
  const auto function = find_thread_function(binding->name.substr(kCudaPrefix.size()));
  if (!function || info(*function).result != ThreadResult::kNothing) return false;
  if (!check_in_device_kernel(context, text(context, callee), place(context, callee))) return true;
  const auto arguments = thread_arguments(context, info(*function), node);
  if (!arguments) return true;
  auto operands = thread_operands(context, info(*function), *arguments, node);
  if (!operands) return true;
  Expression expression{
      ExpressionKind::kThread, {}, place(context, node), std::move(*operands), *function};
  context.has_effects = true;
  evaluate(context, std::move(expression));
  return true;
}

}  // namespace numpy_plugin::declare
