// Each construct narrows the mask, and widens it at its end to the lanes that reach it. A variable
// is assigned under the mask only where lanes that do not take part may read it later, or where its
// next trip's operations, of which their results are unused, might raise flags.
#include "numpy_plugin/emit/lanes/lane_statement.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "numpy_plugin/analysis/lanes/lane_plan.hpp"

namespace numpy_plugin::emit {

using declare::Expression;
using declare::ExpressionKind;
using declare::Statement;
using declare::StatementKind;
using declare::ValueType;

namespace {

// Whether a function's only return statement is its last statement.
bool returns_at_end_only(const declare::Function& function) {
  const auto last = function.body.end() - 1;
  return last->kind == StatementKind::kReturn &&
         !analysis::parts_lanes(declare::Block(function.body.begin(), last));
}

bool has_returns_in_loops(const declare::Block& block) {
  bool found = false;
  declare::visit_statements(block, [&](const Statement& each) {
    found |= declare::is_loop(each) && analysis::returns_inside(each);
  });
  return found;
}

// Whether some lanes go on with the next trip before the body's end.
bool continues(const declare::Block& body) {
  return std::any_of(body.begin(), body.end(), [](const Statement& each) {
    if (declare::is_loop(each)) return false;
    return each.kind == StatementKind::kContinue || continues(each.body) || continues(each.orelse);
  });
}

std::string any(const std::string& mask) { return format("npp::lanes::any({})", mask); }

}  // namespace

LaneStatementPrinter::LaneStatementPrinter(const declare::Function& function,
                                           const analysis::LanePlan& plan, const Scope& scope,
                                           LaneWriter& writer)
    : function_(function),
      plan_(plan),
      scope_(scope),
      writer_(writer),
      expressions_(scope, plan, writer),
      declarations_(plan_declarations(function)) {}

// Generalized kernels have none.
bool LaneStatementPrinter::has_result() const {
  return function_.result.kind != ValueType::Kind::kNone;
}

// Variables for what some lanes return before others.
void LaneStatementPrinter::declare_result() {
  if (has_result() && !returns_at_end_only(function_))
    result_ = writer_.declare_zero("result", function_.result);
  if (has_returns_in_loops(function_.body)) returned_ = writer_.declare_mask("returned", "false");
}

void LaneStatementPrinter::print() { print_under(""); }

void LaneStatementPrinter::print_under(const std::string& mask) {
  mask_ = mask;
  declare_result();
  block(function_.body);
  if (!result_.empty()) give_back(result_);
}

const std::string& LaneStatementPrinter::name_of(int local) const {
  return scope_.locals.at(static_cast<std::size_t>(local));
}

void LaneStatementPrinter::declare_zero(int local) {
  const ValueType& type = function_.locals.at(static_cast<std::size_t>(local)).type;
  writer_.line(format("{} {} = {};", writer_.type(type), name_of(local), writer_.zero(type)));
}

void LaneStatementPrinter::block(const declare::Block& statements) {
  for (const Statement& each : statements) {
    if (is_over_) return;
    declared(each);
  }
}

void LaneStatementPrinter::declared(const Statement& statement) {
  if (const auto found = declarations_.before.find(&statement);
      found != declarations_.before.end()) {
    for (const int local : found->second) declare_zero(local);
  }
  this->statement(statement);
}

void LaneStatementPrinter::statement(const Statement& statement) {
  switch (statement.kind) {
    case StatementKind::kAssign:
      return assign(statement.local, *statement.value,
                    declarations_.declaring.contains(&statement));
    case StatementKind::kIf:
      return conditional(statement);
    case StatementKind::kWhile:
      return while_loop(statement);
    case StatementKind::kForRange:
      return for_range(statement);
    case StatementKind::kContinue:
      writer_.line(format("{} = {};", continued_.back(), either(continued_.back(), mask_)));
      is_over_ = true;
      return;
    case StatementKind::kBreak:
      is_over_ = true;
      return;
    case StatementKind::kReturn:
      return statement.value ? return_value(*statement.value) : leave_function();
    case StatementKind::kRaise:
      writer_.line(format("{}.report({}, {});", scope_.errors, expressions_.whole_mask(mask_),
                          statement.exception + 1));
      return leave_function();
    case StatementKind::kStore:
      return store(statement);
    case StatementKind::kEvaluate:
      break;
  }
  NPP_ASSERT(false, std::to_string(static_cast<int>(statement.kind)));
}

// ---- assignments and results

bool LaneStatementPrinter::is_read_where_lanes_meet(int local) const {
  return std::any_of(meetings_.begin(), meetings_.end(),
                     [local](const std::set<int>& locals) { return locals.contains(local); });
}

void LaneStatementPrinter::set_local(int local, const std::string& value, bool declares) {
  expressions_.forget(local);
  const std::string& name = name_of(local);
  const ValueType& type = function_.locals.at(static_cast<std::size_t>(local)).type;
  if (declares) return writer_.line(format("{} {} = {};", writer_.type(type), name, value));
  writer_.line(format("{} = {};", name, set_in_lanes(local, value)));
}

// Zeros in lanes that have left their loop raise no flags, and take fewer instructions than values
// of before.
std::string LaneStatementPrinter::set_in_lanes(int local, const std::string& value) const {
  if (mask_.empty() || !is_read_where_lanes_meet(local)) return value;
  if (meetings_.size() == n_meetings_ && forgotten_.contains(local))
    return format("npp::lanes::kept({}, {})", mask_, value);
  return selected(mask_, value, name_of(local));
}

void LaneStatementPrinter::assign(int local, const Expression& value, bool declares) {
  if (declares || !counts(local, value))
    return set_local(local, expressions_.print_under(mask_, value), declares);
  expressions_.forget(local);
  const std::string& name = name_of(local);
  writer_.line(format("{} = npp::lanes::counted({}, {});", name, mask_, name));
}

// Whether a value is one more in the lanes of the mask, for which there is an instruction.
bool LaneStatementPrinter::counts(int local, const Expression& value) const {
  const auto is_sum = value.kind == ExpressionKind::kCall &&
                      detail<declare::Operation>(value) == declare::Operation::kAdd;
  return !mask_.empty() && is_sum && base::is_integer(value.type.dtype) &&
         declare::read_local(value.operands[0]) == local &&
         value.operands[1].kind == ExpressionKind::kConstant &&
         analysis::is_constant(value.operands[1], 1) && is_read_where_lanes_meet(local);
}

// "out.store(mask, value, npp::int64(0));".
void LaneStatementPrinter::store(const Statement& statement) {
  const std::string value = expressions_.print_under(mask_, *statement.value);
  std::vector<std::string> arguments = expressions_.print_indices(statement.indices);
  arguments.insert(arguments.begin(), {expressions_.whole_mask(mask_), value});
  expressions_.forget(statement.local);
  writer_.line(format("{}.store({});", name_of(statement.local), base::join(arguments, ", ")));
}

void LaneStatementPrinter::return_value(const Expression& value) {
  const std::string text = expressions_.print_under(mask_, value);
  if (result_.empty())
    give_back(text);
  else
    writer_.line(
        format("{} = {};", result_, mask_.empty() ? text : selected(mask_, text, result_)));
  leave_function();
}

void LaneStatementPrinter::give_back(const std::string& value) {
  if (elements_.empty())
    writer_.line(format("return {};", value));
  else
    writer_.line(format("{}.store({}, {});", elements_, finished_, value));
}

void LaneStatementPrinter::leave_function() {
  const bool is_in_loop = !continued_.empty();
  if (is_in_loop || is_entering_)
    writer_.line(format("{} = {};", returned_, either(returned_, mask_)));
  is_over_ = true;
}

// ---- conditions

void LaneStatementPrinter::conditional(const Statement& statement) {
  const bool parts =
      analysis::parts_lanes(statement.body) || analysis::parts_lanes(statement.orelse);
  if (!parts && analysis::is_uniform(plan_.uniform, *statement.value))
    return uniform_conditional(statement);
  if (!join(statement)) masked_conditional(statement);
}

void LaneStatementPrinter::uniform_conditional(const Statement& statement) {
  writer_.open(format("if ({})", expressions_.print_uniform(*statement.value)));
  block(statement.body);
  writer_.close();
  if (statement.orelse.empty()) return;
  writer_.open("else");
  block(statement.orelse);
  writer_.close();
}

// Both arms assign the same variable and nothing else: one selection.
bool LaneStatementPrinter::join(const Statement& conditional) {
  if (conditional.body.size() != 1 || conditional.orelse.size() != 1) return false;
  const Statement& first = conditional.body.front();
  const Statement& second = conditional.orelse.front();
  if (first.kind != StatementKind::kAssign || second.kind != StatementKind::kAssign ||
      first.local != second.local)
    return false;
  const Expression choice{ExpressionKind::kSelect,
                          first.value->type,
                          conditional.place,
                          {*conditional.value, *first.value, *second.value}};
  assign(first.local, choice, false);
  return true;
}

// One arm, skipped where it takes long and no lane takes part. `mask_` and `is_over_` become those
// of its end.
void LaneStatementPrinter::arm(const std::string& mask, const declare::Block& statements) {
  mask_ = mask;
  is_over_ = false;
  if (!analysis::is_costly_in_lanes(plan_, statements)) return block(statements);
  std::string rest;
  if (analysis::parts_lanes(statements)) rest = writer_.declare_mask("rest", "false");
  writer_.open(format("if ({})", any(mask)));
  block(statements);
  if (!rest.empty() && !is_over_) writer_.line(format("{} = {};", rest, mask_));
  writer_.close();
  if (!rest.empty() && !is_over_) mask_ = rest;
}

void LaneStatementPrinter::masked_conditional(const Statement& statement) {
  const std::string outer = mask_;
  const bool parts =
      analysis::parts_lanes(statement.body) || analysis::parts_lanes(statement.orelse);
  const std::string condition =
      writer_.define_mask("condition", expressions_.print_under(mask_, *statement.value));
  const std::string then_mask =
      outer.empty() ? condition : writer_.define_mask("active", masks_both(outer, condition));
  std::string else_mask;
  if (parts || !statement.orelse.empty()) {
    else_mask = writer_.define_mask("active", masks_and_not(outer, condition));
  }
  meetings_.push_back(plan_.live.after.at(&statement));
  arm(then_mask, statement.body);
  const std::string then_end = is_over_ ? "" : mask_;
  arm(else_mask, statement.orelse);
  meetings_.pop_back();
  const bool else_is_over = is_over_;
  is_over_ = then_end.empty() && else_is_over;
  if (!parts)
    mask_ = outer;
  else if (else_is_over)
    mask_ = then_end;
  else if (!then_end.empty())
    mask_ = writer_.define_mask("active", either(then_end, mask_));
}

// ---- loops

// Whether lanes leave a loop because a function that it calls has raised.
bool LaneStatementPrinter::may_raise_on_trips(const Statement& loop) const {
  return !scope_.errors.empty() && analysis::calls_functions(loop);
}

// A variable for the lanes that a loop is not over for.
std::string LaneStatementPrinter::running_lanes() {
  expressions_.forget();
  return writer_.declare_mask("running", mask_.empty() ? "true" : mask_);
}

// The body of a loop, of whose lanes those that reach its end or its next trip go on.
void LaneStatementPrinter::trip(const Statement& loop, const std::string& running) {
  std::string continued;
  if (continues(loop.body)) {
    continued = writer_.declare_mask("continued", "false");
  }
  continued_.push_back(continued);
  std::set<int> meeting = plan_.live.after.at(&loop);
  const std::set<int>& head = plan_.live.at_head.at(&loop);
  meeting.insert(head.begin(), head.end());
  const auto outer = std::pair(std::exchange(forgotten_, {}), n_meetings_);
  if (continued.empty()) find_forgotten(loop);
  meetings_.push_back(std::move(meeting));
  n_meetings_ = meetings_.size();
  mask_ = running;
  block(loop.body);
  std::tie(forgotten_, n_meetings_) = outer;
  meetings_.pop_back();
  continued_.pop_back();
  std::string rest = is_over_ ? continued : mask_;
  if (!is_over_ && !continued.empty()) rest = either(mask_, continued);
  if (rest.empty()) rest = writer_.mask_type() + "(false)";
  if (may_raise_on_trips(loop)) rest = masks_and_not(rest, scope_.errors + ".raised");
  if (rest != running) writer_.line(format("{} = {};", running, rest));
  is_over_ = false;
}

void LaneStatementPrinter::find_forgotten(const Statement& loop) {
  const std::set<int>& after = plan_.live.after.at(&loop);
  for (const int local : plan_.live.at_head.at(&loop)) {
    if (!after.contains(local) && !is_read_where_lanes_meet(local)) forgotten_.insert(local);
  }
}

void LaneStatementPrinter::leave_loop(const Statement& loop, const std::string& outer) {
  expressions_.forget();
  mask_ = outer;
  if (analysis::returns_inside(loop))
    mask_ = writer_.define_mask("active", masks_and_not(outer, returned_));
}

void LaneStatementPrinter::condition(const Statement& loop, const std::string& running) {
  const bool is_endless = loop.value->kind == ExpressionKind::kConstant;
  if (is_endless) return;
  const std::string condition = expressions_.print_shared(running, *loop.value);
  writer_.line(format("{} = {};", running, masks_both(running, condition)));
}

void LaneStatementPrinter::interrupt(const std::string& trips) {
  const bool returns_value = elements_.empty() && has_result();
  writer_.line(format("if ({}.are_interrupted()) return{}", trips, returns_value ? " {};" : ";"));
}

void LaneStatementPrinter::while_loop(const Statement& loop) {
  const std::string outer = mask_;
  const std::string running = running_lanes();
  const std::string trips = writer_.new_name("trips");
  writer_.line(format("npp::Trips {};", trips));
  writer_.open("for (;;)");
  condition(loop, running);
  writer_.line(format("if (!{}) break;", any(running)));
  interrupt(trips);
  trip(loop, running);
  writer_.close();
  leave_loop(loop, outer);
}

void LaneStatementPrinter::for_range(const Statement& loop) {
  const bool is_known = std::all_of(
      loop.range.begin(), loop.range.end(),
      [&](const Expression& bound) { return analysis::is_uniform(plan_.uniform, bound); });
  if (is_known)
    uniform_range(loop);
  else
    lane_range(loop);
}

// All lanes make the same trips, until they leave.
void LaneStatementPrinter::uniform_range(const Statement& loop) {
  expressions_.forget();
  const std::string outer = mask_;
  const bool parts = analysis::parts_lanes(loop.body) || may_raise_on_trips(loop);
  const std::string start = expressions_.print_uniform(loop.range[0]);
  const std::string stop = expressions_.print_uniform(loop.range[1]);
  const std::string step = expressions_.print_uniform(loop.range[2]);
  const std::string running = parts ? running_lanes() : "";
  const std::string n_trips = writer_.new_name("trips");
  const std::string trip_name = writer_.new_name("trip");
  writer_.line(
      format("const npp::uint64 {} = npp::trip_count({}, {}, {});", n_trips, start, stop, step));
  writer_.open(
      format("for (npp::uint64 {} = 0; {} < {}; ++{})", trip_name, trip_name, n_trips, trip_name));
  if (parts) writer_.line(format("if (!{}) break;", any(running)));
  const std::string value =
      format("npp::add({}, npp::multiply(npp::int64({}), {}))", start, trip_name, step);
  if (plan_.uniform.contains(loop.local)) {
    writer_.line(format("const npp::int64 {} = {};", name_of(loop.local), value));
  } else {
    mask_ = parts ? running : outer;
    meetings_.push_back(plan_.live.after.at(&loop));
    set_local(loop.local, expressions_.spread(base::DType::kInt64, value),
              declarations_.declaring.contains(&loop));
    meetings_.pop_back();
  }
  if (parts) {
    trip(loop, running);
  } else {
    continued_.push_back("");
    block(loop.body);
    continued_.pop_back();
  }
  writer_.close();
  leave_loop(loop, outer);
}

// The number of trips of each lane.
std::string LaneStatementPrinter::lane_trips(const Statement& loop, const std::string& start) {
  const std::string stop = expressions_.print_under(mask_, loop.range[1]);
  const bool is_upward = analysis::is_constant(loop.range[2], 1);
  return format("npp::lanes::trip_count({}, {})", is_upward ? start : stop,
                is_upward ? stop : start);
}

// Lanes make different numbers of trips.
void LaneStatementPrinter::lane_range(const Statement& loop) {
  const std::string outer = mask_;
  const bool is_upward = analysis::is_constant(loop.range[2], 1);
  const std::string start =
      writer_.define("start", base::DType::kInt64, expressions_.print_under(mask_, loop.range[0]));
  const std::string n_trips =
      writer_.define("trips", base::DType::kUInt64, lane_trips(loop, start));
  const std::string running = running_lanes();
  const std::string trip_name = writer_.new_name("trip");
  writer_.open(format("for (npp::uint64 {} = 0;; ++{})", trip_name, trip_name));
  const std::string number = expressions_.spread(base::DType::kUInt64, trip_name);
  writer_.line(format("{} = {};", running,
                      masks_both(running, format("npp::lanes::less({}, {})", number, n_trips))));
  writer_.line(format("if (!{}) break;", any(running)));
  mask_ = running;
  meetings_.push_back(plan_.live.after.at(&loop));
  set_local(loop.local,
            format("npp::lanes::{}({}, {})", is_upward ? "add" : "subtract", start,
                   expressions_.spread(base::DType::kInt64, format("npp::int64({})", trip_name))),
            declarations_.declaring.contains(&loop));
  meetings_.pop_back();
  trip(loop, running);
  writer_.close();
  leave_loop(loop, outer);
}

}  // namespace numpy_plugin::emit
