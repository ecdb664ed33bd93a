// Lanes hold real numbers: a kernel of complex numbers becomes one of their real and imaginary
// parts, with the formulas of templates/npp/math/complex.hpp.
#include <algorithm>
#include <complex>
#include <optional>
#include <utility>

#include "numpy_plugin/analysis/lanes/complex_parts.hpp"
#include "numpy_plugin/analysis/reduce_form.hpp"
#include "numpy_plugin/analysis/tree.hpp"
#include "numpy_plugin/kernel/inferred_type.hpp"

namespace numpy_plugin::analysis {
namespace {

using base::DType;
using declare::Expression;
using declare::ExpressionKind;
using declare::Function;
using declare::Local;
using declare::LocalReference;
using declare::Operation;
using declare::Statement;
using declare::StatementKind;
using declare::ValueType;

// Of one statement: products have each part of their operands twice.
constexpr int kMostExpressions = 500;
constexpr std::size_t kMostOperands = 64;  // npp::kMaxOperands

bool is_complex(const ValueType& type) {
  return type.kind == ValueType::Kind::kScalar && base::is_complex(type.dtype);
}

bool has_complex(const ValueType& type) {
  return (type.kind != ValueType::Kind::kNone && type.kind != ValueType::Kind::kTuple &&
          base::is_complex(type.dtype)) ||
         std::ranges::any_of(type.items, has_complex);
}

ValueType part_type(const ValueType& type) {
  return ValueType::scalar(declare::real_dtype(type.dtype));
}

Expression call(Operation operation, const ValueType& type, std::vector<Expression> operands) {
  const declare::SourceSpan place = operands.front().place;
  return {ExpressionKind::kCall, type, place, std::move(operands), operation};
}

Expression number(const ValueType& type, double value, const declare::SourceSpan& place) {
  return {ExpressionKind::kConstant, type, place, {}, declare::ConstantValue{value}};
}

bool is_plain(const Expression& expression) {
  return expression.kind == ExpressionKind::kConstant || expression.kind == ExpressionKind::kLocal;
}

struct Parts {
  Expression real, imag;
};

// The locals that stand for one: the second only of a complex number.
struct PartLocals {
  int real, imag;
};

class Splitter {
 public:
  Splitter(const Function& function, Differences differences)
      : function_(function), differences_(differences) {
    make_locals();
  }

  // nullopt where an operation has no form for parts.
  std::optional<Function> split() {
    made_.body = block(function_.body);
    made_.result = result_type();
    return can_split_ ? std::optional(std::move(made_)) : std::nullopt;
  }

 private:
  void make_locals();
  ValueType result_type() const;
  int add_local(const std::string& name, const ValueType& type) {
    made_.locals.push_back({name, type});
    return static_cast<int>(made_.locals.size()) - 1;
  }
  const PartLocals& of(int local) const { return locals_[static_cast<std::size_t>(local)]; }

  std::vector<Statement> block(const std::vector<Statement>& statements);
  void statement(const Statement& given, std::vector<Statement>& made);
  void assign(const Statement& given, std::vector<Statement>& made);
  void add_assignment(int local, Expression value, std::vector<Statement>& made) const;
  Expression returned(const Expression& value);

  // The expression of real numbers, whose operands may be parts of complex ones.
  Expression whole(const Expression& given);
  std::optional<Expression> real_of_complex(const Expression& given);
  Parts parts(const Expression& given);
  Parts parts_of_call(const Expression& given);
  Parts product(const Parts& first, const Parts& second, const ValueType& type);
  Parts selected(const Expression& given);
  Parts no_parts() {
    can_split_ = false;
    return {number(ValueType::scalar(DType::kFloat64), 0, {}),
            number(ValueType::scalar(DType::kFloat64), 0, {})};
  }
  // In locals that are set before the statement, unless it may not be evaluated there.
  Parts held(Parts given);
  Expression held(Expression given);

