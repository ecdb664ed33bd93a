// Proceeds level by level from the outermost loop inwards. A loop is split where
//  - it is preceded only by assignments of locals and followed by nothing,
//  - it counts up by one from a non-negative number, and nothing leaves it or changes its variable,
//  - every access to an output has the variable as index of the same dimension,
//  - no local carries a value from one iteration to the next.
// Outputs overlap neither each other nor inputs: callers ensure that, as NumPy does.
#include "numpy_plugin/analysis/generalized_kernel.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

#include "numpy_plugin/analysis/tree.hpp"

namespace numpy_plugin::analysis {
namespace {

using declare::Expression;
using declare::ExpressionKind;
using declare::Function;
using declare::Statement;
using declare::StatementKind;
using declare::TypedKernel;
using declare::ValueType;

// One level of the search: the statements around a loop and their permitted jumps.
struct Level {
  const Block* block;
  StatementKind skip;  // skips the rest: return, inside a loop continue
};

// Index in the block of the loop that does all of a level's work.
std::size_t loop_position(const Level& level) {
  return static_cast<std::size_t>(std::find_if(level.block->begin(), level.block->end(), is_loop) -
                                  level.block->begin());
}

// Whether every iteration can repeat a statement.
bool is_repeatable(const Statement& statement, StatementKind skip) {
  const auto repeats = [skip](const Statement& inner) { return is_repeatable(inner, skip); };
  if (statement.kind == StatementKind::kIf)
    return std::all_of(statement.body.begin(), statement.body.end(), repeats) &&
           std::all_of(statement.orelse.begin(), statement.orelse.end(), repeats);
  return statement.kind == StatementKind::kAssign || statement.kind == skip;
}

// Calls visit(jump) for jumps out of the block itself, excluding those of inner loops.
void visit_jumps(const Block& block, const std::function<void(const Statement&)>& visit,
                 bool is_inner_loop = false) {
  for (const Statement& each : block) {
    const bool is_jump =
        each.kind == StatementKind::kBreak || each.kind == StatementKind::kContinue;
    if (each.kind == StatementKind::kReturn || (is_jump && !is_inner_loop)) visit(each);
    visit_jumps(each.body, visit, is_inner_loop || is_loop(each));
    visit_jumps(each.orelse, visit, is_inner_loop);
  }
}

class SplitSearch {
 public:
  explicit SplitSearch(const TypedKernel& kernel)
      : layout_(*kernel.layout), function_(std::get<declare::PythonKernel>(kernel.body).function) {}

  SplitLoops run() {
    if (!layout_.writable_inputs.empty()) return {{}, "the kernel writes inputs in place"};
    Level level{&function_.body, StatementKind::kReturn};
    while (true) {
      const std::size_t position = loop_position(level);
      // A body without inner loops is fine: it becomes the work of each thread.
      if (position == level.block->size() && !found_.loops.empty()) break;
      found_.reason = obstacle(level, position);
      if (!found_.reason.empty()) break;
      const Statement& loop = (*level.block)[position];
      const int name = *common_dimension(loop.local);
      found_.loops.push_back({loop.local, name, axis_in_first_output(loop.local, name)});
      level = {&loop.body, StatementKind::kContinue};
    }
    return std::move(found_);
  }

 private:
  const Block& body() const { return function_.body; }

  std::string quoted(int local) const {
    return format("'{}'", function_.locals[static_cast<std::size_t>(local)].name);
  }

  bool is_output(int local) const {
    const auto index = static_cast<std::size_t>(local);
    return index >= layout_.n_inputs && index < layout_.operands.size();
  }

  bool is_local_array(int local) const {
    return function_.locals[static_cast<std::size_t>(local)].storage.kind ==
           declare::ArrayStorage::Kind::kLocal;
  }

  // Why the level's loop can't be split; empty where it can.
  std::string obstacle(const Level& level, std::size_t position) const {
    if (position == level.block->size()) return "the body is not one loop";
    const Statement& loop = (*level.block)[position];
    for (const auto& check :
         {&SplitSearch::surroundings, &SplitSearch::counting, &SplitSearch::exits}) {
      std::string reason = (this->*check)(level, loop);
      if (!reason.empty()) return reason;
    }
    if (std::string reason = output_accesses(loop.local); !reason.empty()) return reason;
    const std::vector<int> carried = find_carried_locals(function_, loop.body);
    if (!carried.empty())
      return format("{} is carried from one iteration of {} to the next", quoted(carried.front()),
                    quoted(loop.local));
    return "";
  }

  std::string surroundings(const Level& level, const Statement& loop) const {
    if (loop.kind == StatementKind::kWhile) return "the body's loop is a 'while'";
    const auto here = level.block->begin() + (&loop - level.block->data());
    const auto repeats = [&](const Statement& each) { return is_repeatable(each, level.skip); };
    if (!std::all_of(level.block->begin(), here, repeats))
      return format("the code before the loop over {} does more than set variables",
                    quoted(loop.local));
    if (std::any_of(here + 1, level.block->end(), is_loop))
      return "another loop follows the loop over " + quoted(loop.local);
    const auto is_empty_end = [&](const Statement& each) { return each.kind == level.skip; };
    if (!std::all_of(here + 1, level.block->end(), is_empty_end))
      return "statements follow the loop over " + quoted(loop.local);
    return "";
  }

