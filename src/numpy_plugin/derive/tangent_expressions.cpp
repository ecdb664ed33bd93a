#include <algorithm>
#include <complex>
#include <cstring>
#include <utility>

#include "numpy_plugin/derive/tangent_function.hpp"
#include "numpy_plugin/kernel/visits.hpp"

namespace numpy_plugin::derive {

using declare::ExpressionKind;
using declare::Operation;
using declare::ValueType;

Expression tuple_of(std::vector<Expression> items, const declare::SourceSpan& place) {
  ValueType type = ValueType::tuple({});
  for (const Expression& item : items) type.items.push_back(item.type);
  return {ExpressionKind::kTuple, std::move(type), place, std::move(items)};
}

Expression item_of(Expression tuple, int item) {
  if (tuple.kind == ExpressionKind::kTuple)
    return std::move(tuple.operands[static_cast<std::size_t>(item)]);
  ValueType type = tuple.type.items[static_cast<std::size_t>(item)];
  const declare::SourceSpan place = tuple.place;
  std::vector<Expression> operands;
  operands.push_back(std::move(tuple));
  return {ExpressionKind::kTupleItem, std::move(type), place, std::move(operands),
          declare::TupleItem{item}};
}

Expression zero_of(const ValueType& type, const declare::SourceSpan& place) {
  if (type.kind != ValueType::Kind::kTuple) return constant(0, type.dtype, place);
  std::vector<Expression> items;
  for (const ValueType& item : type.items) items.push_back(zero_of(item, place));
  return tuple_of(std::move(items), place);
}

namespace {

bool is_same_number(const declare::ConstantValue& left, const declare::ConstantValue& right) {
  if (left.index() != right.index()) return false;
  return std::visit(
      [&right]<class Number>(const Number& number) {
        const auto& other = std::get<Number>(right);
        return std::memcmp(&number, &other, sizeof(Number)) == 0;  // 0.0 is not -0.0
      },
      left);
}

// Whether two expressions have the same value as long as no local changes: of numbers, without
// elements of arrays and calls of functions.
bool is_same_value(const Expression& left, const Expression& right) {
  if (left.kind != right.kind || left.type != right.type ||
      left.operands.size() != right.operands.size())
    return false;
  bool is_same = false;
  if (left.kind == ExpressionKind::kConstant) {
    is_same = is_same_number(declare::detail<declare::ConstantValue>(left),
                             declare::detail<declare::ConstantValue>(right));
  } else if (left.kind == ExpressionKind::kLocal) {
    is_same = declare::read_local(left) == declare::read_local(right);
  } else if (left.kind == ExpressionKind::kCall) {
    is_same = declare::detail<Operation>(left) == declare::detail<Operation>(right);
  } else {
    is_same = left.kind == ExpressionKind::kCast;
  }
  return is_same && std::ranges::equal(left.operands, right.operands, is_same_value);
}

}  // namespace

Expression TangentFunction::renamed(Expression expression) const {
  for (Expression& operand : expression.operands) operand = renamed(std::move(operand));
  if (const auto local = declare::named_local(expression)) {
    declare::rename_local(expression, new_local(*local));
  }
  return expression;
}

// The value in a local that nothing else assigns.
Expression TangentFunction::hold(Expression value) {
  const bool is_held =
      value.kind == ExpressionKind::kConstant || value.kind == ExpressionKind::kLocal;
  if (is_held) return value;
  const declare::SourceSpan place = value.place;
  const auto known = std::ranges::find_if(
      held_, [&value](const auto& held) { return is_same_value(held.first, value); });
  if (known != held_.end()) return read(known->second, place);
  const int local = add_local("value", value.type);
  held_.emplace_back(value, local);
  assign(local, std::move(value));
  return read(local, place);
}

// Before a local takes another value.
void TangentFunction::forget(int local) {
  std::erase_if(held_, [local](const auto& held) {
    bool is_mentioned = false;
    declare::visit_expression(held.first, [&](const Expression& inner) {
      is_mentioned |= declare::named_local(inner) == local;
    });
    return is_mentioned;
  });
}

// A call of a function that may store to an array with tangents, whatever it returns.
bool TangentFunction::may_store_tangents(const Expression& expression) const {
  return expression.kind == ExpressionKind::kCallFunction &&
         std::ranges::any_of(expression.operands, [this](const Expression& operand) {
           return operand.type.kind == ValueType::Kind::kArray && activity_.of(operand) != 0;
         });
}

Dual TangentFunction::lower(const Expression& expression) {
  const Directions directions = activity_.of(expression);
  if (directions == 0 && !may_store_tangents(expression)) return {renamed(expression)};
  switch (expression.kind) {
    case ExpressionKind::kLocal: {
      const int local = declare::detail<declare::LocalReference>(expression).local;
      Dual dual{renamed(expression)};
      for_directions(directions, [&](int direction) {
        const auto seed = seeds_.find(local);
        dual.tangents.emplace(direction,
                              seed != seeds_.end()
                                  ? constant(1, expression.type.dtype, expression.place)
                                  : read(tangent_local(local, direction), expression.place));
      });
      return dual;
    }
    case ExpressionKind::kCall:
      return lower_call(expression);
    case ExpressionKind::kSelect:
      return lower_select(expression);
    case ExpressionKind::kTuple:
      return lower_tuple(expression);
    case ExpressionKind::kCallFunction:
      return lower_function_call(expression);
    case ExpressionKind::kCast:
    case ExpressionKind::kTupleItem:
    case ExpressionKind::kLoad:
    case ExpressionKind::kView:
    case ExpressionKind::kTranspose:
    case ExpressionKind::kReshape:
      return lower_through(expression);
    case ExpressionKind::kCallExternal:
      all_.error(expression.place, "a C++ function has no derivative: its text is not read here",
                 "write it in Python, with @npp.device");
      return {renamed(expression)};
    default:
      all_.error(expression.place, "this has no derivative by the operands that it depends on",
                 "store values that do not depend on them, or write the derivative by hand");
      return {renamed(expression)};
  }
}

// Its tangents are the same of the first operand's tangents.
Dual TangentFunction::lower_through(const Expression& expression) {
  if (expression.kind == ExpressionKind::kLoad) {
    const int array = declare::detail<declare::ElementLoad>(expression).array;
    Dual dual{renamed(expression)};
    for (Expression& index : dual.value.operands) index = hold(std::move(index));
    for_directions(activity_.of_local(array), [&](int direction) {
      Expression tangent = dual.value;
      declare::rename_local(tangent, tangent_local(array, direction));
      dual.tangents.emplace(direction, std::move(tangent));
    });
    return dual;
  }
  Dual operand = lower(expression.operands.front());
  if (expression.kind == ExpressionKind::kCast && base::is_complex(operand.value.type.dtype) &&
      !base::is_complex(expression.type.dtype)) {
    check_parts(expression, "a real part");
  }
  Dual dual{expression};
  for (std::size_t i = 1; i < dual.value.operands.size(); ++i)
    dual.value.operands[i] = renamed(std::move(dual.value.operands[i]));
  const bool is_of_call =
      expression.kind == ExpressionKind::kTupleItem && operand.value.kind == ExpressionKind::kTuple;
  for (auto& [direction, tangent] : operand.tangents) {
    Expression through = dual.value;
    through.operands.front() = std::move(tangent);
    if (is_of_call) {
      const int item = declare::detail<declare::TupleItem>(expression).item;
      through = item_of(std::move(through.operands.front()), item);
    }
    dual.tangents.emplace(direction, std::move(through));
  }
  dual.value.operands.front() = std::move(operand.value);
  return dual;
}

Dual TangentFunction::lower_tuple(const Expression& tuple) {
  Dual dual{tuple};
  std::vector<Dual> items;
  for (std::size_t i = 0; i < tuple.operands.size(); ++i) {
    items.push_back(lower(tuple.operands[i]));
    dual.value.operands[i] = items.back().value;
  }
  for_directions(activity_.of(tuple), [&](int direction) {
    std::vector<Expression> tangents;
    for (const Dual& item : items) {
      const auto found = item.tangents.find(direction);
      const auto number = static_cast<std::size_t>(&item - items.data());
      tangents.push_back(found != item.tangents.end() ? found->second
                                                      : zero(tuple.operands[number], tuple.place));
    }
    dual.tangents.emplace(direction, tuple_of(std::move(tangents), tuple.place));
  });
  return dual;
}

// Parts of a complex number have derivatives by real operands only.
bool TangentFunction::check_parts(const Expression& part, const std::string& what) {
  bool by_complex = false;
  for_directions(activity_.of(part),
                 [&](int direction) { by_complex |= all_.is_complex(direction); });
  if (by_complex) {
    all_.error(part.place, what + " has no derivative by a complex operand",
               "it is not holomorphic: pass the real and the imaginary part as two operands");
  }
  return !by_complex;
}

// Null where there is none: reported.
const Rule* TangentFunction::rule_of(const Expression& call) {
  const auto operation = declare::detail<Operation>(call);
  const TangentRules& rules = tangent_rules(operation);
  bool is_of_complex = base::is_complex(call.type.dtype);
  for (const Expression& operand : call.operands)
    is_of_complex |= base::is_complex(operand.type.dtype);
  if (operation == Operation::kMakeComplex || operation == Operation::kRect) is_of_complex = false;
  const Rule& rule = is_of_complex ? rules.complex : rules.real;
  const std::string_view name = declare::info(operation).name;
  if (!rule) {
    all_.error(call.place, format("'{}' has no derivative here", name),
               "write its derivative by hand, as a kernel of its own");
    return nullptr;
  }
  if (is_of_complex && rules.has_parts && !check_parts(call, format("'{}'", name))) return nullptr;
  return &rule;
}

Dual TangentFunction::lower_call(const Expression& call) {
  std::vector<Dual> operands;
  for (const Expression& operand : call.operands) operands.push_back(lower(operand));
  std::optional<Expression> result;  // in a local, once a rule asks for it
  const auto make_result = [&] {
    Expression value = call;
    for (std::size_t i = 0; i < operands.size(); ++i) value.operands[i] = operands[i].value;
    return value;
  };
  Dual dual{call};
  if (const Rule* const rule = rule_of(call)) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (n_mentions(*rule, RuleKind::kOperand, static_cast<int>(i)) > 0)
        operands[i].value = hold(std::move(operands[i].value));
    }
    const auto hold_result = [&] {
      if (!result) result = hold(make_result());
      return *result;
    };
    const auto evaluation = declare::info(declare::detail<Operation>(call)).evaluation;
    if (evaluation != declare::Evaluation::kExact) hold_result();
    dual.tangents = tangents_of(call, *rule, operands, hold_result);
  }
  dual.value = result ? *result : make_result();
  return dual;
}

