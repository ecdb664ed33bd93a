// Elements that are certainly written, as boxes of indices: along each dimension from a position to
// another one, which is a number, a core dimension's size or a local's value plus a number. One
// pass follows all paths; a loop's body is passed twice, first for what each trip writes, then for
// what it reads after the trips before it.
#include "numpy_plugin/analysis/generalized_kernel.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "numpy_plugin/analysis/tree.hpp"

namespace numpy_plugin::analysis {
namespace {

using declare::Expression;
using declare::ExpressionKind;
using declare::Operation;
using declare::Statement;
using declare::StatementKind;

struct Position {
  enum class From : std::uint8_t { kStart, kSize, kLocal };
  From from = From::kStart;
  int number = 0;  // of the core dimension's name, or the local
  std::int64_t offset = 0;

  bool operator==(const Position&) const = default;
  bool has_base_of(const Position& other) const {
    return from == other.from && number == other.number;
  }
  bool is_of(int local) const { return from == From::kLocal && number == local; }
  Position plus(std::int64_t more) const { return {from, number, offset + more}; }
};

struct Interval {
  Position begin;
  Position end;

  bool operator==(const Interval&) const = default;
};

using Box = std::vector<Interval>;
using Boxes = std::vector<Box>;
using Path = std::optional<Boxes>;  // written so far; nullopt where no path arrives

class WriteSearch {
 public:
  WriteSearch(const declare::TypedKernel& kernel, int array)
      : layout_(*kernel.layout),
        function_(std::get<declare::PythonKernel>(kernel.body).function),
        array_(array),
        settings_(function_.locals.size()) {
    for (const declare::CoreDimension& dimension : dimensions_of(array))
      whole_.push_back({{}, size_of_name(dimension.name_index)});
    if (whole_.empty()) whole_.push_back({{}, Position().plus(1)});
    visit_statements(function_.body, [this](const Statement& each) {
      if (each.kind == StatementKind::kAssign || each.kind == StatementKind::kForRange)
        settings_[static_cast<std::size_t>(each.local)].push_back(&each);
    });
  }

  bool run() {
    const Path at_end = block(function_.body, Boxes());
    return is_independent_ && (!at_end || covers(*at_end, whole_));
  }

 private:
  // The jumps of a loop's body.
  struct Exits {
    Path at_continue;
    Path at_break;
  };

  const std::vector<declare::CoreDimension>& dimensions_of(int operand) const {
    return layout_.operands[static_cast<std::size_t>(operand)];
  }
  Position size_of_name(int name) const {
    const long fixed = layout_.names[static_cast<std::size_t>(name)].frozen_size;
    return fixed >= 0 ? Position().plus(fixed) : Position{Position::From::kSize, name, 0};
  }

  // ---- positions and boxes

  // Whether a position is certainly not after another one.
  bool precedes(const Position& first, const Position& second) const {
    if (first.has_base_of(second)) return first.offset <= second.offset;
    if (const Interval* const range = range_of(first))
      return precedes(range->end.plus(first.offset - 1), second);
    if (const Interval* const range = range_of(second))
      return precedes(first, range->begin.plus(second.offset));
    return first.from == Position::From::kStart && second.from == Position::From::kSize &&
           first.offset <= second.offset;
  }

  // The values of a loop's variable inside the loop.
  const Interval* range_of(const Position& position) const {
    if (position.from != Position::From::kLocal) return nullptr;
    const auto found = ranges_.find(position.number);
    return found == ranges_.end() ? nullptr : &found->second;
  }

  bool contains(const Box& outer, const Box& inner) const {
    for (std::size_t axis = 0; axis < outer.size(); ++axis) {
      const bool is_inside =
          outer[axis] == whole_[axis] || (precedes(outer[axis].begin, inner[axis].begin) &&
                                          precedes(inner[axis].end, outer[axis].end));
      if (!is_inside) return false;
    }
    return true;
  }

  bool covers(const Boxes& boxes, const Box& box) const {
    return std::ranges::any_of(boxes, [&](const Box& each) { return contains(each, box); });
  }

