// One pass over what every path executes: statements in order, including loops certain to run their
// whole range. In branches and other loops only reads count.
#include "numpy_plugin/analysis/written_elements.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "numpy_plugin/analysis/tree.hpp"

namespace numpy_plugin::emit {
namespace {

using declare::Expression;
using declare::ExpressionKind;
using declare::Statement;
using declare::StatementKind;

using Indices = std::vector<Expression>;

class WriteSearch {
 public:
  WriteSearch(const declare::TypedKernel& kernel, int array)
      : layout_(*kernel.layout),
        function_(std::get<declare::PythonKernel>(kernel.body).function),
        array_(array) {
    for (const declare::CoreDimension& dimension : dimensions_of(array))
      sizes_.push_back(size_of_name(dimension));
    if (sizes_.empty()) sizes_.push_back(1);
    for (const long size : sizes_) n_elements_ *= size;
  }

  bool run() {
    for (const Statement& each : function_.body) {
      statement(each, /*is_certain=*/true);
      written_.merge(pending_);
    }
    return is_readable_ && is_whole();
  }

 private:
  struct Range {
    std::int64_t start;
    std::int64_t stop;
  };

  const std::vector<declare::CoreDimension>& dimensions_of(int array) const {
    return layout_.operands[static_cast<std::size_t>(array)];
  }
  long size_of_name(const declare::CoreDimension& dimension) const {
    return layout_.names[static_cast<std::size_t>(dimension.name_index)].frozen_size;
  }

  bool is_whole() const { return static_cast<long>(written_.size()) == n_elements_; }

  // A block's stores are known within it, not after it.
  void block(const Block& statements, bool is_certain) {
    const std::size_t n_known = known_.size();
    for (const Statement& each : statements) statement(each, is_certain);
    known_.resize(n_known);
  }

  void statement(const Statement& statement, bool is_certain) {
    if (statement.value) read(*statement.value);
    for (const Expression& index : statement.indices) read(index);
    for (const Expression& bound : statement.range) read(bound);
    switch (statement.kind) {
      case StatementKind::kStore:
        if (statement.local == array_) store(statement.indices, is_certain);
        return;
      case StatementKind::kForRange:
        return loop(statement, is_certain);
      case StatementKind::kIf:
      case StatementKind::kWhile:
        block(statement.body, false);
        return block(statement.orelse, false);
      case StatementKind::kReturn:
        // The rest may be skipped.
        if (&statement != &function_.body.back() && !is_whole()) is_readable_ = false;
        return;
      case StatementKind::kAssign:
      case StatementKind::kBreak:
      case StatementKind::kContinue:
      case StatementKind::kEvaluate:
      case StatementKind::kRaise:  // fails the call, whatever was written
        return;
    }
  }

  void loop(const Statement& loop, bool is_certain) {
    const auto start = int64_constant(loop.range[0]);
    const auto stop = size_of(loop.range[1]);
    const bool is_whole_range = is_certain && start && stop && *start < *stop &&
                                is_constant(loop.range[2], 1) && !has_jump(loop.body) &&
                                is_steady(loop.local);
    if (is_whole_range) ranges_[loop.local] = {*start, *stop};
    block(loop.body, is_whole_range);
    ranges_.erase(loop.local);
  }

  void store(const Indices& indices, bool is_certain) {
    if (std::all_of(indices.begin(), indices.end(),
                    [this](const Expression& index) { return is_steady_index(index); }))
      known_.push_back(&indices);
    if (!is_certain) return;
    std::set<int> variables;
    std::vector<Range> ranges;
    for (std::size_t axis = 0; axis < indices.size(); ++axis) {
      const std::optional<Range> range = range_of(indices[axis], axis);
      const auto variable = declare::read_local(indices[axis]);
      if (!range || (variable && !variables.insert(*variable).second)) return;
      ranges.push_back(*range);
    }
    add_elements(ranges, 0, 0);
  }

