#include "numpy_plugin/infer/calls/infer_calls.hpp"

#include <algorithm>

#include "numpy_plugin/infer/arrays/new_arrays.hpp"
#include "numpy_plugin/infer/calls/call_arguments.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

// Likewise per block; larger arrays need dynamic shared memory.
constexpr std::int64_t kMaxSharedBytes = 49152;
// More dimensions than NumPy supports are an error.
constexpr std::size_t kMaxDimensions = 64;

std::string word(ArrayStorage::Kind kind) {
  return kind == ArrayStorage::Kind::kShared ? "shared" : "local";
}

bool is_constant_zero(const Value& value) {
  const auto* number = constant_integer(value);
  return number && *number == 0;
}

// A view of the dynamic shared memory of a launch.
Value dynamic_array(FunctionContext& context, DType dtype, const SyntaxNode& node) {
  Value value;
  value.type = InferredType::array(dtype, 1);
  const int local = local_for_array(context, value.type, {}, node);
  value.expression = Expression{
      ExpressionKind::kLocal, storage(value.type), place(context, node), {}, LocalReference{local}};
  Statement statement{StatementKind::kAssign, place(context, node), local, {}, {}, {}, {}, {}};
  statement.value =
      Expression{ExpressionKind::kDynamicArray, storage(value.type), place(context, node), {}};
  add_statement(context, std::move(statement));
  return value;
}

// One size: a constant of at least 1. Sizes over the limit are reported with the number of bytes.
std::optional<std::int64_t> array_extent(FunctionContext& context, const Expression& expression,
                                         const Value& whole, ArrayStorage::Kind kind) {
  const SourceSpan where = place(context, *whole.node);
  const std::string size_of = format("the size of a {} array must be ", word(kind));
  const bool is_integer = base::is_integer(expression.type.dtype);
  if (expression.kind != ExpressionKind::kConstant) {
    error(context, where, size_of + "a constant",
          kind == ArrayStorage::Kind::kLocal ? "use the largest size you need, such as 32" : "");
    return std::nullopt;
  }
  if (!is_integer) {
    error(context, where,
          format("{}an integer, found {}", size_of, base::name(expression.type.dtype)));
    return std::nullopt;
  }
  const auto& value = detail<ConstantValue>(expression);
  const auto* is_signed = std::get_if<std::int64_t>(&value);
  const std::int64_t size =
      is_signed ? *is_signed : static_cast<std::int64_t>(std::get<std::uint64_t>(value));
  if (size >= 1) return size;
  error(context, where, format("{}at least 1, found {}", size_of, size));
  return std::nullopt;
}

std::optional<std::vector<std::int64_t>> array_shape(FunctionContext& context,
                                                     const SyntaxNode& node,
                                                     ArrayStorage::Kind kind) {
  const Value whole = infer_shape(context, node);
  if (!whole.type.is_known()) return std::nullopt;
  std::vector<std::int64_t> sizes;
  if (whole.expression.kind != ExpressionKind::kTuple) {
    const bool can_be_dynamic = kind == ArrayStorage::Kind::kShared;
    if (can_be_dynamic && is_constant_zero(whole)) return std::vector<std::int64_t>{0};
    const auto extent = array_extent(context, convert(context, whole, whole.type), whole, kind);
    if (!extent) return std::nullopt;
    return std::vector{*extent};
  }
  for (std::size_t i = 0; i < whole.expression.operands.size(); ++i) {
    Value part = whole;
    if (i < node.children("elts").size()) part.node = &node.children("elts")[i];
    const auto extent = array_extent(context, whole.expression.operands[i], part, kind);
    if (!extent) return std::nullopt;
    sizes.push_back(*extent);
  }
  if (!sizes.empty() && sizes.size() <= kMaxDimensions) return sizes;
  error(context, node,
        format("an array has 1 to {} dimensions, found {}", kMaxDimensions, sizes.size()));
  return std::nullopt;
}

bool check_array_bytes(FunctionContext& context, const std::vector<std::int64_t>& sizes,
                       DType dtype, ArrayStorage::Kind kind, const SyntaxNode& node) {
  const bool is_shared = kind == ArrayStorage::Kind::kShared;
  std::int64_t& n_used = is_shared ? context.arrays.n_shared_bytes : context.arrays.n_local_bytes;
  const std::int64_t n_most = is_shared ? kMaxSharedBytes : kMaxLocalBytes;
  const Int128 n_bytes = array_bytes(sizes, dtype);
  const Int128 total = n_used + n_bytes;
  if (total <= n_most) {
    n_used = static_cast<std::int64_t>(total);
    return true;
  }
  const std::string found =
      n_used == 0 ? format("a {} array of {} bytes", word(kind), to_text(n_bytes))
                  : format("{} arrays of {} bytes in all", word(kind), to_text(total));
  error(context, node, format("{}; at most {}", found, n_most),
        is_shared ? "size 0 and the bytes in the launch: kernel[grid, block, stream, shared_bytes]"
                  : "pass an array as an operand of a guvectorize kernel");
  return false;
}

}  // namespace

Value builtin_local_array(FunctionContext& context, const std::string&, const SyntaxNode& node) {
  return make_array(context, ArrayStorage::Kind::kLocal, node);
}

// cuda.const.array_like(a) is `a`, a captured array.
Value builtin_constant_array(FunctionContext& context, const std::string& name,
                             const SyntaxNode& node) {
  if (!check_plain_arguments(context, name, node)) return {};
  const std::vector<SyntaxNode>& arguments = node.children("args");
  const std::string function = text(context, *node.child("func"));
  const Binding* binding =
      arguments.size() == 1 ? find_binding(context, arguments.front()) : nullptr;
  if (binding && binding->kind == Binding::Kind::kArray) {
    return value_of(context, *binding, arguments.front());
  }
  if (binding && binding->kind == Binding::Kind::kOther) {
    return report_other(context, *binding, arguments.front());
  }
  return error(context, node, function + " takes one NumPy array from outside of the kernel",
               format("table = np.array([...]) above it, and {}(table)", function));
}

Value make_array(FunctionContext& context, ArrayStorage::Kind kind, const SyntaxNode& node) {
  if (!check_starred_arguments(context, node)) return {};
  const SyntaxNode* shape = find_argument(node, 0, "shape");
  const SyntaxNode* dtype_node = find_argument(node, 1, "dtype");
  const std::string function = text(context, *node.child("func"));
  const std::size_t n_given = node.children("args").size() + node.children("keywords").size();
  if (!shape || !dtype_node || n_given != 2) {
    return error(context, node, function + " takes a shape and a dtype",
                 format("{}(4, {})", function, spelling(context, "numpy_plugin", "float32")));
  }
  const auto sizes = array_shape(context, *shape, kind);
  const auto dtype = dtype_argument(context, *dtype_node);
  if (!sizes || !dtype) return {};
  if (sizes->front() == 0) return dynamic_array(context, *dtype, node);
  if (!check_array_bytes(context, *sizes, *dtype, kind, *shape)) return {};
  return kind == ArrayStorage::Kind::kShared ? stored_array_of(context, kind, *dtype, *sizes, node)
                                             : local_array_of(context, *dtype, *sizes, node);
}

}  // namespace numpy_plugin::declare
