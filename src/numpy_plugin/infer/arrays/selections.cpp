#include "numpy_plugin/infer/arrays/selections.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/infer/arrays/accumulators.hpp"
#include "numpy_plugin/infer/arrays/array_expressions.hpp"
#include "numpy_plugin/infer/arrays/new_arrays.hpp"
#include "numpy_plugin/infer/calls/call_arguments.hpp"
#include "numpy_plugin/infer/calls/infer_calls.hpp"
#include "numpy_plugin/infer/expressions/infer_arrays.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"
#include "numpy_plugin/infer/expressions/infer_operators.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;
using Expressions = std::vector<Expression>;

Expressions counters(const ElementLoop& loop, const SourceSpan& where) {
  Expressions result;
  for (const LoopAxis& axis : loop.axes) {
    result.push_back({ExpressionKind::kLocal,
                      ValueType::scalar(DType::kInt64),
                      where,
                      {},
                      LocalReference{axis.counter}});
  }
  return result;
}

// The next place of an array that is filled from its beginning.
struct Filled {
  Value array;
  Expression count;  // a local

  // The part that is filled.
  Value beginning(FunctionContext& context, std::size_t axis, const SyntaxNode& node) const {
    const SourceSpan where = place(context, node);
    Value part = array;
    part.node = &node;
    Expression view{ExpressionKind::kView, storage(part.type), where, {array.expression}};
    for (std::size_t i = 0; i < part.type.sizes.size(); ++i) {
      view.operands.push_back({ExpressionKind::kSlice, {}, where, {}});
    }
    view.operands[axis + 1].operands = {int64_constant(0, where), count, int64_constant(1, where)};
    part.type.sizes[axis] = -1;
    part.expression = std::move(view);
    return part;
  }
};

Statement next_place(const Expression& count, Expression truth) {
  std::vector<Statement> statements;
  accumulate(statements, count, Operation::kAdd, std::move(truth));
  return std::move(statements.front());
}

Statement stored(const Value& array, Expressions indices, Expression value) {
  const SourceSpan where = value.place;
  Statement store{StatementKind::kStore, where, *read_local(array.expression), {}, {}, {}, {}, {}};
  store.indices = std::move(indices);
  store.value = std::move(value);
  return store;
}

// What an array in the index of a subscript selects.
struct Selection {
  Value array;                       // in a local, with the other indices applied
  std::size_t axis = 0;              // the first one that the index is of
  const SyntaxNode* node = nullptr;  // the subscript
  ElementLoop loop = {};             // over the index
  std::vector<Statement> body = {};
  Value element = {};  // of the index

  bool is_mask() const { return element.type.dtype == DType::kBool; }
  std::size_t n_axes() const { return is_mask() ? loop.axes.size() : 1; }
  std::size_t n_dimensions() const { return static_cast<std::size_t>(array.type.n_dimensions); }
};

// An array's part at indices of some axes, with all of the others.
Value part_at(const Value& array, std::size_t axis, Expressions indices, const SourceSpan& where) {
  Value part = array;
  const auto n_dimensions = static_cast<std::size_t>(array.type.n_dimensions);
  const std::size_t n_indices = indices.size();
  part.type.n_dimensions -= static_cast<int>(n_indices);
  part.type.sizes.clear();
  part.expression = {ExpressionKind::kView, storage(part.type), where, {array.expression}};
  for (std::size_t i = 0; i < n_dimensions; ++i) {
    const bool is_given = i >= axis && i < axis + n_indices;
    part.expression.operands.push_back(is_given
                                           ? std::move(indices[i - axis])
                                           : Expression{ExpressionKind::kSlice, {}, where, {}});
  }
  return part;
}