std::map<int, Expression> TangentFunction::tangents_of(
    const Expression& call, const Rule& rule, std::vector<Dual>& operands,
    const std::function<Expression()>& hold_result) {
  std::vector<Tangent> tangents(operands.size());
  const auto on_unknown = [&](std::string_view what) {
    all_.error(call.place,
               format("'{}' has no derivative by {}",
                      declare::info(declare::detail<Operation>(call)).name, what),
               "differentiate by operands that this does not depend on");
  };
  RuleLowering lowering(
      {.operand = [&](int index) { return operands[static_cast<std::size_t>(index)].value; },
       .tangent = [&](int index) -> const Tangent& {
         return tangents[static_cast<std::size_t>(index)];
       },
       .result = hold_result,
       .hold = [&](Expression value) { return hold(std::move(value)); },
       .on_unknown = on_unknown},
      call);
  std::map<int, Expression> made;
  for_directions(activity_.of(call), [&](int direction) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const auto found = operands[i].tangents.find(direction);
      tangents[i] = Tangent{};
      if (found == operands[i].tangents.end()) continue;
      if (n_mentions(rule, RuleKind::kTangent, static_cast<int>(i)) > 1)
        found->second = hold(std::move(found->second));
      tangents[i] = found->second;
    }
    if (Tangent tangent = lowering.lower(rule)) made.emplace(direction, std::move(*tangent));
  });
  return made;
}

