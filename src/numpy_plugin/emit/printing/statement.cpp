// Structured statements: declarations at the first assignment, native C++ loops where equivalent.
#include "numpy_plugin/emit/printing/statement.hpp"

#include <algorithm>
#include <utility>

#include "numpy_plugin/analysis/scalar_loops.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/emit/printing/user_code.hpp"

namespace numpy_plugin::emit {

using declare::Expression;
using declare::ExpressionKind;
using declare::Statement;
using declare::StatementKind;

namespace {

constexpr std::int64_t kSmallNumber = 1'000'000'000;  // fits an int

std::string local_type(const declare::Local& local) {
  const bool is_view = local.storage.kind == declare::ArrayStorage::Kind::kView ||
                       local.storage.kind == declare::ArrayStorage::Kind::kScratch;
  if (is_view) return cpp_type(local.type);
  const bool is_shared = local.storage.kind == declare::ArrayStorage::Kind::kShared;
  std::string type = (is_shared ? "__shared__ npp::LocalArray<" : "npp::LocalArray<") +
                     std::string(base::info(local.type.dtype).cpp_name);
  for (const std::int64_t size : local.storage.sizes) type += format(", {}", size);
  return type + ">";
}

}  // namespace

bool goes_on_after_errors(const Statement& loop) {
  bool found = false;
  declare::visit_expressions({loop}, [&](const Expression& expression) {
    found |= expression.kind == ExpressionKind::kCallFunction || expression.exception >= 0;
  });
  declare::visit_statements({loop}, [&](const Statement& each) {
    found |= each.kind == StatementKind::kStore && each.exception >= 0;
  });
  return found;
}

StatementPrinter::StatementPrinter(const declare::Function& function, Scope& scope, int indent)
    : function_(function),
      scope_(scope),
      expressions_(scope),
      scratch_(function, scope),
      declarations_(plan_declarations(function, scratch_.held_locals())),
      leave_(function.result.kind == declare::ValueType::Kind::kNone ? "return;" : "return {};"),
      indent_(indent) {}

std::string StatementPrinter::print() {
  text_.clear();
  for (const std::string& first : scratch_.first_lines()) line(first);
  block(function_.body);
  if (scope_.sources != nullptr && !scope_.sources->empty()) text_ += end_of_lines();
  return text_;
}

void StatementPrinter::place(const Statement& statement) {
  if (scope_.sources != nullptr) text_ += line_directive(*scope_.sources, statement.place);
}

void StatementPrinter::line(const std::string& text) {
  text_.append(static_cast<std::size_t>(indent_), ' ').append(text).append("\n");
}

std::string StatementPrinter::declarator(int local) const {
  const auto index = static_cast<std::size_t>(local);
  return format("{} {}", local_type(function_.locals.at(index)), scope_.locals.at(index));
}

void StatementPrinter::block(std::span<const Statement> statements) {
  for (const Statement& each : statements) {
    if (const auto found = declarations_.before.find(&each); found != declarations_.before.end())
      for (const int local : found->second) {
        line(declarator(local) + (scratch_.held_locals().contains(local) ? " = {};" : ";"));
      }
    statement(each);
  }
}

void StatementPrinter::inner(std::span<const Statement> statements) {
  indent_ += 2;
  block(statements);
  indent_ -= 2;
}

// A loop's body. A garbage result of a function that raised, or of an element out of bounds, might
// otherwise keep the loop running forever.
void StatementPrinter::loop_body(const Statement& loop) {
  const bool is_outer_scalar =
      std::exchange(scope_.is_scalar, analysis::is_scalar_loop(function_, loop));
  const Statement* const outer = std::exchange(loop_, &loop);
  indent_ += 2;
  if (goes_on_after_errors(loop)) leave_after_errors();
  block(loop.body);
  indent_ -= 2;
  loop_ = outer;
  scope_.is_scalar = is_outer_scalar;
}

void StatementPrinter::leave_after_errors() {
  if (!scope_.errors.empty()) line(format("if ({}.any()) {}", scope_.errors, leave_));
}

// Exceptions are numbered from 1: 0 means none.
void StatementPrinter::raise(const Statement& statement) {
  std::vector<std::string> arguments = expressions_.print(statement.indices);
  arguments.insert(arguments.begin(), std::to_string(statement.exception + 1));
  line(format("{}.report({});", scope_.errors, base::join(arguments, ", ")));
  line(leave_);
}

void StatementPrinter::statement(const Statement& statement) {
  place(statement);
  switch (statement.kind) {
    case StatementKind::kAssign:
      return assign(statement);
    case StatementKind::kStore:
      return line(
          format("{} = {};",
                 expressions_.element(statement.local, expressions_.print(statement.indices),
                                      statement.exception),
                 whole(*statement.value)));
    case StatementKind::kIf:
      return conditional(statement);
    case StatementKind::kWhile:
      return while_loop(statement);
    case StatementKind::kForRange:
      return for_range(statement);
    case StatementKind::kBreak:
      return line("break;");
    case StatementKind::kContinue:
      return line("continue;");
    case StatementKind::kReturn:
      return line(statement.value ? format("return {};", whole(*statement.value)) : "return;");
    case StatementKind::kEvaluate:
      return line(whole(*statement.value) + ";");
    case StatementKind::kRaise:
      return raise(statement);
  }
}

void StatementPrinter::assign(const Statement& statement) {
  const bool declares = declarations_.declaring.contains(&statement);
  const std::string target = declares ? declarator(statement.local)
                                      : scope_.locals.at(static_cast<std::size_t>(statement.local));
  if (statement.value->kind == ExpressionKind::kScratchArray) {
    return assign_scratch(target, statement);
  }
  line(format("{} = {};", target, whole(*statement.value)));
}

// Without memory there is nothing to go on with.
void StatementPrinter::assign_scratch(const std::string& target, const Statement& statement) {
  line(format("{} = {};", target,
              scratch_.array(statement, expressions_.print(statement.value->operands))));
  leave_after_errors();
}

// Without a branch: adds -0.0, which changes nothing, where the condition is false.
void StatementPrinter::conditional_sum(const Statement& statement) {
  const Statement& update = statement.body.front();
  const Expression& value = update.value->operands[1];
  const std::string& total = scope_.locals.at(static_cast<std::size_t>(update.local));
  const std::string type = cpp_type(value.type);
  line(format("{} = npp::add({}, npp::choose<{}>({}, {}, {}(-0.0)));", total, total, type,
              whole(*statement.value), expressions_.print(value), type));
}

void StatementPrinter::conditional(const Statement& statement) {
  if (analysis::is_conditional_sum(statement)) return conditional_sum(statement);
  if (is_selection(statement)) return selection(statement);
  if (is_selected_store(statement)) return selected_store(statement);
  line(format("if ({}) {", whole(*statement.value)));
  const bool is_predicted = scope_.is_scalar && (analysis::is_search(statement) ||
                                                 analysis::is_steering(statement, *loop_));
  if (is_predicted) line("  npp::keep_branch();");
  inner(statement.body);
  const Statement* last = &statement;
  const auto is_elif = [&] {
    return last->orelse.size() == 1 && last->orelse[0].kind == StatementKind::kIf &&
           !declarations_.before.contains(&last->orelse[0]) && !is_selected_store(last->orelse[0]);
  };
  while (is_elif()) {
    last = &last->orelse[0];
    place(*last);
    line(format("} else if ({}) {", whole(*last->value)));
    inner(last->body);
  }
  if (!last->orelse.empty()) {
    line("} else {");
    inner(last->orelse);
  }
  line("}");
}

void StatementPrinter::while_loop(const Statement& statement) {
  const bool is_endless = !analysis::counts_to_bound(statement);
  const std::string trips = is_endless ? scope_.names.add("trips") : "";
  if (is_endless) line(format("npp::Trips {};", trips));
  const bool is_outer_scalar = std::exchange(scope_.is_scalar, true);
  line(format("while ({}) {", whole(*statement.value)));
  scope_.is_scalar = is_outer_scalar;
  indent_ += 2;
  if (is_endless) line(format("if ({}.are_interrupted()) {}", trips, leave_));
  indent_ -= 2;
  loop_body(statement);
  line("}");
}

// Those of a loop whose other locals are its own: neither carried nor read after it.
std::vector<analysis::RunningExtremum> StatementPrinter::running_extrema_of(
    const Statement& loop) const {
  auto extrema = analysis::find_running_extrema(loop);
  const auto n_others = loop.body.size() - extrema.size();
  const bool are_own = std::ranges::all_of(
      std::span(loop.body).first(n_others),
      [&](const Statement& each) { return declarations_.declaring.contains(&each); });
  if (!are_own) extrema.clear();
  return extrema;
}

void StatementPrinter::for_range(const Statement& statement) {
  const bool has_columns = statement.fold == declare::Fold::kColumns;
  if (has_columns && !goes_on_after_errors(statement))
    columns(statement);
  else if (!has_columns && statement.fold != declare::Fold::kNone)
    fold(statement);
  else if (!is_counting_loop(statement))
    counted_loop(statement);
  else if (const auto extrema = running_extrema_of(statement); !extrema.empty())
    running_extrema(statement, extrema);
  else
    counting_loop(statement);
}

// Counts up or down by one, with a variable that nothing else uses or changes: becomes a C++ for.
bool StatementPrinter::is_counting_loop(const Statement& statement) const {
  return declarations_.declaring.contains(&statement) &&
         !analysis::is_assigned(statement.body, statement.local) &&
         (analysis::is_constant(statement.range[2], 1) ||
          analysis::is_constant(statement.range[2], -1));
}

void StatementPrinter::counting_loop(const Statement& statement) {
  const bool is_upward = analysis::is_constant(statement.range[2], 1);
  const std::string variable = scope_.locals.at(static_cast<std::size_t>(statement.local));
  std::string head = format("npp::int64 {} = {}", variable, bound(statement.range[0]));
  std::string stop = bound(statement.range[1]);
  if (!declare::is_settled(statement.range[1], statement.body)) {
    const std::string name = scope_.names.add("stop");
    head += format(", {} = {}", name, stop);
    stop = name;
  }
  line(format("for ({}; {} {} {}; {}{}) {", head, variable, is_upward ? "<" : ">", stop,
              is_upward ? "++" : "--", variable));
  loop_body(statement);
  line("}");
}

// Other loops: the number of trips is computed first, since adding the step may overflow.
void StatementPrinter::counted_loop(const Statement& statement) {
  const std::string start = hoisted(statement.range[0], "start");
  const std::string stop = hoisted(statement.range[1], "stop");
  const std::string step = hoisted(statement.range[2], "step");
  const std::string trips = scope_.names.add("trips");
  const std::string trip = scope_.names.add("trip");
  line(format("const npp::uint64 {} = npp::trip_count({}, {}, {});", trips, start, stop, step));
  line(format("for (npp::uint64 {} = 0; {} < {}; ++{}) {", trip, trip, trips, trip));
  indent_ += 2;
  std::string value = format("npp::int64({})", trip);
  const auto typed = [&](const Expression& limit, const std::string& name) {
    return limit.kind == ExpressionKind::kConstant ? expressions_.print(limit) : name;
  };
  if (!analysis::is_constant(statement.range[2], 1))
    value = format("npp::multiply({}, {})", value, typed(statement.range[2], step));
  if (!analysis::is_constant(statement.range[0], 0))
    value = format("npp::add({}, {})", typed(statement.range[0], start), value);
  const bool declares = declarations_.declaring.contains(&statement);
  line(format("{}{} = {};", declares ? "npp::int64 " : "",
              scope_.locals.at(static_cast<std::size_t>(statement.local)), value));
  indent_ -= 2;
  loop_body(statement);
  line("}");
}

// Where an int64 is expected, small numbers need no cast.
std::string StatementPrinter::bound(const Expression& expression) const {
  if (expression.kind != ExpressionKind::kConstant) return expressions_.print(expression);
  const std::int64_t value = std::get<std::int64_t>(detail<declare::ConstantValue>(expression));
  const bool is_small = value > -kSmallNumber && value < kSmallNumber;
  return is_small ? std::to_string(value) : expressions_.print(expression);
}

// A top-level expression: without the parentheses it needs inside another.
std::string StatementPrinter::whole(const Expression& expression) const {
  const std::string text = expressions_.print(expression);
  const bool has_parentheses = expression.kind == ExpressionKind::kSelect ||
                               expression.kind == ExpressionKind::kAnd ||
                               expression.kind == ExpressionKind::kOr;
  return has_parentheses && text.starts_with('(') ? text.substr(1, text.size() - 2) : text;
}

// A bound's value in a variable of its own, or a constant unchanged.
std::string StatementPrinter::hoisted(const Expression& value, std::string_view name) {
  if (value.kind == ExpressionKind::kConstant) return bound(value);
  const std::string own_name = scope_.names.add(name);
  line(format("const npp::int64 {} = {};", own_name, expressions_.print(value)));
  return own_name;
}

}  // namespace numpy_plugin::emit
