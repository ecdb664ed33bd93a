// Kernels of few statements, as trees.
#pragma once

#include "numpy_plugin/analysis/tree.hpp"

namespace numpy_plugin::emit::test {

inline declare::Expression expression(declare::ExpressionKind kind, base::DType dtype,
                                      std::vector<declare::Expression> operands,
                                      declare::ExpressionDetail detail = {}) {
  return {kind, declare::ValueType::scalar(dtype), {}, std::move(operands), std::move(detail)};
}
inline declare::Expression read(int local, base::DType dtype = base::DType::kFloat64) {
  return expression(declare::ExpressionKind::kLocal, dtype, {}, declare::LocalReference{local});
}
inline declare::Expression number(declare::ConstantValue value,
                                  base::DType dtype = base::DType::kFloat64) {
  return expression(declare::ExpressionKind::kConstant, dtype, {}, value);
}
inline declare::Expression call(declare::Operation operation, base::DType dtype,
                                std::vector<declare::Expression> operands) {
  return expression(declare::ExpressionKind::kCall, dtype, std::move(operands), operation);
}
inline declare::Expression sum(int left, int right) {
  return call(declare::Operation::kAdd, base::DType::kFloat64, {read(left), read(right)});
}

inline declare::Statement make(declare::StatementKind kind,
                               std::optional<declare::Expression> value, declare::Block body = {}) {
  declare::Statement statement{};
  statement.kind = kind;
  statement.value = std::move(value);
  statement.body = std::move(body);
  return statement;
}
inline declare::Statement assign(int local, declare::Expression value) {
  declare::Statement statement = make(declare::StatementKind::kAssign, std::move(value));
  statement.local = local;
  return statement;
}

}  // namespace numpy_plugin::emit::test
