// Dates and durations as the int64 that hold them, once a kernel is typed: what follows knows
// numbers only. Whatever computes with them as if they were numbers is an error.
#include <algorithm>

#include "numpy_plugin/base/time_type.hpp"
#include "numpy_plugin/infer/statements/kernel_checks.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

bool is_time(const Expression& expression) {
  const ValueType& type = expression.type;
  return type.kind == ValueType::Kind::kScalar && base::is_time(type.dtype);
}

bool has_times(const Expression& array) {
  return array.type.kind == ValueType::Kind::kArray && base::is_time(array.type.dtype);
}

class TimeStorage {
 public:
  std::vector<Diagnostic> store(PythonKernel& kernel);

 private:
  void store(Function& function);
  void store(Statement& statement);
  void store(Expression& expression);
  void store(ValueType& type) const;
  void check(const Expression& expression);
  void check_copy(const Expression& copy);
  void refuse(const Expression& where, const Expression& operand, std::string_view what);

  std::vector<Diagnostic> errors_;
};

std::vector<Diagnostic> TimeStorage::store(PythonKernel& kernel) {
  store(kernel.function);
  for (Function& function : kernel.device_functions) store(function);
  return std::move(errors_);
}

void TimeStorage::store(Function& function) {
  for (Statement& statement : function.body) store(statement);
  for (Local& local : function.locals) {
    store(local.type);
    if (local.storage.constant && base::is_time(local.storage.constant->dtype)) {
      auto ticks = std::make_shared<ConstantArray>(*local.storage.constant);
      ticks->dtype = DType::kInt64;
      local.storage.constant = std::move(ticks);
    }
  }
  store(function.result);
}

void TimeStorage::store(Statement& statement) {
  if (statement.value) store(*statement.value);
  for (Expression& index : statement.indices) store(index);
  for (Expression& bound : statement.range) store(bound);
  for (Statement& inner : statement.body) store(inner);
  for (Statement& inner : statement.orelse) store(inner);
}

void TimeStorage::store(ValueType& type) const {
  if (base::is_time(type.dtype)) type.dtype = DType::kInt64;
  for (ValueType& item : type.items) store(item);
}

void TimeStorage::store(Expression& expression) {
  check(expression);
  if (expression.kind == ExpressionKind::kSortElements &&
      std::ranges::any_of(expression.operands, has_times)) {
    expression.detail = Operation::kTimeLess;
  }
  const bool is_of_ticks = expression.kind == ExpressionKind::kCast &&
                           (is_time(expression) || is_time(expression.operands.front()));
  for (Expression& operand : expression.operands) store(operand);
  store(expression.type);
  if (is_of_ticks && expression.operands.front().type == expression.type) {
    Expression ticks = std::move(expression.operands.front());
    expression = std::move(ticks);
  }
}

void TimeStorage::refuse(const Expression& where, const Expression& operand,
                         std::string_view what) {
  Diagnostic diagnostic;
  diagnostic.message = format("{} takes no {}", what, base::name(operand.type.dtype));
  diagnostic.place = where.place;
  errors_.push_back(std::move(diagnostic));
}

// Elements are copied as they are, in their own unit.
void TimeStorage::check_copy(const Expression& copy) {
  const ValueType& to = copy.operands[0].type;
  const ValueType& from = copy.operands[1].type;
  if (to.dtype == from.dtype || (!base::is_time(to.dtype) && !base::is_time(from.dtype))) return;
  Diagnostic diagnostic;
  diagnostic.message = format("{} copied as a whole to an array of {}", base::name(from.dtype),
                              base::name(to.dtype));
  diagnostic.place = copy.place;
  diagnostic.hint = "store elements, which are converted: out[i] = t[i]";
  errors_.push_back(std::move(diagnostic));
}

void TimeStorage::check(const Expression& expression) {
  const bool is_copy = expression.kind == ExpressionKind::kCopyElements ||
                       expression.kind == ExpressionKind::kMoveElements;
  if (is_copy) return check_copy(expression);
  for (const Expression& operand : expression.operands) {
    switch (expression.kind) {
      case ExpressionKind::kCall: {
        const OperationInfo& operation = info(detail<Operation>(expression));
        const bool is_for_times = operation.header.starts_with("time/");
        if (is_time(operand) && !is_for_times)
          return refuse(expression, operand, format("'{}'", operation.name));
        break;
      }
      case ExpressionKind::kCast:
        if (is_time(operand) && !is_time(expression) && expression.type.dtype != DType::kInt64)
          return refuse(expression, operand, format("'{}'", base::name(expression.type.dtype)));
        break;
      case ExpressionKind::kAtomic:
      case ExpressionKind::kPrint:
      case ExpressionKind::kThread:
      case ExpressionKind::kCallExternal:
        if (is_time(operand)) return refuse(expression, operand, "this call");
        break;
      default:
        break;
    }
  }
}

}  // namespace

std::vector<Diagnostic> store_times(PythonKernel& kernel) { return TimeStorage().store(kernel); }

}  // namespace numpy_plugin::declare
