// Handwritten kernels: short names for the nodes of the tree.
#pragma once

#include <optional>
#include <stdexcept>
#include <utility>

#include "numpy_plugin/emit/source/emit.hpp"

namespace numpy_plugin::emit::test {

using base::DType;
using declare::Expression;
using declare::ExpressionKind;
using declare::Function;
using declare::Operation;
using declare::Statement;
using declare::StatementKind;
using declare::TypedKernel;
using declare::ValueType;

inline constexpr DType kF4 = DType::kFloat32;
inline constexpr DType kF8 = DType::kFloat64;
inline constexpr DType kI4 = DType::kInt32;
inline constexpr DType kI8 = DType::kInt64;

inline Expression node(ExpressionKind kind, ValueType type, std::vector<Expression> operands = {},
                       declare::ExpressionDetail detail = {}) {
  return {kind, std::move(type), {}, std::move(operands), detail};
}

inline Expression number(DType dtype, declare::ConstantValue value) {
  return node(ExpressionKind::kConstant, ValueType::scalar(dtype), {}, value);
}
inline Expression integer(std::int64_t value) { return number(kI8, value); }
inline Expression boolean(bool value) { return number(DType::kBool, std::int64_t{value}); }

inline Statement statement(StatementKind kind, std::optional<Expression> value = {},
                           std::vector<Statement> body = {}, std::vector<Statement> orelse = {}) {
  Statement result{};
  result.kind = kind;
  result.value = std::move(value);
  result.body = std::move(body);
  result.orelse = std::move(orelse);
  return result;
}

// The function under construction: its locals by name.
class Builder {
 public:
  explicit Builder(std::string name) { function_.name = std::move(name); }

  Builder& parameter(const std::string& name, const ValueType& type) {
    add_local(name, type);
    ++function_.n_parameters;
    return *this;
  }
  Builder& parameter(const std::string& name, DType dtype) {
    return parameter(name, ValueType::scalar(dtype));
  }
  int add_local(const std::string& name, const ValueType& type,
                declare::ArrayStorage storage = {}) {
    function_.locals.push_back({name, type, std::move(storage)});
    return static_cast<int>(function_.locals.size()) - 1;
  }
  int find(const std::string& name) const {
    for (std::size_t i = 0; i < function_.locals.size(); ++i)
      if (function_.locals[i].name == name) return static_cast<int>(i);
    throw std::out_of_range(name);
  }

  const declare::Local& described(const std::string& name) const {
    return function_.locals[static_cast<std::size_t>(find(name))];
  }
  Expression local(const std::string& name) const {
    return node(ExpressionKind::kLocal, described(name).type, {},
                declare::LocalReference{find(name)});
  }
  Expression load(const std::string& name, std::vector<Expression> indices) const {
    return node(ExpressionKind::kLoad, ValueType::scalar(described(name).type.dtype),
                std::move(indices), declare::ElementLoad{find(name)});
  }
  Expression size(const std::string& name, int axis) const {
    return node(ExpressionKind::kArraySize, ValueType::scalar(kI8), {},
                declare::ArraySize{find(name), axis});
  }
  // An assignment; an unknown name becomes a local of the value's type.
  Statement assign(const std::string& name, Expression value) {
    const auto is_there = [&] {
      for (const declare::Local& local : function_.locals)
        if (local.name == name) return true;
      return false;
    };
    if (!is_there()) add_local(name, value.type);
    Statement result = statement(StatementKind::kAssign, std::move(value));
    result.local = find(name);
    return result;
  }
  Statement store(const std::string& name, std::vector<Expression> indices, Expression value) {
    Statement result = statement(StatementKind::kStore, std::move(value));
    result.local = find(name);
    result.indices = std::move(indices);
    return result;
  }
  Statement for_range(const std::string& name, std::vector<Expression> range,
                      std::vector<Statement> body) {
    Statement result = statement(StatementKind::kForRange, {}, std::move(body));
    result.local = find(name);
    result.range = std::move(range);
    return result;
  }