  // The range of a store's index in a dimension, over all trips of the enclosing loops.
  std::optional<Range> range_of(const Expression& index, std::size_t axis) const {
    const long size = sizes_[axis];
    if (const auto constant = int64_constant(index)) {
      const std::int64_t value = *constant < 0 ? *constant + size : *constant;
      return Range{value, value + 1};
    }
    const auto variable = declare::read_local(index);
    if (!variable || !ranges_.contains(*variable)) return {};
    const Range range = ranges_.at(*variable);
    if (range.start < 0) return {};
    return Range{range.start, std::min<std::int64_t>(range.stop, size)};
  }

  void add_elements(const std::vector<Range>& ranges, std::size_t axis, std::int64_t first) {
    if (axis == ranges.size()) {
      pending_.insert(first);
      return;
    }
    for (std::int64_t i = ranges[axis].start; i < ranges[axis].stop; ++i)
      add_elements(ranges, axis + 1, first * sizes_[axis] + i);
  }

  // A read is covered by this call's writes: of the whole array, or of the same indices in an
  // enclosing block.
  void read(const Expression& expression) {
    for (const Expression& operand : expression.operands) read(operand);
    const bool names_array =
        (expression.kind == ExpressionKind::kLoad || expression.kind == ExpressionKind::kLocal) &&
        declare::named_local(expression) == array_;
    if (!names_array || is_whole()) return;
    const bool is_known =
        expression.kind == ExpressionKind::kLoad &&
        std::any_of(known_.begin(), known_.end(), [&](const Indices* stored) {
          return std::equal(stored->begin(), stored->end(), expression.operands.begin(), is_same);
        });
    if (!is_known) is_readable_ = false;
  }

  static bool is_same(const Expression& first, const Expression& second) {
    if (first.kind != second.kind) return false;
    return first.kind == ExpressionKind::kLocal
               ? declare::read_local(first) == declare::read_local(second)
               : int64_constant(first) == int64_constant(second);
  }

  bool is_steady_index(const Expression& index) const {
    return index.kind == ExpressionKind::kConstant ||
           (index.kind == ExpressionKind::kLocal && is_steady(*declare::read_local(index)));
  }

  // Whether a local has the same value wherever one block reads it.
  bool is_steady(int local) const {
    const int n_given = static_cast<std::size_t>(local) < function_.n_parameters ? 1 : 0;
    return n_given + count_assignments(function_.body, local) == 1;
  }

  static bool has_jump(const Block& body) {
    bool found = false;
    visit_statements(body, [&](const Statement& each) {
      found = found || each.kind == StatementKind::kBreak ||
              each.kind == StatementKind::kContinue || each.kind == StatementKind::kReturn;
    });
    return found;
  }

  std::optional<std::int64_t> size_of(const Expression& stop) const {
    const auto* const size = std::get_if<declare::ArraySize>(&stop.detail);
    if (size == nullptr) return int64_constant(stop);
    if (static_cast<std::size_t>(size->array) >= layout_.operands.size()) return {};
    const auto& dimensions = dimensions_of(size->array);
    const auto axis = static_cast<std::size_t>(size->axis);
    return axis < dimensions.size() ? size_of_name(dimensions[axis]) : 1;
  }

  const declare::CoreSignature& layout_;
  const declare::Function& function_;
  const int array_;
  std::vector<long> sizes_;  // of the array's dimensions
  long n_elements_ = 1;
  std::map<int, Range> ranges_;        // of the enclosing loops' variables
  std::set<std::int64_t> written_;     // elements, numbered in C order
  std::set<std::int64_t> pending_;     // likewise, after the current outermost statement
  std::vector<const Indices*> known_;  // written in the enclosing blocks
  bool is_readable_ = true;            // whether every read so far was covered by writes
};

}  // namespace

bool is_wholly_written(const declare::TypedKernel& kernel, int output) {
  return WriteSearch(kernel, output).run();
}

}  // namespace numpy_plugin::emit
