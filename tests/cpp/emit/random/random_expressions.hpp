// Random expressions: typed trees of every kind, like those of inference. Locals are read only
// after an assignment.
#pragma once

#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "emit/random/random_operations.hpp"

namespace numpy_plugin::emit::test {

enum class KernelShape { kElementwise, kPacked, kGeneralized, kSplit, kStaged, kLaunched };

class RandomExpressions {
 protected:
  RandomExpressions(unsigned seed, KernelShape shape) : random_(seed), shape_(shape) {}

  using Kind = ValueType::Kind;
  using Storage = declare::ArrayStorage::Kind;

  // Names in scope in the function under construction: parameters and assigned locals.
  struct Frame {
    Builder function{""};
    std::vector<std::string> visible;
    std::vector<std::string> made;  // local and scratch arrays, which a statement makes
    int n_locals = 0;
    int loop_depth = 0;
    bool is_kernel = false;
    ValueType result;
  };

  std::size_t below(std::size_t limit) { return random_() % limit; }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <class T>
  const T& one_of(const std::vector<T>& items) {
    return items[below(items.size())];
  }
  DType any_dtype() { return *base::find_dtype("?bBhHiIlLeEfdFD"[below(15)]); }
  DType atomic_dtype() { return *base::find_dtype("iIL"[below(3)]); }

  std::string new_name(const std::string& stem) { return stem + std::to_string(frame_.n_locals++); }

  template <class Predicate>
  std::string find(Predicate predicate) {
    std::vector<std::string> found;
    for (const std::string& name : frame_.visible)
      if (predicate(frame_.function.described(name))) found.push_back(name);
    return found.empty() ? "" : one_of(found);
  }
  std::string any_array(bool is_written = false) {
    return find([&](const declare::Local& local) {
      return local.type.kind == Kind::kArray && !(is_written && local.type.is_read_only);
    });
  }

  std::vector<Expression> indices(const ValueType& array) {
    std::vector<Expression> result;
    for (int axis = 0; axis < array.n_dimensions; ++axis) result.push_back(value(kI8, 1));
    return result;
  }

  Expression any_value(int depth) {
    const ValueType pair =
        ValueType::tuple({ValueType::scalar(any_dtype()), ValueType::scalar(any_dtype())});
    return one_in(4) ? any_of(pair, depth) : value(any_dtype(), depth);
  }

  // A value of a scalar or tuple type.
  Expression any_of(const ValueType& type, int depth) {
    if (type.kind == Kind::kScalar) return value(type.dtype, depth);
    std::vector<Expression> items;
    for (const ValueType& each : type.items) items.push_back(any_of(each, depth));
    return tuple(std::move(items));
  }

  Expression value(DType dtype, int depth) {
    if (depth == 0 || one_in(4)) return as(dtype, leaf());
    if (one_in(6))
      return select(value(DType::kBool, depth - 1), value(dtype, depth - 1),
                    value(dtype, depth - 1));
    if (dtype == DType::kBool && one_in(3)) {
      Expression left = value(dtype, depth - 1), right = value(dtype, depth - 1);
      return one_in(2) ? both(left, right) : either(left, right);
    }
    return operation(dtype, depth);
  }

  Expression as(DType dtype, Expression value) {
    return value.type.dtype == dtype ? value : cast(dtype, std::move(value));
  }

  Expression operation(DType dtype, int depth) {
    static const std::vector<TypedOperation> kOperations = typed_operations();
    std::vector<TypedOperation> fitting;
    for (const TypedOperation& each : kOperations)
      if (result_dtype(each.operation, each.dtype) == dtype) fitting.push_back(each);
    const TypedOperation chosen = one_of(fitting);
    const declare::OperationInfo& info = declare::info(chosen.operation);
    Expression result = node(ExpressionKind::kCall, ValueType::scalar(dtype), {}, chosen.operation);
    for (int i = 0; i < info.n_arguments; ++i)
      result.operands.push_back(
          value(argument_dtype(chosen.operation, i, chosen.dtype), depth - 1));
    return result;
  }

