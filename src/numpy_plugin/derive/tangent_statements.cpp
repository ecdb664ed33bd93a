#include <bit>
#include <iterator>

#include "numpy_plugin/derive/tangent_function.hpp"
#include "numpy_plugin/kernel/visits.hpp"

namespace numpy_plugin::derive {

using declare::ExpressionKind;
using declare::Function;
using declare::Statement;
using declare::StatementKind;
using declare::ValueType;

TangentFunction::TangentFunction(Differentiator& all, const Function& function, Activity activity,
                                 std::vector<Directions> parameters)
    : all_(all),
      function_(function),
      activity_(std::move(activity)),
      parameters_(std::move(parameters)) {
  made_.name = function.name;
}

// Parameters stay the first locals.
int TangentFunction::new_local(int local) const {
  return local < static_cast<int>(function_.n_parameters) ? local : local + n_moved_;
}

int TangentFunction::add_local(std::string name, ValueType type, declare::ArrayStorage storage) {
  made_.locals.push_back({std::move(name), std::move(type), std::move(storage)});
  return static_cast<int>(made_.locals.size()) - 1;
}

int TangentFunction::tangent_local(int local, int direction) {
  const auto [found, is_new] = tangent_locals_.try_emplace({local, direction}, 0);
  if (is_new) {
    const declare::Local& own = function_.locals[static_cast<std::size_t>(local)];
    found->second = add_local("d_" + own.name, own.type, own.storage);
  }
  return found->second;
}

Expression TangentFunction::read(int local, const declare::SourceSpan& place) const {
  return {ExpressionKind::kLocal,
          made_.locals[static_cast<std::size_t>(local)].type,
          place,
          {},
          declare::LocalReference{local}};
}

void TangentFunction::assign(int local, Expression value) {
  forget(local);
  Statement statement{StatementKind::kAssign, value.place, local, {}, {}, {}, {}, {}};
  statement.value = std::move(value);
  block_->push_back(std::move(statement));
}

Function TangentFunction::with_tangents() {
  made_.locals.assign(
      function_.locals.begin(),
      function_.locals.begin() + static_cast<std::ptrdiff_t>(function_.n_parameters));
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    for_directions(parameters_[i],
                   [&](int direction) { tangent_local(static_cast<int>(i), direction); });
  }
  made_.n_parameters = made_.locals.size();
  n_moved_ = static_cast<int>(made_.n_parameters - function_.n_parameters);
  made_.locals.insert(
      made_.locals.end(),
      function_.locals.begin() + static_cast<std::ptrdiff_t>(function_.n_parameters),
      function_.locals.end());
  made_.result = function_.result;
  if (activity_.result() != 0) {
    made_.result = ValueType::tuple({function_.result});
    for_directions(activity_.result(),
                   [&](int) { made_.result.items.push_back(function_.result); });
  }
  made_.body = lowered(function_.body);
  return std::move(made_);
}

Function TangentFunction::with_parts(const Differentiation& wanted) {
  wanted_ = &wanted;
  made_.locals = function_.locals;
  made_.n_parameters = function_.n_parameters;
  Block body;
  block_ = &body;
  for (std::size_t i = 0; i < wanted.parameters.size(); ++i) {
    const int parameter = wanted.parameters[i];
    if (!declare::is_assigned(function_.body, parameter)) {
      seeds_.emplace(parameter, static_cast<int>(i));
      continue;
    }
    const ValueType& type = function_.locals[static_cast<std::size_t>(parameter)].type;
    assign(tangent_local(parameter, static_cast<int>(i)),
           constant(1, type.dtype, function_.body.front().place));
  }
  for (const Carried& carried : wanted.carried)
    tangent_locals_.emplace(std::pair(carried.value, carried.direction), carried.tangent);
  const bool is_tuple = function_.result.kind == ValueType::Kind::kTuple;
  ValueType result = ValueType::tuple({});
  for (const Part& part : wanted.parts) {
    result.items.push_back(is_tuple ? function_.result.items[static_cast<std::size_t>(part.result)]
                                    : function_.result);
  }
  made_.result = result.items.size() == 1 ? ValueType(result.items.front()) : result;
  if (result.items.empty()) made_.result = function_.result;
  Block rest = lowered(function_.body);
  body.insert(body.end(), std::make_move_iterator(rest.begin()),
              std::make_move_iterator(rest.end()));
  made_.body = std::move(body);
  return std::move(made_);
}

