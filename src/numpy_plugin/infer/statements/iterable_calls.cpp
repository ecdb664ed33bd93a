#include "numpy_plugin/infer/statements/infer_loops.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "numpy_plugin/infer/calls/call_arguments.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_arrays.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;
using Kind = Iterable::Kind;

// The function of a call: "range"; empty for anything else than these.
std::string iterating_function(const FunctionContext& context, const SyntaxNode& node) {
  const Binding* binding =
      node.kind == SyntaxKind::kCall ? find_binding(context, *node.child("func")) : nullptr;
  if (!binding || binding->kind != Binding::Kind::kFunction) return "";
  for (const std::string_view name : {"builtins.range", "builtins.enumerate", "builtins.zip",
                                      "builtins.reversed", "numpy.ndindex", "numpy.ndenumerate"}) {
    if (binding->name == name) return std::string(name.substr(name.find('.') + 1));
  }
  return "";
}

bool check_integers(FunctionContext& context, const std::vector<Value>& numbers,
                    const std::string& function) {
  for (const Value& value : numbers) {
    if (is_integer_or_bool(value.type.dtype)) continue;
    const std::string integer = index_hint(context, value, *value.node);
    error(context, *value.node,
          format("{} needs integers, {} is {}", function, text(context, *value.node),
                 describe(value.type)),
          integer.empty() ? "count with integers and compute the number from them"
                          : format("{}({})", function, integer));
    return false;
  }
  return true;
}

void report_not_iterable(FunctionContext& context, const Value& value,
                         const std::string& function) {
  const std::string name = text(context, *value.node);
  const bool is_number = base::is_integer(value.type.dtype);
  if (function.empty()) {
    error(context, *value.node,
          "'for' in a kernel must iterate over a range, an array or a tuple; found " +
              describe(value.type),
          is_number ? format("for i in range({}):", name) : "");
    return;
  }
  error(context, *value.node,
        format("{} needs a range, an array or a tuple, {} is {}", function, name,
               describe(value.type)),
        is_number ? format("{}(range({}))", function, name) : "");
}

// The elements of an array in C order, alone or with their indices; nullopt after an error.
std::optional<Iterable> elements_of(FunctionContext& context, Iterable result,
                                    const SyntaxNode& array, const std::vector<int>& changed) {
  Value value = infer(context, array);
  if (!value.type.is_known()) return std::nullopt;
  if (!value.type.is_array()) {
    const bool is_called = result.node->kind == SyntaxKind::kCall;
    error(context, array,
          format("{} needs an array, {} is {}",
                 is_called ? text(context, *result.node->child("func")) : "flat",
                 text(context, array), describe(value.type)));
    return std::nullopt;
  }
  result.value = settled(context, array_in_local(context, std::move(value)), changed);
  const int local = detail<LocalReference>(result.value.expression).local;
  for (int axis = 0; axis < result.value.type.n_dimensions; ++axis) {
    const std::int64_t size = result.value.type.size(axis);
    result.numbers.push_back(size >= 0 ? constant(context, Int128{size}, *result.node)
                                       : array_size(context, local, axis, *result.node));
  }
  return result;
}

// A size of np.ndindex, not below 0.
Value size_of_indices(FunctionContext& context, Value size, const SyntaxNode& node) {
  if (const auto* number = constant_integer(size)) {
    return *number < 0 ? constant(context, Int128{0}, node) : size;
  }
  if (size.expression.kind == ExpressionKind::kArraySize) return size;
  const InferredType type = InferredType::scalar(DType::kInt64);
  Expression zero = int64_constant(0, place(context, node));
  size.expression = call(Operation::kPythonMax, DType::kInt64,
                         {convert(context, size, type), std::move(zero)}, place(context, node));
  size.type = InferredType::weak(DType::kInt64);
  return size;
}

// np.ndindex(n, m), np.ndindex(a.shape), np.ndindex(*a.shape).
std::optional<Iterable> indices_of(FunctionContext& context, const SyntaxNode& node) {
  const std::vector<SyntaxNode>& arguments = node.children("args");
  const bool is_starred = arguments.size() == 1 && arguments[0].kind == SyntaxKind::kStarred;
  if (!is_starred && !check_plain_arguments(context, "numpy.ndindex", node)) return std::nullopt;
  if (!check_argument_count(context, 1, kAnyNumber, node, "(n, m)")) return std::nullopt;
  std::vector<Value> sizes;
  for (const SyntaxNode& argument : arguments) {
    const SyntaxNode& given = is_starred ? *argument.child("value") : argument;
    const Value value = infer(context, given);
    if (!value.type.is_known()) return std::nullopt;
    if (!value.type.is_tuple() || arguments.size() > 1) {
      sizes.push_back(value);
      continue;
    }
    for (std::size_t i = 0; i < value.type.items.size(); ++i) {
      sizes.push_back(tuple_part(context, value, i, given));
    }
  }
  Iterable result{Kind::kIndices, &node};
  const std::string shown = text(context, *node.child("func"));
  if (!check_integers(context, sizes, shown)) return std::nullopt;
  for (Value& size : sizes) {
    result.numbers.push_back(size_of_indices(context, std::move(size), node));
  }
  return result;
}