  // The box of two that continue one another along one dimension. None has elements outside the
  // array.
  std::optional<Box> joined(const Box& first, const Box& second) const {
    const auto [one, other] = std::ranges::mismatch(first, second);
    if (!std::equal(one + 1, first.end(), other + 1)) return {};
    const auto axis = static_cast<std::size_t>(one - first.begin());
    const bool begins = one->begin == whole_[axis].begin || precedes(one->begin, other->begin);
    const bool ends = other->end == whole_[axis].end || precedes(one->end, other->end);
    if (!begins || !ends || !precedes(other->begin, one->end)) return {};
    Box box = first;
    box[axis].end = other->end;
    return box;
  }

  void add(Boxes& boxes, Box box) const {
    if (covers(boxes, box)) return;
    std::erase_if(boxes, [&](const Box& each) { return contains(box, each); });
    for (auto each = boxes.begin(); each != boxes.end(); ++each) {
      std::optional<Box> both = joined(*each, box);
      if (!both) both = joined(box, *each);
      if (!both) continue;
      boxes.erase(each);
      return add(boxes, *std::move(both));
    }
    boxes.push_back(std::move(box));
  }
  void add(Boxes& boxes, const Boxes& more) const {
    for (const Box& box : more) add(boxes, box);
  }

  // Elements that both of two paths write.
  Path join(Path first, const Path& second) const {
    if (!first || !second) return first ? std::move(first) : second;
    Boxes both;
    for (const Box& box : *first)
      if (covers(*second, box)) add(both, box);
    for (const Box& box : *second)
      if (covers(*first, box)) add(both, box);
    return both;
  }

  // ---- indices

  // Whether a local has one value wherever a block reads it.
  bool is_steady(int local) const {
    const auto index = static_cast<std::size_t>(local);
    const std::size_t n_given = index < function_.n_parameters ? 1 : 0;
    return n_given + settings_[index].size() == 1;
  }

  std::optional<Position> position_of(const Expression& expression) const {
    if (const auto constant = as_int64(expression)) return Position().plus(*constant);
    if (const auto* const size = std::get_if<declare::ArraySize>(&expression.detail))
      return position_of(*size);
    if (const auto local = declare::read_local(expression)) return position_of_local(*local);
    const auto* const operation = std::get_if<Operation>(&expression.detail);
    if (operation == nullptr || expression.operands.size() != 2) return {};
    const auto first = position_of(expression.operands[0]);
    const auto number = as_int64(expression.operands[1]);
    if (!first || !number) return {};
    if (*operation == Operation::kAdd) return first->plus(*number);
    if (*operation == Operation::kSubtract) return first->plus(-*number);
    return {};
  }

  std::optional<Position> position_of(const declare::ArraySize& size) const {
    if (static_cast<std::size_t>(size.array) >= layout_.operands.size()) return {};
    const auto& dimensions = dimensions_of(size.array);
    const auto axis = static_cast<std::size_t>(size.axis);
    if (axis >= dimensions.size()) return Position().plus(1);
    const int name = dimensions[axis].name_index;
    const bool may_be_one = layout_.names[static_cast<std::size_t>(name)].is_broadcastable;
    if (may_be_one && size.array != array_) return {};
    return size_of_name(name);
  }

  std::optional<Position> position_of_local(int local) const {
    if (!is_steady(local)) return {};
    const auto& settings = settings_[static_cast<std::size_t>(local)];
    const bool is_assigned_once =
        !settings.empty() && settings.front()->kind == StatementKind::kAssign;
    if (is_assigned_once) {
      if (const auto value = position_of(*settings.front()->value)) return value;
    }
    return Position{Position::From::kLocal, local, 0};
  }

  // Negative indices count from the end.
  std::optional<Interval> element_at(const Expression& index, std::size_t axis) const {
    std::optional<Position> position = position_of(index);
    if (!position) return {};
    const bool is_number = position->from == Position::From::kStart;
    if (is_number && position->offset < 0) position = whole_[axis].end.plus(position->offset);
    if (range_of(*position) != nullptr && !precedes(Position(), *position)) return {};
    return Interval{*position, position->plus(1)};
  }

