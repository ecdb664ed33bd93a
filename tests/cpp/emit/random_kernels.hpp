// Kernels made at random: typed trees of every kind of expression and statement, as inference makes
// them. A local is read only where it has been assigned.
#pragma once

#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "random_operations.hpp"

namespace numpy_plugin::emit::test {

enum class KernelShape { kElementwise, kGeneralized, kLaunched };

class RandomKernel {
 public:
  RandomKernel(unsigned seed, KernelShape shape) : random_(seed), shape_(shape) {
    const int n_functions = static_cast<int>(below(3));
    if (one_in(2)) kernel_.exceptions.resize(shape == KernelShape::kLaunched ? 0 : 2);
    if (one_in(2)) kernel_.external_functions.push_back(external_function());
    for (int i = 0; i < n_functions; ++i) add_device_function();
  }

  TypedKernel run() {
    switch (shape_) {
      case KernelShape::kElementwise:
        return elementwise();
      case KernelShape::kGeneralized:
        return generalized();
      case KernelShape::kLaunched:
        break;
    }
    return launched();
  }

 private:
  using Kind = ValueType::Kind;
  using Storage = declare::ArrayStorage::Kind;

  // What the function being made can use at a place: its parameters and assigned locals.
  struct Frame {
    Builder function{""};
    std::vector<std::string> visible;
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

  // ---- functions and kernels

  static declare::ExternalFunction external_function() {
    declare::ExternalFunction function;
    function.name = "mean of two";
    function.signature = signature("df->d");
    function.body = {"return (x + y) / 2;", {"x", "y"}, {}};
    return function;
  }

  void begin(const std::string& name, const ValueType& result, bool is_kernel) {
    frame_ = Frame{};
    frame_.function = Builder(name);
    frame_.result = result;
    frame_.is_kernel = is_kernel;
  }
  void add_parameter(const ValueType& type) {
    const std::string name = new_name("a");
    frame_.function.parameter(name, type);
    frame_.visible.push_back(name);
  }
  std::string new_name(const std::string& stem) { return stem + std::to_string(frame_.n_locals++); }

  void add_device_function() {
    const ValueType results[] = {ValueType::scalar(any_dtype()),
                                 ValueType::tuple({ValueType::scalar(any_dtype()),
                                                   ValueType::tuple({ValueType::scalar(kF8)})}),
                                 ValueType{}};
    begin("function", results[below(3)], false);
    add_parameter(ValueType::scalar(any_dtype()));
    if (one_in(2)) add_parameter(ValueType::array(kF8, 1, true));
    const ValueType result = frame_.result;
    kernel_.device_functions.push_back(frame_.function.finish(result, body()));
  }

  TypedKernel elementwise() {
    declare::TypeSignature types;
    const std::size_t n_outputs = 1 + below(2);
    std::vector<ValueType> results;
    for (std::size_t i = 0; i < n_outputs; ++i) {
      types.outputs.push_back({any_dtype(), 0});
      results.push_back(ValueType::scalar(types.outputs.back().dtype));
    }
    begin("elementwise", n_outputs == 1 ? results[0] : ValueType::tuple(results), true);
    for (std::size_t i = 0; i < 1 + below(3); ++i) {
      types.inputs.push_back({any_dtype(), 0});
      add_parameter(ValueType::scalar(types.inputs.back().dtype));
    }
    return finish(types, {});
  }

  TypedKernel generalized() {
    static const std::vector<std::string> kLayouts = {"(n)->(n)", "(m,n),()->(m)", "(n),(n)->()",
                                                      "(3),(n)->(n),()"};
    const declare::CoreSignature layout = declare::parse_core_signature(one_of(kLayouts));
    begin("generalized", {}, true);
    declare::TypeSignature types;
    for (std::size_t i = 0; i < layout.operands.size(); ++i) {
      const int n_dimensions = static_cast<int>(layout.operands[i].size());
      const bool is_input = i < layout.n_inputs;
      const DType dtype = any_dtype();
      (is_input ? types.inputs : types.outputs).push_back({dtype, 0});
      add_parameter(is_input && n_dimensions == 0
                        ? ValueType::scalar(dtype)
                        : ValueType::array(dtype, std::max(1, n_dimensions), is_input));
    }
    return finish(types, layout);
  }

  TypedKernel launched() {
    begin("launched", {}, true);
    declare::TypeSignature types;
    for (int i = 0; i < 3; ++i) {
      types.inputs.push_back({i == 0 ? atomic_dtype() : any_dtype(), i < 2 ? i + 1 : 0});
      const declare::OperandType& type = types.inputs.back();
      add_parameter(type.n_dimensions == 0 ? ValueType::scalar(type.dtype)
                                           : ValueType::array(type.dtype, type.n_dimensions));
    }
    return finish(types, {});
  }