std::optional<Iterable> indexed_elements(FunctionContext& context, const SyntaxNode& node,
                                         const std::vector<int>& changed) {
  if (!check_plain_arguments(context, "numpy.ndenumerate", node) ||
      !check_argument_count(context, 1, 1, node, "(a)")) {
    return std::nullopt;
  }
  return elements_of(context, {Kind::kIndexedElements, &node}, node.children("args").front(),
                     changed);
}

std::optional<Iterable> value_iterable(FunctionContext& context, const SyntaxNode& node,
                                       const std::vector<int>& changed,
                                       const std::string& function) {
  if (node.kind == SyntaxKind::kAttribute && node.text == "flat" && !find_binding(context, node)) {
    return elements_of(context, {Kind::kElements, &node}, *node.child("value"), changed);
  }
  Value value = infer_listed(context, node);
  if (!value.type.is_known()) return std::nullopt;
  value.node = &node;
  if (value.type.is_scalar()) {
    report_not_iterable(context, value, function);
    return std::nullopt;
  }
  const bool is_array = value.type.is_array() || value.type.is_records();
  Iterable result{is_array ? Kind::kArray : Kind::kTuple, &node};
  result.value = settled(context, std::move(value), changed);
  return result;
}

std::optional<Iterable> part_of(FunctionContext& context, const SyntaxNode& node,
                                const std::vector<int>& changed, const std::string& function) {
  return iterating_function(context, node).empty()
             ? value_iterable(context, node, changed, function)
             : called_iterable(context, node, changed);
}

std::optional<Iterable> enumerate(FunctionContext& context, const SyntaxNode& node,
                                  const std::vector<int>& changed) {
  if (!check_plain_arguments(context, "builtins.enumerate", node, {"start"})) return std::nullopt;
  if (!check_argument_count(context, 1, 2, node, "(a)")) return std::nullopt;
  Iterable result{Kind::kEnumerate, &node};
  auto part = part_of(context, node.children("args").front(), changed, "enumerate");
  if (!part) return std::nullopt;
  result.parts.push_back(std::move(*part));
  const SyntaxNode* start = find_argument(node, 1, "start");
  result.numbers = {start ? infer(context, *start) : constant(context, Int128{0}, node)};
  const Value& first = result.numbers.front();
  if (!first.type.is_known() || !check_number(context, first, "enumerate")) return std::nullopt;
  if (!check_integers(context, result.numbers, "enumerate")) return std::nullopt;
  return result;
}

bool is_false(const SyntaxNode& node) {
  const auto* number = std::get_if<Number>(&node.constant);
  const auto* value = number ? std::get_if<bool>(number) : nullptr;
  return value != nullptr && !*value;
}

std::optional<Iterable> zip(FunctionContext& context, const SyntaxNode& node,
                            const std::vector<int>& changed) {
  if (!check_plain_arguments(context, "builtins.zip", node, {"strict"})) return std::nullopt;
  const SyntaxNode* strict = find_keyword(node, "strict");
  if (strict && !is_false(*strict)) {
    error(context, *strict, "zip in a kernel ends with the shortest of what it takes",
          "leave 'strict' out, and compare the lengths before the loop");
    return std::nullopt;
  }
  if (!check_argument_count(context, 1, kAnyNumber, node, "(a, b)")) return std::nullopt;
  Iterable result{Kind::kZip, &node};
  for (const SyntaxNode& argument : node.children("args")) {
    auto part = part_of(context, argument, changed, "zip");
    if (!part) return std::nullopt;
    result.parts.push_back(std::move(*part));
  }
  return result;
}

// The same numbers from the last to the first, as a range; nullopt where its bounds may overflow.
std::optional<std::vector<Value>> backward(FunctionContext& context, const Iterable& range) {
  const Value &start = range.numbers[0], &stop = range.numbers[1], &step = range.numbers[2];
  const auto *first = constant_integer(start), *stride = constant_integer(step);
  if (!first || !stride || *first - *stride < std::numeric_limits<std::int64_t>::min()) return {};
  if (*first - *stride > std::numeric_limits<std::int64_t>::max()) return {};
  const SyntaxNode& node = *range.node;
  const Value before = minus(context, start, step, node);
  const Value down = constant(context, -*stride, node);
  const Value n = length(context, range);
  if (const auto* count = constant_integer(n)) {
    return std::vector{constant(context, *first + (*count - 1) * *stride, node), before, down};
  }
  if (*stride != 1 && *stride != -1) return {};
  // No number follows where the range is empty, and none is below the least int64.
  Value end = stop;
  if (*first != 0 || *stride < 0 || stop.expression.kind != ExpressionKind::kArraySize) {
    const InferredType type = InferredType::scalar(DType::kInt64);
    end.type = InferredType::weak(DType::kInt64);
    end.expression =
        call(*stride > 0 ? Operation::kPythonMax : Operation::kPythonMin, DType::kInt64,
             {convert(context, stop, type), convert(context, start, type)}, place(context, node));
  }
  return std::vector{minus(context, end, step, node), before, down};
}

