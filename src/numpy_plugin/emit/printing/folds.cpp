// Loops whose values hosts take several at a time, as calls of templates.
#include "numpy_plugin/emit/printing/statement.hpp"

#include <utility>

#include "numpy_plugin/base/text.hpp"

namespace numpy_plugin::emit {

using declare::Expression;
using declare::ExpressionKind;
using declare::Statement;

namespace {

// A cast that g++ does not vectorize beside a sum.
bool is_widening(const Expression& expression) {
  return expression.kind == ExpressionKind::kCast && base::is_floating(expression.type.dtype) &&
         base::info(expression.operands[0].type.dtype).n_bytes <= 2;
}

// The row of npp::Terms for the elements of a sum.
std::string_view terms(const declare::Block& body) {
  if (declare::has_loop(body)) return "kNested";
  bool is_large = false;
  bool is_widened = false;
  declare::visit_expressions(body, [&](const Expression& each) {
    is_large |= each.kind == ExpressionKind::kCallFunction || analysis::is_library_call(each);
    is_widened |= is_widening(each);
  });
  return is_large ? "kLarge" : is_widened ? "kWidened" : "kSmall";
}

// Whether minimum or a comparison by less prefers the least number, as a template's argument.
std::string_view is_least(const Expression& expression) {
  if (expression.kind == ExpressionKind::kOr) return is_least(expression.operands[0]);
  const bool is_least =
      analysis::is_call(expression, {declare::Operation::kMinimum, declare::Operation::kLess});
  return is_least ? "true" : "false";
}

// The bools that an update counts, or those that it joins: numbers where these are their truth.
const Expression& tested_value(const Expression& update) {
  const Expression& value = update.operands[1];
  if (analysis::is_call(update, {declare::Operation::kAdd})) return value.operands[0];
  if (!analysis::is_call(value, {declare::Operation::kTruth})) return value;
  const base::DType dtype = value.operands[0].type.dtype;
  const bool is_plain =
      base::is_integer(dtype) || dtype == base::DType::kFloat32 || dtype == base::DType::kFloat64;
  return is_plain ? value.operands[0] : value;
}

// The template for any, all or a count.
std::string truth_function(const Statement& loop, const Expression& value) {
  const Expression& update = *loop.body.back().value;
  if (analysis::is_call(update, {declare::Operation::kAdd})) return "count_of";
  return format("{}<{}, {}>",
                analysis::is_call(update, {declare::Operation::kBitwiseOr}) ? "any_of" : "all_of",
                cpp_type(value.type), analysis::is_quiet(loop.body) ? "true" : "false");
}

}  // namespace

// The call of a template, whose last argument gives the value of a trip.
void StatementPrinter::fold(const Statement& loop) {
  const auto name = [&](const Statement& assignment) {
    return scope_.locals.at(static_cast<std::size_t>(assignment.local));
  };
  const Statement& last = loop.body.back();
  const std::string local = name(last), n = bound(loop.range[1]);
  if (loop.fold == declare::Fold::kSum) {
    line(format("{} = npp::add({}, npp::pairwise_sum<{}, npp::Terms::{}>({},", local, local,
                cpp_type(last.value->type), terms(loop.body), n));
    element_function({loop.local}, loop, 1, last.value->operands[1]);
    line("}));");
  } else if (loop.fold == declare::Fold::kExtremum) {
    line(format("{} = npp::extremum<{}>({}, {},", local, is_least(*last.value), local, n));
    element_function({loop.local}, loop, 1, last.value->operands[1]);
    line("});");
  } else if (loop.fold == declare::Fold::kTruth) {
    const Expression& value = tested_value(*last.value);
    line(format("{} = npp::{}({}, {},", local, truth_function(loop, value), local, n));
    element_function({loop.local}, loop, 1, value);
    line("});");
  } else if (loop.fold == declare::Fold::kSelection) {
    selected(loop);
  } else {
    const Statement& test = loop.body[loop.body.size() - 2];
    line(format("npp::find_extremum<{}>({}, {}, {}, {},", is_least(*test.value), name(test.body[0]),
                name(test.body[1]), local, n));
    element_function({loop.local}, loop, 3, *loop.body[loop.body.size() - 3].value);
    line("});");
  }
  if (goes_on_after_errors(loop)) leave_after_errors();
}

// With functions of an element's truth, and that stores it.
void StatementPrinter::selected(const Statement& loop) {
  const Statement& update = loop.body.back();
  const std::string& count = scope_.locals.at(static_cast<std::size_t>(update.local));
  line(format("{} = npp::select_elements({}, {},", count, count, bound(loop.range[1])));
  element_function({loop.local}, loop, 2, tested_value(*update.value));
  line(format("}, [&](npp::int64 {}, npp::int64 {}) NPP_ELEMENT {",
              scope_.locals.at(static_cast<std::size_t>(loop.local)), count));
  indent_ += 2;
  inner(std::span(loop.body).subspan(loop.body.size() - 2, 1));
  indent_ -= 2;
  line("});");
}

// A call of a template for each extremum.
void StatementPrinter::running_extrema(const Statement& loop,
                                       std::span<const analysis::RunningExtremum> extrema) {
  for (const analysis::RunningExtremum& each : extrema) {
    const std::string& best = scope_.locals.at(static_cast<std::size_t>(each.best));
    line(format("{} = npp::{}<{}>({}, {}, {},", best,
                each.finds_nan ? "extremum" : "running_extremum", each.is_least ? "true" : "false",
                best, bound(loop.range[0]), bound(loop.range[1])));
    element_function({loop.local}, loop, extrema.size(), *each.value);
    line("});");
  }
  if (goes_on_after_errors(loop)) leave_after_errors();
}

// A body without its last statements as a function of variables of loops. Where it raises, its
// value is unused; an element of an array is a reference where the array has one.
void StatementPrinter::element_function(const std::vector<int>& counters, const Statement& loop,
                                        std::size_t n_last, const Expression& value) {
  const auto first = std::span(loop.body).first(loop.body.size() - n_last);
  const bool is_element =
      first.empty() && value.kind == ExpressionKind::kLoad && value.exception < 0;
  std::vector<std::string> parameters;
  for (const int counter : counters) {
    parameters.push_back("npp::int64 " + scope_.locals.at(static_cast<std::size_t>(counter)));
    scope_.counters.insert(counter);
  }
  indent_ += 2;
  line(format("[&]({}) NPP_ELEMENT -> {} {", base::join(parameters, ", "),
              is_element ? "decltype(auto)" : cpp_type(value.type)));
  indent_ += 2;
  const std::string leave = std::exchange(leave_, "return {};");
  const bool is_outer_scalar = std::exchange(scope_.is_scalar, false);
  block(first);
  leave_ = leave;
  line(format("return {};", whole(value)));
  scope_.is_scalar = is_outer_scalar;
  for (const int counter : counters) scope_.counters.erase(counter);
  indent_ -= 4;
}

// The call of a template, with functions of a column and a row, of two values unless they are
// added pairwise, and of a column and its total.
void StatementPrinter::columns(const Statement& loop) {
  const Statement &start = loop.body[0], &rows = loop.body[1], &store = loop.body[2];
  const Expression& update = *rows.body.back().value;
  const std::string type = cpp_type(update.type);
  const std::string n_columns = bound(loop.range[1]), n_rows = bound(rows.range[1]);
  const bool is_sum = rows.fold == declare::Fold::kSum;
  if (is_sum)
    line(format("npp::sum_columns<{}, npp::Terms::{}>({}, {},", type, terms(rows.body), n_columns,
                n_rows));
  else
    line(format("npp::fold_columns<{}>({}, {}, {},", type, n_columns, n_rows, whole(*start.value)));
  element_function({loop.local, rows.local}, rows, 1, update.operands[1]);
  line(is_sum ? "},"
              : format("}, []({} a, {} b) NPP_ELEMENT { return npp::{}(a, b); },", type, type,
                       declare::info(detail<declare::Operation>(update)).name));
  indent_ += 2;
  line(format("[&](npp::int64 {}, {} {}) NPP_ELEMENT {",
              scope_.locals.at(static_cast<std::size_t>(loop.local)), type,
              scope_.locals.at(static_cast<std::size_t>(start.local))));
  inner({&store, &store + 1});
  indent_ -= 2;
  line("});");
}

}  // namespace numpy_plugin::emit