// Copies what is selected at indices to a new array.
Statement copied(const Selection& selection, const Value& result, Expressions to, Expressions from,
                 const SourceSpan& where) {
  const Value& array = selection.array;
  if (selection.n_dimensions() == from.size()) {
    Expression element{ExpressionKind::kLoad, ValueType::scalar(array.type.dtype), where,
                       std::move(from), ElementLoad{*read_local(array.expression)}};
    return stored(result, std::move(to), std::move(element));
  }
  Statement copy{StatementKind::kEvaluate, where, 0, {}, {}, {}, {}, {}};
  copy.value = {ExpressionKind::kCopyElements,
                {},
                where,
                {part_at(result, selection.axis, std::move(to), where).expression,
                 part_at(array, selection.axis, std::move(from), where).expression}};
  return copy;
}

// Of a loop in which one element at most is selected in each trip.
Fold fold_of(const ElementLoop& loop) {
  const bool is_one = loop.axes.size() == 1 && !loop.axes.front().is_reversed;
  return is_one && !is_short(loop.axes.front(), DType::kFloat64) ? Fold::kSelection : Fold::kNone;
}

// A new array with other dimensions in the place of those that are selected from.
Value new_selection(FunctionContext& context, const Selection& selection,
                    std::vector<NewDimension> selected) {
  const Value& array = selection.array;
  InferredType type = InferredType::array(array.type.dtype, 0);
  Expressions sizes;
  const auto add = [&](Expression size, std::int64_t known) {
    sizes.push_back(std::move(size));
    type.sizes.push_back(known);
  };
  for (std::size_t axis = 0; axis < selection.n_dimensions(); ++axis) {
    if (axis == selection.axis) {
      for (NewDimension& each : selected) add(std::move(each.size), each.known);
    }
    if (axis < selection.axis || axis >= selection.axis + selection.n_axes()) {
      const std::int64_t known = array.type.size(static_cast<int>(axis));
      add(size_of(array, axis), known);
    }
  }
  type.n_dimensions = static_cast<int>(sizes.size());
  return viewed_array(context, type, std::move(sizes), *selection.node);
}

Value masked_part(FunctionContext& context, Selection selection) {
  const SourceSpan where = place(context, *selection.node);
  check_mask_sizes(context, selection.loop, selection.array, selection.axis, *selection.node);
  const ElementLoop& loop = selection.loop;
  NewDimension all{n_elements(context, loop, *selection.node), -1};
  if (loop.axes.size() == 1) all = dimension_of(loop, 0);
  Filled filled{new_selection(context, selection, {std::move(all)}), {}};
  if (!filled.array.type.is_known()) return {};
  filled.count = accumulator(context, int64_constant(0, where));
  const Expression& truth = selection.element.expression;
  Statement copy = copied(selection, filled.array, {filled.count}, counters(loop, where), where);
  const bool is_store = copy.kind == StatementKind::kStore;
  if (is_store) {
    // There is room for an element that is not selected: the next one overwrites it. That is faster
    // than a branch.
    selection.body.push_back(std::move(copy));
    selection.body.push_back(next_place(filled.count, truth));
  } else {
    Statement test{StatementKind::kIf, where, 0, truth, {}, {}, {}, {}};
    test.body = {std::move(copy), next_place(filled.count, int64_constant(1, where))};
    selection.body.push_back(std::move(test));
  }
  add_loop(context, loop, std::move(selection.body), *selection.node,
           is_store ? fold_of(loop) : Fold::kNone);
  return filled.beginning(context, selection.axis, *selection.node);
}

Value part_at_indices(FunctionContext& context, Selection selection) {
  const SourceSpan where = place(context, *selection.node);
  const ElementLoop& loop = selection.loop;
  std::vector<NewDimension> dimensions;
  for (std::size_t axis = 0; axis < loop.axes.size(); ++axis) {
    dimensions.push_back(dimension_of(loop, axis));
  }
  Value result = new_selection(context, selection, std::move(dimensions));
  if (!result.type.is_known()) return {};
  const InferredType index_type = InferredType::scalar(DType::kInt64);
  selection.body.push_back(copied(selection, result, counters(loop, where),
                                  {convert(context, selection.element, index_type)}, where));
  add_loop(context, loop, std::move(selection.body), *selection.node);
  return result;
}

}  // namespace

