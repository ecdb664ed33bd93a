// A kernel whose lanes take one element after the other: a loop until enough lanes have left it,
// the statements after it for those, and the statements before it for their next elements.
#include "numpy_plugin/analysis/lanes/lane_cost.hpp"
#include "numpy_plugin/emit/lanes/lane_statement.hpp"

namespace numpy_plugin::emit {

using declare::Statement;

void LaneStatementPrinter::print_refilled(const std::string& elements) {
  const auto loop = function_.body.begin() + static_cast<std::ptrdiff_t>(*plan_.refilled);
  elements_ = elements;
  declare_result();
  declare_state();
  const std::string running = writer_.declare_mask("running", "false");
  const std::string trips = writer_.new_name("trips");
  writer_.line("npp::Trips " + trips + ";");
  writer_.open("for (;;)");
  writer_.open("if (" + elements_ + ".is_due(" + running + "))");
  meetings_.push_back(plan_.live.at_head.at(&*loop));
  finish(running);
  refill(running);
  meetings_.pop_back();
  writer_.line("if (!npp::blocks::any(" + running + ")" + ") return;");
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
    if (declarations_.declaring.erase(&statement) != 0) declare_zero(statement.local);
    for (const int local : declarations_.before[&statement]) declare_zero(local);
    declarations_.before.erase(&statement);
  }
}

// The end of the function for lanes that have left the loop.
void LaneStatementPrinter::finish(const std::string& running) {
  finished_ = writer_.define_mask("finished", elements_ + ".finished(" + running + ")");
  mask_ = finished_;
  if (!returned_.empty()) mask_ = writer_.define_mask("active", masks_and_not(mask_, returned_));
  for (std::size_t i = *plan_.refilled + 1; i < function_.body.size(); ++i)
    declared(function_.body[i]);
  if (!result_.empty()) give_back(result_);
  is_over_ = false;
}

// The begin of the function for the next elements.
void LaneStatementPrinter::refill(const std::string& running) {
  mask_ = writer_.define_mask("entering", elements_ + ".refill(" + running + ")");
  for (std::size_t i = 0; i < function_.n_parameters; ++i) {
    const std::string operand = elements_ + ".template operand<" + std::to_string(i) + ">()";
    set_local(static_cast<int>(i), operand, false);
  }
  if (!returned_.empty()) writer_.line(returned_ + " = " + masks_and_not(returned_, mask_) + ";");
  for (std::size_t i = 0; i < *plan_.refilled; ++i) declared(function_.body[i]);
  writer_.line(running + " = npp::blocks::bitwise_or(" + running + ", " + mask_ + ");");
}

// Lanes that have left are counted after some trips only, unless these take long.
void LaneStatementPrinter::several_trips(const Statement& loop, const std::string& running) {
  const bool is_costly =
      is_costly_in_lanes(plan_, loop.body) || is_costly_in_lanes(plan_, *loop.value);
  const std::string name = writer_.new_name("several");
  if (!is_costly) {
    writer_.open("NPP_SEVERAL_TRIPS(" + name + ")");
  }
  condition(loop, running);
  writer_.line("if (!npp::blocks::any(" + running + ")" + (is_costly ? ") continue;" : ") break;"));
  trip(loop, running);
  if (!is_costly) writer_.close();
}

}  // namespace numpy_plugin::emit