  const Function& function_;
  const Differences differences_;
  Function made_;
  std::vector<PartLocals> locals_;
  std::vector<Statement>* before_ = nullptr;  // null where the statement evaluates it conditionally
  declare::SourceSpan place_;                 // of the statement
  int n_expressions_ = 0;                     // in it
  bool can_split_ = true;
};

void Splitter::make_locals() {
  made_.name = function_.name;
  for (std::size_t i = 0; i < function_.locals.size(); ++i) {
    const Local& local = function_.locals[i];
    if (!is_complex(local.type)) {
      can_split_ = can_split_ && !has_complex(local.type);
      made_.locals.push_back(local);
      locals_.push_back({static_cast<int>(made_.locals.size()) - 1, -1});
    } else {
      const int real = add_local(local.name + "_real", part_type(local.type));
      locals_.push_back({real, add_local(local.name + "_imag", part_type(local.type))});
    }
    if (i < function_.n_parameters) made_.n_parameters = made_.locals.size();
  }
}

ValueType Splitter::result_type() const {
  std::vector<ValueType> items;
  const bool is_tuple = function_.result.kind == ValueType::Kind::kTuple;
  for (const ValueType& item : is_tuple ? function_.result.items : std::vector{function_.result}) {
    items.push_back(is_complex(item) ? part_type(item) : item);
    if (is_complex(item)) items.push_back(part_type(item));
  }
  return items.size() == 1 ? items[0] : ValueType::tuple(std::move(items));
}

std::vector<Statement> Splitter::block(const std::vector<Statement>& statements) {
  std::vector<Statement> made;
  for (const Statement& each : statements) {
    n_expressions_ = 0;
    place_ = each.place;
    before_ = &made;
    statement(each, made);
  }
  return made;
}

void Splitter::statement(const Statement& given, std::vector<Statement>& made) {
  if (given.kind == StatementKind::kAssign) return assign(given, made);
  Statement result = given;
  if (given.kind == StatementKind::kStore || given.kind == StatementKind::kForRange) {
    result.local = of(given.local).real;
  }
  // Each trip evaluates the condition of `while`.
  if (given.kind == StatementKind::kWhile) before_ = nullptr;
  if (given.kind == StatementKind::kReturn && given.value) {
    result.value = returned(*given.value);
  } else if (given.value) {
    result.value = whole(*given.value);
  }
  for (Expression& index : result.indices) index = whole(index);
  for (Expression& bound : result.range) bound = whole(bound);
  result.body = block(given.body);
  result.orelse = block(given.orelse);
  made.push_back(std::move(result));
}

void Splitter::add_assignment(int local, Expression value, std::vector<Statement>& made) const {
  Statement statement{StatementKind::kAssign, place_, local, {}, {}, {}, {}, {}};
  statement.value = std::move(value);
  made.push_back(std::move(statement));
}

// Both parts are known before the first is assigned.
void Splitter::assign(const Statement& given, std::vector<Statement>& made) {
  const PartLocals& locals = of(given.local);
  if (locals.imag < 0) return add_assignment(locals.real, whole(*given.value), made);
  Parts value = held(parts(*given.value));
  add_assignment(locals.real, std::move(value.real), made);
  add_assignment(locals.imag, std::move(value.imag), made);
}

Expression Splitter::returned(const Expression& value) {
  if (!has_complex(value.type)) return whole(value);
  const bool is_tuple = value.kind == ExpressionKind::kTuple;
  if (!is_tuple && !is_complex(value.type)) return no_parts().real;
  Expression made{ExpressionKind::kTuple, result_type(), value.place, {}};
  for (const Expression& item : is_tuple ? value.operands : std::vector{value}) {
    if (!is_complex(item.type)) {
      made.operands.push_back(whole(item));
      continue;
    }
    Parts found = held(parts(item));
    made.operands.push_back(std::move(found.real));
    made.operands.push_back(std::move(found.imag));
  }
  return made;
}

Expression Splitter::held(Expression given) {
  if (before_ == nullptr || is_plain(given)) return given;
  const int local = add_local("part", given.type);
  const Expression read{ExpressionKind::kLocal, given.type, given.place, {}, LocalReference{local}};
  add_assignment(local, std::move(given), *before_);
  return read;
}

Parts Splitter::held(Parts given) {
  return {held(std::move(given.real)), held(std::move(given.imag))};
}

Expression Splitter::whole(const Expression& given) {
  if (++n_expressions_ > kMostExpressions) can_split_ = false;
  if (!can_split_) return given;
  if (auto made = real_of_complex(given)) return *std::move(made);
  Expression made = given;
  if (const auto local = declare::named_local(given)) {
    declare::rename_local(made, of(*local).real);
  }
  const bool is_conditional = given.kind == ExpressionKind::kSelect ||
                              given.kind == ExpressionKind::kAnd ||
                              given.kind == ExpressionKind::kOr;
  const auto before = std::exchange(before_, is_conditional ? nullptr : before_);
  for (Expression& operand : made.operands) {
    if (has_complex(operand.type)) {
      can_split_ = false;
      break;
    }
    operand = whole(operand);
  }
  before_ = before;
  return made;
}

// Operations on complex numbers whose results are real; nullopt for all others.
std::optional<Expression> Splitter::real_of_complex(const Expression& given) {
  if (given.kind != ExpressionKind::kCall || !is_complex(given.operands.front().type)) return {};
  const auto operation = detail<Operation>(given);
  const Parts first = parts(given.operands.front());
  const ValueType type = ValueType::scalar(DType::kBool);
  const auto joined = [&](ExpressionKind kind, Expression one, Expression other) {
    return Expression{kind, type, given.place, {std::move(one), std::move(other)}};
  };
  const auto of_both = [&](ExpressionKind kind) {
    return joined(kind, call(operation, type, {first.real}), call(operation, type, {first.imag}));
  };
  switch (operation) {
    case Operation::kReal:
      return first.real;
    case Operation::kImag:
      return first.imag;
    case Operation::kEqual:
    case Operation::kNotEqual: {
      const Parts second = parts(given.operands[1]);
      const bool is_equal = operation == Operation::kEqual;
      return joined(is_equal ? ExpressionKind::kAnd : ExpressionKind::kOr,
                    call(operation, type, {first.real, second.real}),
                    call(operation, type, {first.imag, second.imag}));
    }
    case Operation::kTruth:
    case Operation::kIsNan:
    case Operation::kIsInf:
      return of_both(ExpressionKind::kOr);
    case Operation::kIsFinite:
      return of_both(ExpressionKind::kAnd);
    default:
      return no_parts().real;
  }
}

Parts Splitter::parts(const Expression& given) {
  if (++n_expressions_ > kMostExpressions || !can_split_) return no_parts();
  const ValueType type = part_type(given.type);
  switch (given.kind) {
    case ExpressionKind::kConstant: {
      const auto value = std::get<std::complex<double>>(detail<declare::ConstantValue>(given));
      return {number(type, value.real(), given.place), number(type, value.imag(), given.place)};
    }
    case ExpressionKind::kLocal: {
      const PartLocals& locals = of(detail<LocalReference>(given).local);
      Expression read{ExpressionKind::kLocal, type, given.place, {}, LocalReference{locals.real}};
      Expression imag = read;
      imag.detail = LocalReference{locals.imag};
      return {std::move(read), std::move(imag)};
    }
    case ExpressionKind::kCast: {
      const auto cast = [&](Expression value) {
        return Expression{ExpressionKind::kCast, type, given.place, {std::move(value)}};
      };
      const Expression& from = given.operands.front();
      if (!is_complex(from.type)) return {cast(whole(from)), number(type, 0, given.place)};
      Parts found = parts(from);
      return {cast(std::move(found.real)), cast(std::move(found.imag))};
    }
    case ExpressionKind::kSelect:
      return selected(given);
    case ExpressionKind::kCall:
      return parts_of_call(given);
    default:
      return no_parts();
  }
}

Parts Splitter::selected(const Expression& given) {
  const Expression decides = held(whole(given.operands[0]));
  const auto before = std::exchange(before_, nullptr);
  const Parts chosen = parts(given.operands[1]), other = parts(given.operands[2]);
  before_ = before;
  const auto select = [&](const Expression& one, const Expression& two) {
    return Expression{ExpressionKind::kSelect, one.type, given.place, {decides, one, two}};
  };
  return {select(chosen.real, other.real), select(chosen.imag, other.imag)};
}

Parts Splitter::product(const Parts& first, const Parts& second, const ValueType& type) {
  const auto times = [&type](const Expression& one, const Expression& other) {
    return call(Operation::kMultiply, type, {one, other});
  };
  n_expressions_ += 8;
  const Expression one = times(first.real, second.real);
  const Expression negative = call(Operation::kNegative, type, {second.imag});
  return {differences_ == Differences::kPlain
              ? call(Operation::kSubtract, type, {one, times(first.imag, second.imag)})
              : call(Operation::kAdd, type, {one, times(first.imag, negative)}),
          call(Operation::kAdd, type,
               {times(first.real, second.imag), times(first.imag, second.real)})};
}

Parts Splitter::parts_of_call(const Expression& given) {
  const ValueType type = part_type(given.type);
  const auto operation = detail<Operation>(given);
  const std::vector<Expression>& operands = given.operands;
  if (operation == Operation::kMakeComplex) return {whole(operands[0]), whole(operands[1])};
  if (!is_complex(operands[0].type)) return no_parts();
  const Parts first = held(parts(operands[0]));
  const auto negative = [&type](const Expression& value) {
    return call(Operation::kNegative, type, {value});
  };
  switch (operation) {
    case Operation::kPositive:
      return first;
    case Operation::kNegative:
      return {negative(first.real), negative(first.imag)};
    case Operation::kConjugate:
      return {first.real, negative(first.imag)};
    case Operation::kSquare:
      return product(first, first, type);
    case Operation::kAdd:
    case Operation::kSubtract: {
      const Parts second = parts(operands[1]);
      return {call(operation, type, {first.real, second.real}),
              call(operation, type, {first.imag, second.imag})};
    }
    case Operation::kMultiply:
      return product(first, held(parts(operands[1])), type);
    default:
      return no_parts();
  }
}

std::vector<declare::OperandType> part_operands(const std::vector<declare::OperandType>& given) {
  std::vector<declare::OperandType> made;
  for (const declare::OperandType& each : given) {
    const bool has_parts = base::is_complex(each.dtype);
    const DType dtype = has_parts ? declare::real_dtype(each.dtype) : each.dtype;
    made.insert(made.end(), has_parts ? 2 : 1, {dtype, each.n_dimensions});
  }
  return made;
}

bool has_complex(const Function& function) {
  bool found = has_complex(function.result) ||
               std::ranges::any_of(function.locals,
                                   [](const Local& local) { return has_complex(local.type); });
  visit_expressions(function.body,
                    [&](const Expression& each) { found |= has_complex(each.type); });
  return found;
}

bool calls_with_complex(const declare::PythonKernel& kernel) {
  return !kernel.external_functions.empty() ||
         std::ranges::any_of(kernel.device_functions,
                             [](const Function& function) { return has_complex(function); });
}

}  // namespace

std::shared_ptr<const declare::TypedKernel> with_complex_parts(const declare::TypedKernel& kernel,
                                                               Differences differences) {
  const auto* const python = std::get_if<declare::PythonKernel>(&kernel.body);
  const bool may_split = python != nullptr && !kernel.layout && has_complex(python->function) &&
                         !calls_with_complex(*python) &&
                         known_reduction(kernel) == KnownReduction::kNone;
  if (!may_split) return nullptr;
  std::optional<Function> function = Splitter(python->function, differences).split();
  if (!function) return nullptr;
  auto made = std::make_shared<declare::TypedKernel>(kernel);
  made->signature = {part_operands(kernel.signature.inputs),
                     part_operands(kernel.signature.outputs)};
  if (made->signature.inputs.size() + made->signature.outputs.size() > kMostOperands)
    return nullptr;
  std::get<declare::PythonKernel>(made->body).function = *std::move(function);
  return made;
}

}  // namespace numpy_plugin::analysis