  Function finish(ValueType result, std::vector<Statement> body) {
    function_.result = std::move(result);
    function_.body = std::move(body);
    return std::move(function_);
  }

 private:
  Function function_;
};

inline Expression call(Operation operation, std::vector<Expression> operands) {
  ValueType type = operands[0].type;
  const declare::OperationResult kind = declare::info(operation).result;
  if (kind == declare::OperationResult::kBool) type = ValueType::scalar(DType::kBool);
  if (kind == declare::OperationResult::kReal && type.dtype == DType::kComplex128)
    type = ValueType::scalar(kF8);
  return node(ExpressionKind::kCall, type, std::move(operands), operation);
}
inline Expression cast(DType dtype, Expression value) {
  return node(ExpressionKind::kCast, ValueType::scalar(dtype), {std::move(value)});
}
inline Expression select(Expression condition, Expression then, Expression otherwise) {
  const ValueType type = then.type;
  return node(ExpressionKind::kSelect, type,
              {std::move(condition), std::move(then), std::move(otherwise)});
}
inline Expression both(Expression left, Expression right) {
  return node(ExpressionKind::kAnd, ValueType::scalar(DType::kBool),
              {std::move(left), std::move(right)});
}
inline Expression either(Expression left, Expression right) {
  return node(ExpressionKind::kOr, ValueType::scalar(DType::kBool),
              {std::move(left), std::move(right)});
}
inline Expression tuple(std::vector<Expression> items) {
  std::vector<ValueType> types;
  for (const Expression& item : items) types.push_back(item.type);
  return node(ExpressionKind::kTuple, ValueType::tuple(types), std::move(items));
}
inline Expression item(Expression tuple, int index) {
  const ValueType type = tuple.type.items[static_cast<std::size_t>(index)];
  return node(ExpressionKind::kTupleItem, type, {std::move(tuple)}, declare::TupleItem{index});
}
inline Expression call_function(int index, const ValueType& result_type,
                                std::vector<Expression> arguments) {
  return node(ExpressionKind::kCallFunction, result_type, std::move(arguments),
              declare::DeviceFunctionCall{index});
}

inline Statement give_back(Expression value) {
  return statement(StatementKind::kReturn, std::move(value));
}
inline Statement jump(StatementKind kind) { return statement(kind); }
inline Statement branch(Expression condition, std::vector<Statement> body,
                        std::vector<Statement> orelse = {}) {
  return statement(StatementKind::kIf, std::move(condition), std::move(body), std::move(orelse));
}
inline Statement loop_while(Expression condition, std::vector<Statement> body) {
  return statement(StatementKind::kWhile, std::move(condition), std::move(body));
}

// "dd->d" as a type signature.
inline declare::TypeSignature signature(std::string_view types) {
  declare::TypeSignature result;
  bool is_input = true;
  for (const char c : types) {
    if (c == '-') is_input = false;
    if (c == '-' || c == '>') continue;
    (is_input ? result.inputs : result.outputs).push_back({*base::find_dtype(c), 0});
  }
  return result;
}

inline TypedKernel python_kernel(std::string_view types, Function function,
                                 std::vector<Function> device_functions = {}) {
  const std::string name = function.name;
  return {name,
          signature(types),
          {},
          declare::PythonKernel{std::move(function), std::move(device_functions)}};
}

inline TypedKernel generalized_kernel(std::string_view layout, std::string_view types,
                                      Function function) {
  TypedKernel kernel = python_kernel(types, std::move(function));
  kernel.layout = declare::parse_core_signature(layout);
  return kernel;
}

inline Program program(TypedKernel kernel) {
  Program result;
  result.name = kernel.name;
  result.kernels.push_back(std::move(kernel));
  return result;
}

}  // namespace numpy_plugin::emit::test