std::optional<Iterable> reversed(FunctionContext& context, const SyntaxNode& node,
                                 const std::vector<int>& changed) {
  if (!check_plain_arguments(context, "builtins.reversed", node)) return std::nullopt;
  if (!check_argument_count(context, 1, 1, node, "(a)")) return std::nullopt;
  const SyntaxNode& argument = node.children("args").front();
  const std::string inner = iterating_function(context, argument);
  if (!inner.empty() && inner != "range") {
    error(context, argument, "reversed needs a range, an array or a tuple, found " + inner,
          inner == "zip" ? "reverse what zip takes" : "");
    return std::nullopt;
  }
  auto part = part_of(context, argument, changed, "reversed");
  if (!part) return std::nullopt;
  if (part->kind == Kind::kRange) {
    if (auto numbers = backward(context, *part)) {
      part->numbers = std::move(*numbers);
      return part;
    }
  }
  Iterable result{Kind::kReversed, &node};
  result.parts.push_back(std::move(*part));
  return result;
}

using base::DType;

// Adds the test of a range's step that is not known, which is evaluated once then: one of 0 raises,
// as in Python.
void check_step(FunctionContext& context, Value& step, const SyntaxNode& range) {
  if (step.constant || least_value(context, step.expression) == 1) return;
  step.expression = convert(context, step, InferredType::scalar(DType::kInt64));
  step.type = InferredType::weak(DType::kInt64);
  step = reusable(context, std::move(step));
  Statement test{StatementKind::kIf, place(context, range), 0, {}, {}, {}, {}, {}};
  test.value =
      call(Operation::kEqual, DType::kBool,
           {step.expression, int64_constant(0, place(context, range))}, place(context, range));
  test.body.push_back(raised(context, range, "ValueError", "range() arg 3 must not be zero"));
  add_statement(context, std::move(test));
}

}  // namespace

Value listed_tuple(FunctionContext& context, const SyntaxNode& node) {
  const std::vector<SyntaxNode>& elements = node.children("elts");
  const bool has_lists =
      node.kind == SyntaxKind::kList ||
      (node.kind == SyntaxKind::kTuple &&
       std::any_of(elements.begin(), elements.end(),
                   [](const SyntaxNode& element) { return is_sequence(element); }));
  if (!has_lists) return infer(context, node);
  std::vector<Value> items;
  for (const SyntaxNode& element : elements) {
    items.push_back(listed_tuple(context, element));
    items.back().expression = convert(context, items.back(), items.back().type);
  }
  return tuple_of(context, items, node);
}

std::optional<Iterable> counted_range(FunctionContext& context, const std::string& name,
                                      const SyntaxNode& node,
                                      const std::vector<std::string>& keywords) {
  const std::string shown = text(context, *node.child("func"));
  const auto given = scalar_arguments(context, name, 1, 3, node, keywords);
  if (!given || !check_integers(context, *given, shown)) return std::nullopt;
  const auto number = [&](int value) { return constant(context, Int128{value}, node); };
  Iterable result{Kind::kRange, &node};
  if (given->size() == 1) {
    result.numbers = {number(0), (*given)[0], number(1)};
  } else if (given->size() == 2) {
    result.numbers = {(*given)[0], (*given)[1], number(1)};
  } else {
    result.numbers = *given;
  }
  const auto* step = constant_integer(result.numbers[2]);
  if (step && *step == 0) {
    error(context, *result.numbers[2].node, shown + " with step 0");
    return std::nullopt;
  }
  check_step(context, result.numbers[2], node);
  return result;
}

std::optional<Iterable> called_iterable(FunctionContext& context, const SyntaxNode& node,
                                        const std::vector<int>& changed) {
  const std::string function = iterating_function(context, node);
  if (function == "range") return counted_range(context, "builtins.range", node);
  if (function == "enumerate") return enumerate(context, node, changed);
  if (function == "zip") return zip(context, node, changed);
  if (function == "reversed") return reversed(context, node, changed);
  if (function == "ndindex") return indices_of(context, node);
  if (function == "ndenumerate") return indexed_elements(context, node, changed);
  return value_iterable(context, node, changed, "");
}

}  // namespace numpy_plugin::declare
