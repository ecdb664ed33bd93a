// A kernel whose lanes take one element after the other: a loop until enough lanes have left it,
// the statements after it for those, and the statements before it for their next elements.
#include "numpy_plugin/analysis/lanes/lane_plan.hpp"
#include "numpy_plugin/emit/lanes/lane_statement.hpp"

namespace numpy_plugin::emit {

using declare::Statement;
using declare::StatementKind;

namespace {

std::string added(const std::string& value, const std::string& other) {
  return format("npp::lanes::add({}, {})", value, other);
}

}  // namespace

void LaneStatementPrinter::print_refilled(const std::string& elements) {
  const auto loop = function_.body.begin() + static_cast<std::ptrdiff_t>(*plan_.refilled);
  elements_ = elements;
  declare_result();
  if (returned_.empty() && analysis::parts_lanes(declare::Block(function_.body.begin(), loop)))
    returned_ = writer_.declare_mask("returned", "false");
  declare_state();
  if (loop->kind == StatementKind::kForRange) declare_trips(*loop);
  const std::string running = writer_.declare_mask("running", "false");
  const std::string trips = writer_.new_name("trips");
  writer_.line(format("npp::Trips {};", trips));
  writer_.open("for (;;)");
  writer_.open(format("if ({}.is_due({}))", elements_, running));
  meetings_.push_back(plan_.live.at_head.at(&*loop));
  finish(running);
  refill(running);
  meetings_.pop_back();
  writer_.line(format("if ({}.are_over()) return;", elements_));
  writer_.close();
  interrupt(trips);
  several_trips(*loop, running);
  writer_.close();
}

// Variables for what an element has when it enters the loop, which its assignments set in its lane.
void LaneStatementPrinter::declare_state() {
  for (std::size_t i = 0; i < function_.n_parameters; ++i) declare_zero(static_cast<int>(i));
  for (std::size_t i = 0; i <= *plan_.refilled; ++i) {
    const Statement& statement = function_.body[i];
    const bool is_loop = i == *plan_.refilled;
    if (!is_loop && declarations_.declaring.erase(&statement) != 0) declare_zero(statement.local);
    for (const int local : declarations_.before[&statement]) declare_zero(local);
    declarations_.before.erase(&statement);
  }
}

void LaneStatementPrinter::declare_trips(const Statement& loop) {
  range_.trip = writer_.declare_zero(
      "trip", declare::ValueType::scalar(analysis::trip_dtype(loop, plan_.size)));
  if (!analysis::constant_trips(loop)) {
    range_.n_trips =
        writer_.declare_zero("trips", declare::ValueType::scalar(base::DType::kUInt64));
  }
  if (analysis::reads_variable(function_, loop)) {
    range_.variable = writer_.declare_zero("next", declare::ValueType::scalar(base::DType::kInt64));
  } else if (analysis::is_assigned(loop.body, loop.local)) {
    declare_zero(loop.local);  // of an inner loop, too
  }
}

// The end of the function for lanes that have left the loop.
void LaneStatementPrinter::finish(const std::string& running) {
  finished_ = writer_.define_mask("finished", format("{}.finished({})", elements_, running));
  mask_ = finished_;
  if (!returned_.empty()) mask_ = writer_.define_mask("active", masks_and_not(mask_, returned_));
  for (std::size_t i = *plan_.refilled + 1; i < function_.body.size() && !is_over_; ++i)
    declared(function_.body[i]);
  if (!result_.empty()) give_back(result_);
  is_over_ = false;
}

// The begin of the function for the next elements.
void LaneStatementPrinter::refill(const std::string& running) {
  mask_ = writer_.define_mask("entering", format("{}.refill({})", elements_, running));
  for (std::size_t i = 0; i < function_.n_parameters; ++i) {
    const std::string operand = format("{}.template operand<{}>()", elements_, i);
    set_local(static_cast<int>(i), operand, false);
  }
  if (!returned_.empty())
    writer_.line(format("{} = {};", returned_, masks_and_not(returned_, mask_)));
  is_entering_ = true;
  for (std::size_t i = 0; i < *plan_.refilled && !is_over_; ++i) declared(function_.body[i]);
  is_entering_ = false;
  if (!is_over_) enter(function_.body[*plan_.refilled], running);
  is_over_ = false;
  if (!scope_.errors.empty())
    writer_.line(format("{} = {}.kept({});", running, elements_, running));
}

void LaneStatementPrinter::enter(const Statement& loop, const std::string& running) {
  writer_.line(format("{} = {};", running, either(running, mask_)));
  if (range_.trip.empty()) return;
  const auto set = [&](const std::string& name, const std::string& value) {
    if (!name.empty()) writer_.line(format("{} = {};", name, selected(mask_, value, name)));
  };
  set(range_.trip, expressions_.spread(analysis::trip_dtype(loop, plan_.size), "0"));
  const std::string start = expressions_.print_under(mask_, loop.range[0]);
  set(range_.variable, start);
  if (!range_.n_trips.empty()) set(range_.n_trips, lane_trips(loop, start));
}

// Lanes that have left are counted after some trips only, unless these take long.
void LaneStatementPrinter::several_trips(const Statement& loop, const std::string& running) {
  const bool is_costly = analysis::is_costly_in_lanes(plan_, loop.body) ||
                         (loop.value && analysis::is_costly_in_lanes(plan_, *loop.value));
  const std::string name = writer_.new_name("several");
  if (!is_costly) {
    writer_.open(format("NPP_SEVERAL_TRIPS({})", name));
  }
  next_trip(loop, running);
  writer_.line(format("if (!npp::lanes::any({})) {};", running, is_costly ? "continue" : "break"));
  if (!range_.trip.empty()) count_trip(loop, running);
  trip(loop, running);
  if (!is_costly) writer_.close();
}

void LaneStatementPrinter::next_trip(const Statement& loop, const std::string& running) {
  if (range_.trip.empty()) return condition(loop, running);
  const std::string n_trips =
      range_.n_trips.empty() ? expressions_.spread(analysis::trip_dtype(loop, plan_.size),
                                                   std::to_string(*analysis::constant_trips(loop)))
                             : range_.n_trips;
  writer_.line(
      format("{} = {};", running,
             masks_both(running, format("npp::lanes::less({}, {})", range_.trip, n_trips))));
}

void LaneStatementPrinter::count_trip(const Statement& loop, const std::string& running) {
  const base::DType dtype = analysis::trip_dtype(loop, plan_.size);
  writer_.line(
      format("{} = {};", range_.trip, added(range_.trip, expressions_.spread(dtype, "1"))));
  if (range_.variable.empty()) return;
  mask_ = running;
  meetings_.push_back(plan_.live.after.at(&loop));
  set_local(loop.local, range_.variable, declarations_.declaring.contains(&loop));
  meetings_.pop_back();
  const std::string step =
      expressions_.spread(base::DType::kInt64, std::to_string(*analysis::as_int64(loop.range[2])));
  writer_.line(format("{} = {};", range_.variable, added(range_.variable, step)));
}

}  // namespace numpy_plugin::emit
