// The index of a subscript with arrays in it, and the elements that it selects.
#include <algorithm>
#include <iterator>
#include <utility>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/infer/arrays/array_expressions.hpp"
#include "numpy_plugin/infer/arrays/selections.hpp"
#include "numpy_plugin/infer/expressions/infer_arrays.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

// NumPy moves the selected dimensions to the front there.
bool check_adjacent(FunctionContext& context, const std::vector<const SyntaxNode*>& nodes,
                    const SyntaxNode& node) {
  const auto selects = [](const SyntaxNode* index) { return !is_slice(*index); };
  const auto first = std::find_if(nodes.begin(), nodes.end(), selects);
  const auto last = std::find_if(nodes.rbegin(), nodes.rend(), selects).base();
  if (std::all_of(first, last, selects)) return true;
  error(context, node, "a slice between an integer and an array in an index",
        "select with one after the other");
  return false;
}

// Adds what selects from one dimension, or a mask's places in several.
bool add_index_array(FunctionContext& context, SelectedElements& selected, std::size_t axis,
                     const SyntaxNode& index) {
  ElementLoop& loop = selected.loop;
  if (!is_mask(context, index)) {
    Value array = array_in_local(context, infer(context, index));
    if (!array.type.is_known()) return false;
    Value element = array;
    element.type = InferredType::scalar(array.type.dtype);
    if (!check_index_array(context, element, index)) return false;
    loop.sources.push_back(element_source(context, std::move(array), index));
    return true;
  }
  auto mask = element_values(context, index);
  if (!mask || !check_index_array(context, mask->element, index)) return false;
  check_mask_sizes(context, mask->loop, selected.array, axis, index);
  const auto places = nonzero_places(context, std::move(*mask), PlaceForm::kTuple, index);
  for (const Value& each : places) loop.sources.push_back(element_source(context, each, index));
  return !places.empty();
}

// The axes of the dimensions that are kept, around those of the loop over the index, and an index
// for each dimension of the array.
void add_kept_axes(FunctionContext& context, SelectedElements& selected, const ArrayIndex& index) {
  std::vector<Expression> selecting;
  const InferredType integer = InferredType::scalar(DType::kInt64);
  for (const ElementSource& source : selected.loop.sources) {
    const Value element = load_element(context, selected.loop, source, *source.array.node);
    selecting.push_back(convert(context, element, integer));
  }
  std::vector<LoopAxis>& axes = selected.loop.axes;
  const auto n_dimensions = static_cast<std::size_t>(selected.array.type.n_dimensions);
  std::size_t to = 0;
  for (std::size_t axis = 0; axis < n_dimensions; ++axis) {
    if (axis == index.axis) {
      std::move(selecting.begin(), selecting.end(), std::back_inserter(selected.indices));
      to = axes.size();
    }
    if (axis >= index.axis && axis < index.axis + index.n_axes) continue;
    const int counter = context.scope.add_temporary(integer);
    const auto position = axes.begin() + static_cast<std::ptrdiff_t>(to++);
    axes.insert(position, LoopAxis{size_of(selected.array, axis), counter});
    selected.indices.push_back({ExpressionKind::kLocal,
                                ValueType::scalar(DType::kInt64),
                                selected.array.expression.place,
                                {},
                                LocalReference{counter}});
  }
}

}  // namespace

Expression size_of(const Value& array, std::size_t axis) {
  const std::int64_t known = array.type.size(static_cast<int>(axis));
  const SourceSpan& where = array.expression.place;
  if (known >= 0) return int64_constant(known, where);
  const std::optional<int> local = read_local(array.expression);
  NPP_ASSERT(local, "the size of an array that no local holds");
  return {ExpressionKind::kArraySize,
          ValueType::scalar(DType::kInt64),
          where,
          {},
          ArraySize{*local, static_cast<int>(axis)}};
}