Value selected_part(FunctionContext& context, const Value& array, const SyntaxNode& node) {
  const auto index = array_index(context, array, node);
  if (!index) return {};
  if (index->arrays.size() > 1) {
    return error(context, *index->arrays[1], "a second array in an index with a mask or a slice",
                 "select with one after the other");
  }
  Selection selection{array_part(context, array, index->others, node), index->axis, &node};
  if (!selection.array.type.is_known()) return {};
  selection.array = array_in_local(context, std::move(selection.array));
  const SyntaxNode& selects = *index->arrays.front();
  if (!add_expression(context, selection.loop, selects) ||
      !broadcast(context, selection.loop, /*is_store=*/false, node)) {
    return {};
  }
  selection.element = infer_element(context, selection.loop, selects, selection.body);
  if (!check_index_array(context, selection.element, selects)) return {};
  return selection.is_mask() ? masked_part(context, std::move(selection))
                             : part_at_indices(context, std::move(selection));
}

std::vector<Value> nonzero_places(FunctionContext& context, ElementValues values, PlaceForm form,
                                  const SyntaxNode& node) {
  const SourceSpan where = place(context, node);
  const ElementLoop& loop = values.loop;
  const Expression size = n_elements(context, loop, node);
  Expressions places = counters(loop, where);
  std::optional<Expression> place_number;
  if (form == PlaceForm::kFlat && places.size() > 1) {
    place_number = accumulator(context, int64_constant(0, where));
    places = {*place_number};
  }
  const bool is_matrix = form == PlaceForm::kMatrix;
  const std::size_t n_arrays = is_matrix ? 1 : places.size();
  const auto n_columns = static_cast<std::int64_t>(places.size());
  std::vector<Filled> filled;
  for (std::size_t i = 0; i < n_arrays; ++i) {
    InferredType type = InferredType::array(DType::kInt64, 1);
    Expressions sizes = {size};
    if (is_matrix) {
      type = InferredType::array(DType::kInt64, 2, false, {-1, n_columns});
      sizes.push_back(int64_constant(n_columns, where));
    }
    filled.push_back({viewed_array(context, type, std::move(sizes), node), {}});
    if (!filled.back().array.type.is_known()) return {};
  }
  const Expression count = accumulator(context, int64_constant(0, where));
  for (std::size_t i = 0; i < places.size(); ++i) {
    Expressions to = {count};
    if (is_matrix) to.push_back(int64_constant(static_cast<std::int64_t>(i), where));
    values.body.push_back(stored(filled[is_matrix ? 0 : i].array, std::move(to), places[i]));
  }
  values.body.push_back(next_place(count, truth(context, values.element, node)));
  if (place_number) values.body.push_back(next_place(*place_number, int64_constant(1, where)));
  add_loop(context, loop, std::move(values.body), node, is_matrix ? Fold::kNone : fold_of(loop));
  std::vector<Value> results;
  for (Filled& each : filled) {
    each.count = count;
    results.push_back(array_in_local(context, each.beginning(context, 0, node)));
  }
  return results;
}

// np.nonzero(a), np.where(a), np.flatnonzero(a), np.argwhere(a).
Value builtin_nonzero(FunctionContext& context, const std::string& name, const SyntaxNode& node) {
  const SyntaxNode* const given = find_argument(node, 0, "a");
  if (given == nullptr || n_dimensions(context, *given) == 0) {
    return report_uncallable(context, name, node);
  }
  if (!check_plain_arguments(context, name, node, {"a"}) ||
      !check_argument_count(context, 0, 1, node, "(a)")) {
    return {};
  }
  auto values = element_values(context, *given);
  if (!values) return {};
  const PlaceForm form = name == "numpy.flatnonzero" ? PlaceForm::kFlat
                         : name == "numpy.argwhere"  ? PlaceForm::kMatrix
                                                     : PlaceForm::kTuple;
  const std::vector<Value> results = nonzero_places(context, std::move(*values), form, node);
  if (results.empty()) return {};
  return form == PlaceForm::kTuple ? tuple_of(context, results, node) : results.front();
}

}  // namespace numpy_plugin::declare