  TypedKernel finish(const declare::TypeSignature& types,
                     const std::optional<declare::CoreSignature>& layout) {
    const ValueType result = frame_.result;
    std::vector<Statement> statements = body();
    kernel_.function = frame_.function.finish(result, std::move(statements));
    return {kernel_.function.name, types, layout, std::move(kernel_)};
  }

  // ---- statements

  std::vector<Statement> body() {
    add_arrays();
    std::vector<Statement> statements = block(3);
    if (frame_.result.kind != Kind::kNone) statements.push_back(give_back(result()));
    return statements;
  }

  // Arrays that are no parameters: built in, the kernel's own, shared by threads.
  void add_arrays() {
    const auto add = [&](const char* stem, const ValueType& type, Storage storage,
                         std::vector<std::int64_t> sizes,
                         std::shared_ptr<const declare::ConstantArray> constant = nullptr) {
      const std::string name = new_name(stem);
      frame_.function.add_local(name, type, {storage, std::move(sizes), std::move(constant)});
      if (storage != Storage::kLocal)
        frame_.visible.push_back(name);
      else
        zeroed_.push_back(name);
    };
    zeroed_.clear();
    const DType dtype = any_dtype();
    const std::string bytes(6 * base::info(dtype).n_bytes, '\1');
    add("table", ValueType::array(dtype, 2, true), Storage::kConstant, {2, 3},
        std::make_shared<const declare::ConstantArray>(
            declare::ConstantArray{dtype, {2, 3}, bytes}));
    add("scratch", ValueType::array(any_dtype(), 2), Storage::kLocal, {3, 4});
    if (shape_ == KernelShape::kLaunched && frame_.is_kernel)
      add("shared", ValueType::array(atomic_dtype(), 1), Storage::kShared, {32});
  }

  std::vector<Statement> block(int depth) {
    const std::vector<std::string> before = frame_.visible;
    std::vector<Statement> statements;
    for (std::size_t i = 0; i < 1 + below(4); ++i) statements.push_back(any_statement(depth));
    const bool is_outermost = depth == 3;
    if (!is_outermost) frame_.visible = before;
    if (!is_outermost && one_in(4)) statements.push_back(jump_away());
    return statements;
  }

  Statement any_statement(int depth) {
    switch (below(depth > 0 ? 10 : 5)) {
      case 0:
        return array_statement();
      case 1:
        return store();
      case 2:
        return effect();
      case 3:
      case 4:
        return assign(any_value(2));
      case 5:
        return branch(value(DType::kBool, 2), block(depth - 1));
      case 6:
        return branch(value(DType::kBool, 2), block(depth - 1),
                      {branch(value(DType::kBool, 1), block(depth - 1), block(depth - 1))});
      case 7:
        return loop(loop_while(value(DType::kBool, 2), {}), depth);
      default:
        return for_range(depth);
    }
  }

  Statement loop(Statement result, int depth) {
    ++frame_.loop_depth;
    result.body = block(depth - 1);
    --frame_.loop_depth;
    return result;
  }

  Statement for_range(int depth) {
    std::string variable =
        find([](const declare::Local& local) { return local.type == ValueType::scalar(kI8); });
    const bool is_new = variable.empty() || !one_in(4);
    if (is_new) {
      variable = new_name("i");
      frame_.function.add_local(variable, ValueType::scalar(kI8));
    }
    const std::int64_t steps[] = {1, -1, 3};
    std::vector<Expression> range = {value(kI8, 1), value(kI8, 1),
                                     one_in(4) ? value(kI8, 1) : integer(steps[below(3)])};
    if (one_in(2)) range[0] = integer(0);
    Statement result = frame_.function.for_range(variable, std::move(range), {});
    const std::vector<std::string> before = frame_.visible;
    if (is_new) frame_.visible.push_back(variable);
    result = loop(std::move(result), depth);
    frame_.visible = before;
    return result;
  }

  Statement jump_away() {
    if (frame_.loop_depth > 0 && one_in(2))
      return jump(one_in(2) ? StatementKind::kBreak : StatementKind::kContinue);
    if (!kernel_.exceptions.empty() && one_in(2)) {
      Statement raise = statement(StatementKind::kRaise);
      raise.exception = static_cast<int>(below(kernel_.exceptions.size()));
      if (one_in(2)) raise.indices = {value(kF8, 1), value(DType::kUInt64, 1), value(kI8, 1)};
      return raise;
    }
    if (frame_.result.kind == Kind::kNone) return jump(StatementKind::kReturn);
    return give_back(result());
  }

  Expression result() { return any_of(frame_.result, 2); }