  std::optional<Box> elements_at(const Expression* indices) const {
    Box box;
    for (std::size_t axis = 0; axis < whole_.size(); ++axis) {
      const Expression& index = indices[axis];
      const bool is_all = index.kind == ExpressionKind::kSlice && index.operands.empty();
      const auto interval = is_all ? whole_[axis] : element_at(index, axis);
      if (!interval) return {};
      box.push_back(*interval);
    }
    return box;
  }

  // Elements of a destination of many; nullopt where they are others or uncertain.
  std::optional<Box> elements_of(const Expression& destination) const {
    if (declare::root_array(destination) != array_) return {};
    switch (destination.kind) {
      case ExpressionKind::kLocal:
        return whole_;
      case ExpressionKind::kCast:
        return elements_of(destination.operands.front());
      case ExpressionKind::kView:
        if (elements_of(destination.operands.front()) != whole_) return {};
        return elements_at(destination.operands.data() + 1);
      default:
        return {};
    }
  }

  // ---- paths

  Path block(const Block& statements, Path path) {
    for (const Statement& each : statements) {
      if (!path) break;
      path = statement(each, *std::move(path));
    }
    return path;
  }

  Path statement(const Statement& statement, Boxes written) {
    if (statement.value) evaluate(*statement.value, written);
    for (const Expression& index : statement.indices) evaluate(index, written);
    for (const Expression& bound : statement.range) evaluate(bound, written);
    switch (statement.kind) {
      case StatementKind::kStore:
        if (statement.local == array_) {
          if (const auto box = elements_at(statement.indices.data())) add(written, *box);
        }
        return written;
      case StatementKind::kIf: {
        Path otherwise = block(statement.orelse, written);
        return join(block(statement.body, std::move(written)), otherwise);
      }
      case StatementKind::kForRange:
      case StatementKind::kWhile:
        return loop(statement, std::move(written));
      case StatementKind::kBreak:
        exits_->at_break = join(std::move(exits_->at_break), written);
        return {};
      case StatementKind::kContinue:
        exits_->at_continue = join(std::move(exits_->at_continue), written);
        return {};
      case StatementKind::kReturn:
        if (checks_) is_independent_ = is_independent_ && covers(written, whole_);
        return {};
      case StatementKind::kRaise:  // fails the call, whatever was written
        return {};
      case StatementKind::kAssign:
      case StatementKind::kEvaluate:
        return written;
    }
    return written;
  }

  Path loop(const Statement& loop, Boxes before) {
    const std::optional<Interval> range = range_of(loop);
    if (range) ranges_[loop.local] = *range;
    Exits* const outer = std::exchange(exits_, nullptr);
    Exits exits;
    const Boxes of_trip = body(loop, Boxes(), false, exits).value_or(Boxes());
    if (checks_) {
      Boxes at_trip = before;
      if (range) add(at_trip, of_earlier_trips(loop, *range, of_trip));
      Exits ignored;
      body(loop, std::move(at_trip), true, ignored);
    }
    exits_ = outer;
    ranges_.erase(loop.local);
    Boxes after = before;
    if (range) add(after, of_all_trips(loop, *range, of_trip));
    if (!exits.at_break) return after;
    add(before, of_one_trip(loop, *exits.at_break));
    return join(std::move(after), before);
  }

  Path body(const Statement& loop, Boxes before, bool checks, Exits& exits) {
    const bool outer_checks = std::exchange(checks_, checks && checks_);
    exits_ = &exits;
    Path at_end = block(loop.body, std::move(before));
    checks_ = outer_checks;
    return join(std::move(at_end), exits.at_continue);
  }

  // Values of a loop's variable in steps of one.
  std::optional<Interval> range_of(const Statement& loop) const {
    if (loop.kind != StatementKind::kForRange || !is_steady(loop.local)) return {};
    const auto start = position_of(loop.range[0]);
    const auto stop = position_of(loop.range[1]);
    if (!start || !stop) return {};
    if (is_constant(loop.range[2], 1)) return Interval{*start, *stop};
    if (is_constant(loop.range[2], -1)) return Interval{stop->plus(1), start->plus(1)};
    return {};
  }

  // Boxes that mean the same elements after the loop, or in its next trip.
  Boxes of_one_trip(const Statement& loop, const Boxes& boxes) const {
    Boxes result;
    for (const Box& box : boxes)
      if (!is_of_trip(loop, box)) result.push_back(box);
    return result;
  }