  std::string counting(const Level&, const Statement& loop) const {
    const bool is_upward =
        as_int64(loop.range[0]).value_or(-1) >= 0 && is_constant(loop.range[2], 1);
    if (!is_upward)
      return format("the loop over {} does not count up by one from a constant of at least 0",
                    quoted(loop.local));
    const bool is_set_here_only = count_assignments(body(), loop.local) == 1;
    return is_set_here_only ? "" : quoted(loop.local) + " is set elsewhere too";
  }

  std::string exits(const Level&, const Statement& loop) const {
    std::string reason;
    visit_jumps(loop.body, [&](const Statement& jump) {
      if (jump.kind != StatementKind::kContinue)
        reason = format("the loop over {} may end early", quoted(loop.local));
    });
    return reason;
  }

  // Requires that every element of an output belongs to one iteration.
  std::string output_accesses(int variable) const {
    std::string reason;
    int n_stores = 0;
    visit_statements(body(), [&](const Statement& each) {
      if (each.kind != StatementKind::kStore) return;
      if (is_local_array(each.local)) return;
      ++n_stores;
      if (!is_output(each.local))
        reason = quoted(each.local) + " is written, which is not an output";
    });
    visit_expressions(body(), [&](const Expression& each) {
      const auto* const reference = std::get_if<declare::LocalReference>(&each.detail);
      const bool is_array = reference && each.type.kind == ValueType::Kind::kArray;
      if (is_array && is_output(reference->local))
        reason = quoted(reference->local) + " is passed to another function";
    });
    if (!reason.empty()) return reason;
    if (n_stores == 0) return "nothing is written";
    if (const std::optional<int> output = output_without(variable))
      return format("{} is not indexed by {} in the same dimension everywhere", quoted(*output),
                    quoted(variable));
    if (!common_dimension(variable))
      return quoted(variable) + " indexes dimensions of different names";
    return "";
  }

  using Indices = std::vector<Expression>;

  // Calls visit(array, indices) for every access to an output.
  void visit_accesses(const std::function<void(int, const Indices&)>& visit) const {
    visit_statements(body(), [&](const Statement& each) {
      if (each.kind == StatementKind::kStore && is_output(each.local))
        visit(each.local, each.indices);
    });
    visit_expressions(body(), [&](const Expression& each) {
      const auto* const load = std::get_if<declare::ElementLoad>(&each.detail);
      if (load && is_output(load->array)) visit(load->array, each.operands);
    });
  }

  // The dimensions of an output that are indexed by the variable in every access.
  std::set<int> axes_indexed(int output, int variable) const {
    std::set<int> axes;
    const std::size_t n_axes = layout_.operands[static_cast<std::size_t>(output)].size();
    for (std::size_t axis = 0; axis < n_axes; ++axis) axes.insert(static_cast<int>(axis));
    visit_accesses([&](int array, const Indices& indices) {
      if (array != output) return;
      std::erase_if(axes, [&](int axis) {
        const Expression& index = indices[static_cast<std::size_t>(axis)];
        return declare::read_local(index) != variable;
      });
    });
    return axes;
  }

  int name_of(int output, int axis) const {
    const auto& dimensions = layout_.operands[static_cast<std::size_t>(output)];
    return dimensions[static_cast<std::size_t>(axis)].name_index;
  }

  std::set<int> names_indexed(int output, int variable) const {
    std::set<int> names;
    for (const int axis : axes_indexed(output, variable)) names.insert(name_of(output, axis));
    return names;
  }

  int axis_in_first_output(int variable, int name) const {
    const int output = static_cast<int>(layout_.n_inputs);
    for (const int axis : axes_indexed(output, variable))
      if (name_of(output, axis) == name) return axis;
    return -1;
  }

  std::set<int> outputs_accessed() const {
    std::set<int> outputs;
    visit_accesses([&](int array, const Indices&) { outputs.insert(array); });
    return outputs;
  }

  std::optional<int> output_without(int variable) const {
    for (const int output : outputs_accessed())
      if (names_indexed(output, variable).empty()) return output;
    return {};
  }

  // The core dimension that the variable indexes in all outputs.
  std::optional<int> common_dimension(int variable) const {
    const std::set<int> outputs = outputs_accessed();
    for (std::size_t name = 0; name < layout_.names.size(); ++name) {
      const auto indexes = [&](int output) {
        return names_indexed(output, variable).contains(static_cast<int>(name));
      };
      if (std::all_of(outputs.begin(), outputs.end(), indexes)) return static_cast<int>(name);
    }
    return {};
  }

  const declare::CoreSignature& layout_;
  const Function& function_;
  SplitLoops found_;
};

}  // namespace

SplitLoops find_split_loops(const TypedKernel& kernel) {
  const auto* const python = std::get_if<declare::PythonKernel>(&kernel.body);
  if (python == nullptr) return {{}, "a C++ body is not analyzed"};
  if (!python->exceptions.empty()) return {{}, "the kernel can raise"};
  if (python->prints) return {{}, "the kernel prints"};
  return SplitSearch(kernel).run();
}

}  // namespace numpy_plugin::analysis