// Sides without statements stay an expression; others are evaluated where they are chosen.
Dual TangentFunction::lower_select(const Expression& select) {
  const Expression condition = hold(renamed(select.operands[0]));
  Block blocks[2];
  Dual sides[2] = {{select}, {select}};
  const auto held = held_;
  Block* const outer = block_;
  for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
    block_ = &blocks[side];
    sides[side] = lower(select.operands[side + 1]);
    held_ = held;
  }
  block_ = outer;
  const bool is_branch = !blocks[0].empty() || !blocks[1].empty();
  const auto choose = [&](Expression then, Expression otherwise) {
    if (is_branch) return chosen(blocks, std::move(then), std::move(otherwise));
    Expression choice = select;
    choice.operands = {condition, std::move(then), std::move(otherwise)};
    return choice;
  };
  const auto tangent_of = [&](const Dual& side, int direction) {
    const auto found = side.tangents.find(direction);
    return found != side.tangents.end() ? found->second : zero_of(select.type, select.place);
  };
  std::map<int, Expression> tangents;
  for_directions(activity_.of(select), [&](int direction) {
    tangents.emplace(direction,
                     choose(tangent_of(sides[0], direction), tangent_of(sides[1], direction)));
  });
  Dual dual{choose(std::move(sides[0].value), std::move(sides[1].value)), std::move(tangents)};
  if (is_branch) {
    declare::Statement branch{
        declare::StatementKind::kIf, select.place, 0, condition, {}, {}, {}, {}};
    branch.body = std::move(blocks[0]);
    branch.orelse = std::move(blocks[1]);
    block_->push_back(std::move(branch));
  }
  return dual;
}

