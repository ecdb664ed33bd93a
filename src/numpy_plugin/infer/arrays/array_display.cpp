#include "numpy_plugin/infer/arrays/array_expressions.hpp"

#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_arrays.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"

namespace numpy_plugin::declare {
namespace {

bool is_written_out(const SyntaxNode& node) {
  return node.kind == SyntaxKind::kList || node.kind == SyntaxKind::kTuple;
}

class DisplayReader {
 public:
  explicit DisplayReader(FunctionContext& context) : context_(context) {}

  bool add(const SyntaxNode& node, std::size_t depth) {
    if (!is_written_out(node)) return add(infer(context_, node), depth);
    const std::vector<SyntaxNode>& items = node.children("elts");
    if (!begin(items.size(), depth, node)) return false;
    for (const SyntaxNode& item : items) {
      if (!add(item, depth + 1)) return false;
    }
    return true;
  }

  bool add(const Value& value, std::size_t depth) {
    if (!value.type.is_known()) return false;
    const SyntaxNode& node = *value.node;
    if (value.type.is_scalar()) {
      if (depth != display_.sizes.size()) return report_shape(node);
      display_.elements.push_back(in_local(context_, value, /*even_plain_reads=*/true));
      return true;
    }
    if (!value.type.is_tuple()) {
      error(context_, node,
            format("an item of an array must be a number, {} is {}", text(context_, node),
                   describe(value.type)),
            "make the array with np.zeros, and copy each item: b[i] = ...");
      return false;
    }
    const Value tuple = reusable(context_, value);
    if (!begin(tuple.type.items.size(), depth, node)) return false;
    const std::vector<SyntaxNode>& nodes = node.children("elts");
    const bool has_nodes = is_written_out(node) && nodes.size() == tuple.type.items.size();
    for (std::size_t i = 0; i < tuple.type.items.size(); ++i) {
      if (!add(item(context_, tuple, i, has_nodes ? nodes[i] : node), depth + 1)) return false;
    }
    return true;
  }

  ArrayDisplay take() { return std::move(display_); }

 private:
  // A list of so many items at a depth, which all lists there have.
  bool begin(std::size_t n_items, std::size_t depth, const SyntaxNode& node) {
    std::vector<std::int64_t>& sizes = display_.sizes;
    const auto size = static_cast<std::int64_t>(n_items);
    if (depth < sizes.size()) return sizes[depth] == size || report_shape(node);
    if (depth > sizes.size() || !display_.elements.empty()) return report_shape(node);
    sizes.push_back(size);
    return true;
  }

  bool report_shape(const SyntaxNode& node) {
    error(context_, node, text(context_, node) + " has another shape than the items before it");
    return false;
  }

  FunctionContext& context_;
  ArrayDisplay display_;
};

}  // namespace

std::optional<ArrayDisplay> array_display(FunctionContext& context, const SyntaxNode& node) {
  DisplayReader reader(context);
  return reader.add(node, 0) ? std::optional(reader.take()) : std::nullopt;
}

std::optional<ArrayDisplay> array_display(FunctionContext& context, const Value& tuple) {
  DisplayReader reader(context);
  return reader.add(tuple, 0) ? std::optional(reader.take()) : std::nullopt;
}

base::DType common_dtype(const ArrayDisplay& display) {
  if (display.elements.empty()) return base::DType::kFloat64;
  base::DType common = display.elements.front().type.dtype;
  for (const Value& element : display.elements) common = promote(common, element.type.dtype);
  return common;
}

}  // namespace numpy_plugin::declare