std::optional<ArrayIndex> array_index(FunctionContext& context, const Value& array,
                                      const SyntaxNode& node) {
  const std::vector<const SyntaxNode*> nodes =
      index_nodes(context, *node.child("slice"), array.type.n_dimensions);
  if (!check_adjacent(context, nodes, node)) return std::nullopt;
  ArrayIndex index;
  const SyntaxNode* last_mask = nullptr;
  for (const SyntaxNode* each : nodes) {
    if (is_slice(*each) || n_dimensions(context, *each) == 0) {
      if (index.arrays.empty()) index.axis += is_slice(*each) ? 1 : 0;
      index.others.push_back(each);
      continue;
    }
    const bool selects_places = is_mask(context, *each);
    if (selects_places) last_mask = each;
    const int n_own = selects_places ? n_dimensions(context, *each) : 1;
    index.others.insert(index.others.end(), static_cast<std::size_t>(n_own), nullptr);
    index.n_axes += static_cast<std::size_t>(n_own);
    index.arrays.push_back(each);
  }
  const bool fits = index.others.size() <= static_cast<std::size_t>(array.type.n_dimensions);
  if (fits || last_mask == nullptr) return index;
  error(context, *last_mask,
        format("the mask {} has {}, {} has {}", text(context, *last_mask),
               base::counted(n_dimensions(context, *last_mask), "dimension"),
               text(context, *node.child("value")), array.type.n_dimensions));
  return std::nullopt;
}

bool check_index_array(FunctionContext& context, const Value& element, const SyntaxNode& index) {
  if (!element.type.is_known()) return false;
  if (base::is_integer(element.type.dtype) || element.type.dtype == DType::kBool) return true;
  error(context, index,
        format("an index must be an integer or a mask, {} is an array of {}", text(context, index),
               base::name(element.type.dtype)));
  return false;
}

void check_mask_sizes(FunctionContext& context, const ElementLoop& mask, const Value& array,
                      std::size_t axis, const SyntaxNode& node) {
  const ElementSource selected = element_source(context, array, node);
  for (std::size_t i = 0; i < mask.axes.size(); ++i, ++axis) {
    const bool is_same =
        std::any_of(mask.sources.begin(), mask.sources.end(), [&](const ElementSource& source) {
          const std::size_t n_missing = mask.axes.size() - source.axes.size();
          return i >= n_missing && source.array.type.size(static_cast<int>(i - n_missing)) != 1 &&
                 !source.is_broadcast[i - n_missing] &&
                 has_same_size(source, i - n_missing, selected, axis);
        });
    if (is_same) continue;
    const Expression size = size_of(array, axis);
    const Expression& own = mask.axes[i].size;
    raise_where(context, call(Operation::kNotEqual, DType::kBool, {size, own}, size.place),
                format("boolean index did not match indexed array along axis {}; size of axis is "
                       "{} but size of corresponding boolean axis is {}",
                       axis, "{}", "{}"),
                {size, own}, node, "IndexError");
  }
}

std::optional<SelectedElements> selected_elements(FunctionContext& context, const Value& array,
                                                  const SyntaxNode& node) {
  const auto index = array_index(context, array, node);
  if (!index) return std::nullopt;
  SelectedElements selected;
  selected.array = array_part(context, array, index->others, node);
  if (!selected.array.type.is_known()) return std::nullopt;
  selected.array = array_in_local(context, std::move(selected.array));
  std::size_t axis = index->axis;
  for (const SyntaxNode* each : index->arrays) {
    if (!add_index_array(context, selected, axis, *each)) return std::nullopt;
    axis += is_mask(context, *each) ? static_cast<std::size_t>(n_dimensions(context, *each)) : 1;
  }
  if (!broadcast(context, selected.loop, /*is_store=*/false, node)) return std::nullopt;
  selected.is_masked = index->arrays.size() == 1 && is_mask(context, *index->arrays.front()) &&
                       index->others.size() == static_cast<std::size_t>(array.type.n_dimensions);
  add_kept_axes(context, selected, *index);
  return selected;
}

}  // namespace numpy_plugin::declare