  // A scalar of any dtype without operations.
  Expression leaf() {
    switch (below(6)) {
      case 0:
        return constant(any_dtype());
      case 1:
        if (const std::string array = any_array(); !array.empty()) return from(array);
        break;
      case 2:
        if (!kernel_.device_functions.empty()) return from_function();
        break;
      case 3:
        if (shape_ == KernelShape::kLaunched && frame_.is_kernel)
          return node(ExpressionKind::kThread, ValueType::scalar(kI8), {},
                      declare::ThreadFunction::kThreadX);
        if (!kernel_.external_functions.empty()) return from_external();
        break;
      default:
        break;
    }
    const std::string name =
        find([](const declare::Local& local) { return local.type.kind != Kind::kArray; });
    return name.empty() ? constant(any_dtype()) : scalar_in(frame_.function.local(name));
  }

  Expression scalar_in(Expression value) {
    while (value.type.kind == Kind::kTuple)
      value = item(value, static_cast<int>(below(value.type.items.size())));
    return value;
  }

  Expression from(const std::string& array) {
    const ValueType type = frame_.function.local(array).type;
    if (one_in(4)) {
      const auto axis = below(static_cast<std::size_t>(type.n_dimensions));
      return frame_.function.size(array, static_cast<int>(axis));
    }
    return frame_.function.load(array, simple_indices(type));
  }
  std::vector<Expression> simple_indices(const ValueType& array) {
    std::vector<Expression> result;
    for (int axis = 0; axis < array.n_dimensions; ++axis)
      result.push_back(integer(static_cast<std::int64_t>(below(3)) - 1));
    return result;
  }

  Expression from_function() {
    const std::size_t index = below(kernel_.device_functions.size());
    if (kernel_.device_functions[index].result.kind == Kind::kNone) return constant(any_dtype());
    return scalar_in(called(index));
  }
  Expression called(std::size_t index) {
    const Function& function = kernel_.device_functions[index];
    std::vector<Expression> arguments;
    for (std::size_t i = 0; i < function.n_parameters; ++i)
      arguments.push_back(argument(function.locals[i].type));
    return call_function(static_cast<int>(index), function.result, std::move(arguments));
  }
  Expression argument(const ValueType& type) {
    if (type.kind == Kind::kScalar) return constant(type.dtype);
    const std::string array = find([&](const declare::Local& local) {
      return local.type.kind == Kind::kArray && local.type.dtype == type.dtype &&
             local.type.n_dimensions == type.n_dimensions;
    });
    if (!array.empty()) return node(ExpressionKind::kCast, type, {frame_.function.local(array)});
    const std::string name = new_name("own");
    frame_.function.add_local(name, ValueType::array(type.dtype, 1), {Storage::kLocal, {2}, {}});
    return node(ExpressionKind::kCast, type, {frame_.function.local(name)});
  }

  Expression from_external() {
    return node(ExpressionKind::kCallExternal, ValueType::scalar(kF8),
                {constant(kF8), constant(kF4)}, declare::ExternalFunctionCall{0});
  }

  Expression constant(DType dtype) {
    const base::DTypeInfo& info = base::info(dtype);
    const auto bits = static_cast<int>(8 * info.n_bytes);
    const double numbers[] = {0.0, -0.0, 0.1, -2.5, 60000.0, HUGE_VAL, -HUGE_VAL, std::nan("")};
    const double first = numbers[below(8)], second = numbers[below(8)];
    switch (info.kind) {
      case base::DTypeKind::kBoolean:
        return boolean(one_in(2));
      case base::DTypeKind::kTime:
      case base::DTypeKind::kSigned: {
        const std::int64_t most = std::numeric_limits<std::int64_t>::max() >> (64 - bits);
        const std::int64_t values[] = {0, 1, -1, 7, most, -most - 1};
        return number(dtype, values[below(6)]);
      }
      case base::DTypeKind::kUnsigned: {
        const std::uint64_t values[] = {0, 1, 200, ~std::uint64_t{0} >> (64 - bits)};
        return number(dtype, values[below(4)]);
      }
      case base::DTypeKind::kFloating:
        return number(dtype, first);
      case base::DTypeKind::kComplex:
        break;
    }
    return number(dtype, std::complex<double>(first, second));
  }

  std::mt19937 random_;  // the same numbers on all platforms
  KernelShape shape_;
  declare::PythonKernel kernel_;
  Frame frame_;
};

}  // namespace numpy_plugin::emit::test