Statement TangentFunction::renamed(Statement statement) const {
  const bool sets_local = statement.kind == StatementKind::kAssign ||
                          statement.kind == StatementKind::kStore ||
                          statement.kind == StatementKind::kForRange;
  if (sets_local) statement.local = new_local(statement.local);
  if (statement.value) statement.value = renamed(std::move(*statement.value));
  for (Expression& index : statement.indices) index = renamed(std::move(index));
  for (Expression& bound : statement.range) bound = renamed(std::move(bound));
  for (Statement& inner : statement.body) inner = renamed(std::move(inner));
  for (Statement& inner : statement.orelse) inner = renamed(std::move(inner));
  return statement;
}

TangentFunction::Block TangentFunction::lowered(const Block& block) {
  Block made;
  held_.clear();  // a loop's later trips may have other values
  Block* const outer = std::exchange(block_, &made);
  for (const Statement& statement : block) lower(statement);
  block_ = outer;
  held_.clear();
  return made;
}

void TangentFunction::lower(const Statement& statement) {
  switch (statement.kind) {
    case StatementKind::kAssign:
      return lower_assign(statement);
    case StatementKind::kStore:
      return lower_store(statement);
    case StatementKind::kReturn:
      return lower_return(statement);
    case StatementKind::kEvaluate:
      return lower_effect(statement);
    case StatementKind::kForRange:
    case StatementKind::kWhile:
      return lower_loop(statement);
    default:
      break;
  }
  Statement made = statement;
  if (made.value) made.value = renamed(std::move(*made.value));
  for (Expression& index : made.indices) index = renamed(std::move(index));
  made.body = lowered(statement.body);
  made.orelse = lowered(statement.orelse);
  block_->push_back(std::move(made));
}

// Where no tangent is known: of a number that depends on nothing.
Expression TangentFunction::zero(const Expression& value, const declare::SourceSpan& place) {
  if (value.type.kind == ValueType::Kind::kArray) {
    all_.error(place, "this array has no derivative where others of its name have one",
               "give it a name of its own");
    return renamed(value);
  }
  return zero_of(value.type, place);
}

// Tangents first: they read the values from before.
void TangentFunction::lower_assign(const Statement& assignment) {
  const int local = assignment.local;
  const Expression& value = *assignment.value;
  const bool makes_array =
      value.kind == ExpressionKind::kZeroArray || value.kind == ExpressionKind::kScratchArray;
  Dual dual = makes_array ? Dual{renamed(value)} : lower(value);
  for_directions(activity_.of_local(local), [&](int direction) {
    const auto found = dual.tangents.find(direction);
    if (makes_array) return assign(tangent_local(local, direction), dual.value);
    assign(tangent_local(local, direction),
           found != dual.tangents.end() ? std::move(found->second) : zero(value, assignment.place));
  });
  assign(new_local(local), std::move(dual.value));
}

void TangentFunction::lower_store(const Statement& store) {
  Dual dual = lower(*store.value);
  Statement made = store;
  for (Expression& index : made.indices) index = hold(renamed(std::move(index)));
  for_directions(activity_.of_local(store.local), [&](int direction) {
    const auto found = dual.tangents.find(direction);
    Statement tangent = made;
    tangent.local = tangent_local(store.local, direction);
    tangent.value = found != dual.tangents.end() ? std::move(found->second)
                                                 : zero_of(store.value->type, store.place);
    block_->push_back(std::move(tangent));
  });
  made.local = new_local(store.local);
  made.value = std::move(dual.value);
  block_->push_back(std::move(made));
}

void TangentFunction::lower_return(const Statement& statement) {
  Statement made = statement;
  if (statement.value) {
    Dual dual = lower(*statement.value);
    made.value = wanted_ && wanted_->carried.empty()
                     ? returned_parts(std::move(dual), statement.place)
                     : returned_tuple(std::move(dual), statement.place);
  }
  block_->push_back(std::move(made));
}

Expression TangentFunction::returned_tuple(Dual dual, const declare::SourceSpan& place) {
  if (activity_.result() == 0) return std::move(dual.value);
  std::vector<Expression> items;
  for_directions(activity_.result(), [&](int direction) {
    const auto found = dual.tangents.find(direction);
    items.push_back(found != dual.tangents.end() ? std::move(found->second)
                                                 : zero_of(function_.result, place));
  });
  items.insert(items.begin(), std::move(dual.value));
  return tuple_of(std::move(items), place);
}

