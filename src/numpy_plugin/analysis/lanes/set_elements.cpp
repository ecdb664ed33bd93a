// For each element a statement that all paths pass: a store at constant indices, or one at the
// variable of a loop over the array.
#include "numpy_plugin/analysis/lanes/set_elements.hpp"

#include <algorithm>

#include "numpy_plugin/analysis/lanes/lane_plan.hpp"

namespace numpy_plugin::emit {
namespace {

using declare::Expression;
using declare::ExpressionKind;
using declare::Statement;
using declare::StatementKind;

class Paths {
 public:
  Paths(const declare::TypedKernel& kernel, std::size_t operand)
      : layout_(*kernel.layout),
        function_(std::get<declare::PythonKernel>(kernel.body).function),
        array_(static_cast<int>(operand)),
        dimensions_(layout_.operands.at(operand)) {}

  bool read_elements() const {
    bool found = false;
    visit_expressions(function_.body, [&](const Expression& each) {
      found |=
          each.kind == ExpressionKind::kLoad && detail<declare::ElementLoad>(each).array == array_;
    });
    return found;
  }

  // Whether all paths through a block set the element at some indices.
  bool set(const Block& block, const std::vector<std::int64_t>& indices) const {
    for (const Statement& each : block) {
      if (sets(each, indices)) return true;
      if (parts_lanes({each})) return false;
    }
    return false;
  }

 private:
  bool sets(const Statement& statement, const std::vector<std::int64_t>& indices) const {
    switch (statement.kind) {
      case StatementKind::kStore:
        return statement.local == array_ && has_indices(statement, indices);
      case StatementKind::kIf:
        return set(statement.body, indices) && set(statement.orelse, indices);
      case StatementKind::kForRange:
        return walks(statement);
      default:
        return false;
    }
  }

  static bool has_indices(const Statement& store, const std::vector<std::int64_t>& indices) {
    return std::equal(
        indices.begin(), indices.end(), store.indices.begin(), store.indices.end(),
        [](std::int64_t index, const Expression& other) { return is_constant(other, index); });
  }

  // Whether a loop sets the elements of an array of one dimension.
  bool walks(const Statement& loop) const {
    if (dimensions_.size() != 1 || parts_lanes(loop.body) || is_assigned(loop.body, loop.local))
      return false;
    const int name = dimensions_.front().name_index;
    return is_constant(loop.range[0], 0) && is_constant(loop.range[2], 1) &&
           is_whole_dimension(layout_, function_, loop.range[1], name) &&
           sets_at(loop.body, loop.local);
  }
  bool sets_at(const Block& block, int variable) const {
    return std::any_of(block.begin(), block.end(), [&](const Statement& each) {
      if (each.kind == StatementKind::kIf)
        return sets_at(each.body, variable) && sets_at(each.orelse, variable);
      return each.kind == StatementKind::kStore && each.local == array_ &&
             declare::read_local(each.indices.front()) == variable;
    });
  }

  const declare::CoreSignature& layout_;
  const declare::Function& function_;
  int array_;
  const std::vector<declare::CoreDimension>& dimensions_;
};

// Moves to the next indices in C order; false after the last.
bool advance(std::vector<std::int64_t>& indices, const std::vector<std::int64_t>& sizes) {
  for (std::size_t axis = indices.size(); axis-- > 0;) {
    if (++indices[axis] < sizes[axis]) return true;
    indices[axis] = 0;
  }
  return false;
}

}  // namespace

bool sets_all_elements(const declare::TypedKernel& kernel, std::size_t operand) {
  const Paths paths(kernel, operand);
  if (paths.read_elements()) return false;
  std::vector<std::int64_t> sizes;
  for (const declare::CoreDimension& core : kernel.layout->operands.at(operand))
    sizes.push_back(kernel.layout->names.at(static_cast<std::size_t>(core.name_index)).frozen_size);
  if (sizes.empty()) sizes.push_back(1);  // a result without core dimensions
  std::vector<std::int64_t> indices(sizes.size(), 0);
  const Block& body = std::get<declare::PythonKernel>(kernel.body).function.body;
  do {
    if (!paths.set(body, indices)) return false;
  } while (advance(indices, sizes));
  return true;
}

}  // namespace numpy_plugin::emit