// A local that each of two blocks sets.
Expression TangentFunction::chosen(Block (&blocks)[2], Expression then, Expression otherwise) {
  const declare::SourceSpan place = then.place;
  const int local = add_local("chosen", then.type);
  Block* const outer = std::exchange(block_, &blocks[0]);
  assign(local, std::move(then));
  block_ = &blocks[1];
  assign(local, std::move(otherwise));
  block_ = outer;
  return read(local, place);
}

// The arguments are followed by their tangents; the result is the value, then its tangents.
Dual TangentFunction::lower_function_call(const Expression& call) {
  std::vector<Dual> arguments;
  std::vector<Directions> directions;
  for (const Expression& operand : call.operands) {
    arguments.push_back(lower(operand));
    directions.push_back(activity_.of(operand));
  }
  const int function = declare::detail<declare::DeviceFunctionCall>(call).function;
  const TangentCallee callee = all_.tangent_callee(function, directions, call.place);
  Expression tangent_call = call;
  tangent_call.detail = declare::DeviceFunctionCall{callee.function};
  tangent_call.operands.clear();
  for (Dual& argument : arguments) tangent_call.operands.push_back(std::move(argument.value));
  for (std::size_t i = 0; i < callee.activity.parameters.size(); ++i) {
    for_directions(callee.activity.parameters[i], [&](int direction) {
      const auto found = arguments[i].tangents.find(direction);
      tangent_call.operands.push_back(found != arguments[i].tangents.end()
                                          ? std::move(found->second)
                                          : zero(call.operands[i], call.place));
    });
  }
  if (callee.activity.result == 0) return {std::move(tangent_call)};
  ValueType type = ValueType::tuple({call.type});
  for_directions(callee.activity.result, [&](int) { type.items.push_back(call.type); });
  tangent_call.type = std::move(type);
  const Expression results = hold(std::move(tangent_call));
  Dual dual{item_of(results, 0)};
  int item = 0;
  for_directions(callee.activity.result, [&](int direction) {
    dual.tangents.emplace(direction, item_of(results, ++item));
  });
  return dual;
}

}  // namespace numpy_plugin::derive