  bool is_of_trip(const Statement& loop, const Box& box) const {
    return std::ranges::any_of(box, [&](const Interval& each) {
      const auto is_set = [&](const Position& position) {
        return position.from == Position::From::kLocal &&
               (position.is_of(loop.local) || is_assigned(loop.body, position.number));
      };
      return is_set(each.begin) || is_set(each.end);
    });
  }

  // The elements of trips whose variable has these values: those at its value plus a number.
  Boxes at_values(const Statement& loop, const Interval& values, const Boxes& of_trip) const {
    Boxes result;
    for (const Box& box : of_trip) {
      const auto moving = std::ranges::find_if(box, [&](const Interval& each) {
        return each.begin.is_of(loop.local) && each.end.is_of(loop.local);
      });
      if (moving == box.end()) continue;
      const auto axis = moving - box.begin();
      Box others = box;
      others.erase(others.begin() + axis);
      if (is_of_trip(loop, others)) continue;
      const std::int64_t offset = moving->begin.offset;
      result.push_back(box);
      result.back()[static_cast<std::size_t>(axis)] = {values.begin.plus(offset),
                                                       values.end.plus(offset)};
    }
    return result;
  }

  Boxes of_earlier_trips(const Statement& loop, const Interval& range, const Boxes& of_trip) const {
    const Position variable = {Position::From::kLocal, loop.local, 0};
    const Interval earlier = is_constant(loop.range[2], 1) ? Interval{range.begin, variable}
                                                           : Interval{variable.plus(1), range.end};
    return at_values(loop, earlier, of_trip);
  }

  Boxes of_all_trips(const Statement& loop, const Interval& range, const Boxes& of_trip) const {
    Boxes result = at_values(loop, range, of_trip);
    const bool has_trips = precedes(range.begin.plus(1), range.end);
    if (has_trips) add(result, of_one_trip(loop, of_trip));
    return result;
  }

  // ---- reads

  // Reads of an expression's parts; then what it writes itself.
  void evaluate(const Expression& expression, Boxes& written) {
    const bool sets = declare::sets_elements(expression) &&
                      expression.kind != ExpressionKind::kSortElements &&  // which reads them
                      declare::root_array(expression.operands.front()) == array_;
    for (const Expression& operand : expression.operands) {
      const bool is_destination = sets && &operand == &expression.operands.front();
      is_destination ? evaluate_indices(operand, written) : evaluate(operand, written);
    }
    if (sets) {
      if (const auto box = elements_of(expression.operands.front())) add(written, *box);
    }
    if (expression.kind == ExpressionKind::kLoad &&
        detail<declare::ElementLoad>(expression).array == array_) {
      const auto box = elements_at(expression.operands.data());
      return read(box ? *box : whole_, written);
    }
    if (expression.kind == ExpressionKind::kLocal && declare::read_local(expression) == array_)
      read(whole_, written);
  }

  void evaluate_indices(const Expression& destination, Boxes& written) {
    if (destination.kind == ExpressionKind::kLocal) return;
    evaluate_indices(destination.operands.front(), written);
    for (std::size_t i = 1; i < destination.operands.size(); ++i)
      evaluate(destination.operands[i], written);
  }

  void read(const Box& box, const Boxes& written) {
    if (checks_ && !covers(written, box)) is_independent_ = false;
  }

  const declare::CoreSignature& layout_;
  const declare::Function& function_;
  const int array_;
  Box whole_;
  std::vector<std::vector<const Statement*>> settings_;  // by local
  std::map<int, Interval> ranges_;                       // of the enclosing loops' variables
  Exits* exits_ = nullptr;                               // of the innermost loop
  bool checks_ = true;                                   // whether reads count
  bool is_independent_ = true;                           // so far, of what was in the memory
};

}  // namespace

bool is_wholly_written(const declare::TypedKernel& kernel, int output) {
  if (std::holds_alternative<declare::CppKernel>(kernel.body)) return false;
  return WriteSearch(kernel, output).run();
}

}  // namespace numpy_plugin::analysis