  // To a local of this type that is there, or to a new one.
  Statement assign(Expression value) {
    std::string name = find([&](const declare::Local& local) { return local.type == value.type; });
    const bool is_new = name.empty() || value.type.kind == Kind::kArray || one_in(2);
    if (is_new) name = new_name("v");
    Statement result = frame_.function.assign(name, std::move(value));
    if (is_new) frame_.visible.push_back(name);
    return result;
  }

  // Zeros in a local array, or a part of an array under a name of its own.
  Statement array_statement() {
    if (!zeroed_.empty() && one_in(2)) {
      const std::string name = one_of(zeroed_);
      const ValueType& type = frame_.function.local(name).type;
      Statement zeros = frame_.function.assign(name, node(ExpressionKind::kZeroArray, type));
      frame_.visible.push_back(name);
      return zeros;
    }
    if (shape_ == KernelShape::kLaunched && frame_.is_kernel && one_in(3))
      return assign(node(ExpressionKind::kDynamicArray, ValueType::array(atomic_dtype(), 1)));
    const std::string array = any_array();
    return assign(array.empty() ? any_value(1) : view(array));
  }

  Expression view(const std::string& array) {
    const ValueType type = frame_.function.local(array).type;
    std::vector<Expression> operands = {frame_.function.local(array), slice()};
    int n_dimensions = 1;
    for (int axis = 1; axis < type.n_dimensions; ++axis) {
      const bool is_kept = one_in(2);
      operands.push_back(is_kept ? slice() : value(kI8, 1));
      n_dimensions += is_kept;
    }
    return node(ExpressionKind::kView,
                ValueType::array(type.dtype, n_dimensions, type.is_read_only), std::move(operands));
  }
  Expression slice() {
    if (one_in(2)) return node(ExpressionKind::kSlice, {});
    return node(ExpressionKind::kSlice, {}, {value(kI8, 1), value(kI8, 1), integer(-2)});
  }

  Statement store() {
    const std::string array = any_array(true);
    if (array.empty()) return assign(any_value(2));
    const ValueType type = frame_.function.local(array).type;
    return frame_.function.store(array, indices(type), value(type.dtype, 2));
  }

  Statement effect() {
    const bool is_launched = shape_ == KernelShape::kLaunched && frame_.is_kernel;
    const std::string array = find([](const declare::Local& local) {
      return local.type.kind == Kind::kArray && !local.type.is_read_only &&
             (local.type.dtype == kI4 || local.type.dtype == DType::kUInt32 ||
              local.type.dtype == DType::kUInt64);
    });
    if (is_launched && !array.empty() && one_in(2)) return assign(atomic(array));
    if (is_launched) {
      Expression sync = node(ExpressionKind::kThread, {});
      sync.thread_function = declare::ThreadFunction::kSyncThreads;
      return statement(StatementKind::kEvaluate, std::move(sync));
    }
    for (std::size_t i = 0; i < kernel_.device_functions.size(); ++i)
      if (kernel_.device_functions[i].result.kind == Kind::kNone)
        return statement(StatementKind::kEvaluate, called(i));
    return assign(any_value(2));
  }

  Expression atomic(const std::string& array) {
    const ValueType type = frame_.function.local(array).type;
    const declare::Atomic atomics[] = {declare::Atomic::kAdd, declare::Atomic::kMax,
                                       declare::Atomic::kXor, declare::Atomic::kExch,
                                       declare::Atomic::kCas};
    Expression result = node(ExpressionKind::kAtomic, ValueType::scalar(type.dtype), indices(type));
    result.index = frame_.function.find(array);
    result.atomic = atomics[below(5)];
    for (int i = 0; i < declare::info(result.atomic).n_values; ++i)
      result.operands.push_back(value(type.dtype, 1));
    return result;
  }

  // ---- expressions

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

  // A value of a scalar's or a tuple's type.
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
    Expression result = node(ExpressionKind::kCall, ValueType::scalar(dtype));
    result.operation = chosen.operation;
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
          return node(ExpressionKind::kThread, ValueType::scalar(kI8));
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
    Expression result =
        node(ExpressionKind::kCallExternal, ValueType::scalar(kF8), {constant(kF8), constant(kF4)});
    return result;
  }

  Expression constant(DType dtype) {
    const base::DTypeInfo& info = base::info(dtype);
    const auto bits = static_cast<int>(8 * info.n_bytes);
    const double numbers[] = {0.0, -0.0, 0.1, -2.5, 60000.0, HUGE_VAL, -HUGE_VAL, std::nan("")};
    const double first = numbers[below(8)], second = numbers[below(8)];
    switch (info.kind) {
      case base::DTypeKind::kBoolean:
        return boolean(one_in(2));
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

  std::mt19937 random_;  // the same numbers everywhere
  KernelShape shape_;
  declare::PythonKernel kernel_;
  Frame frame_;
  std::vector<std::string> zeroed_;  // arrays of the function's own, which begin as zeros
};

}  // namespace numpy_plugin::emit::test