Expression TangentFunction::part_of(const Dual& dual, const Part& part) const {
  const bool is_tuple = function_.result.kind == ValueType::Kind::kTuple;
  if (part.direction == kValue) return is_tuple ? item_of(dual.value, part.result) : dual.value;
  const auto found = dual.tangents.find(part.direction);
  const ValueType& type =
      is_tuple ? function_.result.items[static_cast<std::size_t>(part.result)] : function_.result;
  if (found == dual.tangents.end()) return zero_of(type, dual.value.place);
  return is_tuple ? item_of(found->second, part.result) : found->second;
}

Expression TangentFunction::returned_parts(Dual dual, const declare::SourceSpan& place) {
  const bool is_tuple = function_.result.kind == ValueType::Kind::kTuple;
  if (is_tuple && dual.value.kind != ExpressionKind::kTuple)
    dual.value = hold(std::move(dual.value));
  std::vector<Expression> parts;
  for (const Part& part : wanted_->parts) parts.push_back(part_of(dual, part));
  return parts.size() == 1 ? std::move(parts.front()) : tuple_of(std::move(parts), place);
}

// Statements for their effect: elements that are set, calls of functions that store.
void TangentFunction::lower_effect(const Statement& statement) {
  const Expression& value = *statement.value;
  if (value.kind == ExpressionKind::kPrint) {
    all_.error(value.place, "a kernel that prints has no derivative",
               "print in the kernel that computes the value");
  }
  if (declare::sets_elements(value) && activity_.of(value.operands.front()) != 0)
    return lower_elements(statement);
  Statement made = statement;
  if (value.kind == ExpressionKind::kCallFunction) {
    made.value = lower_function_call(value).value;
    if (made.value->kind != ExpressionKind::kCallFunction) return;  // held in a local
  } else {
    made.value = renamed(value);
  }
  block_->push_back(std::move(made));
}

void TangentFunction::lower_elements(const Statement& statement) {
  const Expression& value = *statement.value;
  if (value.kind == ExpressionKind::kSortElements) {
    return all_.error(value.place, "sorted elements have no derivative here",
                      "sort values that do not depend on the operands of the derivative");
  }
  Dual destination = lower(value.operands[0]);
  Dual source = lower(value.operands[1]);
  Statement made = statement;
  for_directions(activity_.of(value.operands.front()), [&](int direction) {
    Statement tangent = statement;
    const auto found = source.tangents.find(direction);
    tangent.value->operands[0] = destination.tangents.at(direction);
    if (found != source.tangents.end()) {
      tangent.value->operands[1] = found->second;
    } else {
      tangent.value->kind = ExpressionKind::kFillElements;
      tangent.value->exception = -1;
      tangent.value->operands[1] = constant(0, value.operands[0].type.dtype, value.place);
    }
    block_->push_back(std::move(tangent));
  });
  made.value->operands[0] = std::move(destination.value);
  made.value->operands[1] = std::move(source.value);
  block_->push_back(std::move(made));
}

// A sum's value is added in the order of the function itself, by a loop of its own; what other
// loops are known to fold is no longer all that they do.
void TangentFunction::lower_loop(const Statement& loop) {
  Statement made = loop;
  if (made.value) made.value = renamed(std::move(*made.value));
  for (Expression& bound : made.range) bound = renamed(std::move(bound));
  if (loop.kind == StatementKind::kForRange) made.local = new_local(loop.local);
  Directions directions = 0;
  declare::visit_statements(loop.body, [&](const Statement& inner) {
    const bool sets_local =
        inner.kind == StatementKind::kAssign || inner.kind == StatementKind::kStore;
    if (sets_local) directions |= activity_.of_local(inner.local);
  });
  made.body = lowered(loop.body);
  const bool is_sum = directions != 0 && loop.fold == declare::Fold::kSum;
  const bool is_sum_of_tangents = is_sum && std::has_single_bit(directions) &&
                                  activity_.of_local(loop.body.back().local) == directions;
  if (directions != 0 && !is_sum_of_tangents) made.fold = declare::Fold::kNone;
  if (is_sum) made.body.pop_back();  // the value's own sum
  block_->push_back(std::move(made));
  if (is_sum) block_->push_back(renamed(loop));
}

}  // namespace numpy_plugin::derive
