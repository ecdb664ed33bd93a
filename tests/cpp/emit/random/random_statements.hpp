// Random statements, and whole function bodies.
#pragma once

#include "emit/random/random_expressions.hpp"
#include "numpy_plugin/kernel/printed_text.hpp"

namespace numpy_plugin::emit::test {

class RandomStatements : protected RandomExpressions {
 protected:
  using RandomExpressions::RandomExpressions;

  std::vector<Statement> body() {
    add_arrays();
    std::vector<Statement> statements;
    if (one_in(2)) statements.push_back(make_array());
    for (Statement& each : block(3)) statements.push_back(std::move(each));
    if (frame_.result.kind != Kind::kNone) statements.push_back(give_back(result()));
    return statements;
  }

  // Arrays that are no parameters: constant, local and shared ones.
  void add_arrays() {
    const auto add = [&](const char* stem, const ValueType& type, Storage storage,
                         std::vector<std::int64_t> sizes,
                         std::shared_ptr<const declare::ConstantArray> constant = nullptr) {
      const std::string name = new_name(stem);
      frame_.function.add_local(name, type, {storage, std::move(sizes), std::move(constant)});
      if (storage == Storage::kLocal || storage == Storage::kScratch)
        frame_.made.push_back(name);
      else
        frame_.visible.push_back(name);
    };
    const DType dtype = any_dtype();
    const std::string bytes(6 * base::info(dtype).n_bytes, '\1');
    add("table", ValueType::array(dtype, 2, true), Storage::kConstant, {2, 3},
        std::make_shared<const declare::ConstantArray>(
            declare::ConstantArray{dtype, {2, 3}, bytes}));
    add("scratch", ValueType::array(any_dtype(), 2), Storage::kLocal, {3, 4});
    if (shape_ == KernelShape::kGeneralized && frame_.is_kernel && !kernel_.exceptions.empty())
      add("scratch", ValueType::array(any_dtype(), 2), Storage::kScratch, {});
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
        return one_in(3) ? store_elements() : store();
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

  // Assigns to an existing local of this type, or to a new one.
  Statement assign(Expression value, bool to_new = false) {
    std::string name = find([&](const declare::Local& local) { return local.type == value.type; });
    const bool is_new = name.empty() || value.type.kind == Kind::kArray || to_new || one_in(2);
    if (is_new) name = new_name("v");
    Statement result = frame_.function.assign(name, std::move(value));
    if (is_new) frame_.visible.push_back(name);
    return result;
  }

  // A zeroed local array, or a view of an array.
  Statement array_statement() {
    if (one_in(2)) return make_array();
    if (shape_ == KernelShape::kLaunched && frame_.is_kernel && one_in(3))
      return assign(node(ExpressionKind::kDynamicArray, ValueType::array(atomic_dtype(), 1)));
    const std::string array = any_array();
    return assign(array.empty() ? any_value(1) : view(array));
  }

  Statement make_array() {
    const std::string name = one_of(frame_.made);
    Statement made = frame_.function.assign(name, new_elements(name));
    frame_.visible.push_back(name);
    return made;
  }

  // Of a local array, or of a scratch array with sizes that a launch can compute.
  Expression new_elements(const std::string& name) {
    const declare::Local& local = frame_.function.described(name);
    if (local.storage.kind == Storage::kLocal) return node(ExpressionKind::kZeroArray, local.type);
    Expression made = node(ExpressionKind::kScratchArray, local.type,
                           {frame_.function.size("a0", 0), integer(3)});
    made.exception = 0;
    return made;
  }

  Expression view(const std::string& array) {
    const ValueType type = frame_.function.local(array).type;
    Expression whole = frame_.function.local(array);
    if (one_in(4)) whole = node(ExpressionKind::kTranspose, type, {std::move(whole)});
    if (one_in(4)) whole = reshaped(type, std::move(whole));
    std::vector<Expression> operands = {std::move(whole), slice()};
    int n_dimensions = 1;
    for (int axis = 1; axis < type.n_dimensions; ++axis) {
      const bool is_kept = one_in(2);
      operands.push_back(is_kept ? slice() : value(kI8, 1));
      n_dimensions += is_kept;
    }
    return node(ExpressionKind::kView,
                ValueType::array(type.dtype, n_dimensions, type.is_read_only), std::move(operands));
  }

  // A view of one element.
  Expression reshaped(const ValueType& type, Expression whole) {
    std::vector<Expression> operands = {std::move(whole)};
    for (int axis = 0; axis < type.n_dimensions; ++axis) operands.push_back(integer(1));
    return node(ExpressionKind::kReshape, type, std::move(operands));
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

  // Fills part of an array with a number, or copies to it from the same or another array.
  Statement store_elements() {
    const std::string array = any_array(true);
    if (array.empty()) return assign(any_value(2));
    const std::string other = one_in(2) ? array : any_array();
    std::vector<Expression> parts = {view(array), view(other)};
    const ValueType& to = parts[0].type;
    const ValueType& from = parts[1].type;
    if (to.n_dimensions == 1 && !base::is_complex(to.dtype) && one_in(3)) return sort(parts);
    ExpressionKind kind = ExpressionKind::kCopyElements;
    if (from.dtype != to.dtype || from.n_dimensions > to.n_dimensions) {
      kind = ExpressionKind::kFillElements;
      parts[1] = value(to.dtype, 1);
    } else if (other == array && to.n_dimensions == 1) {
      kind = ExpressionKind::kMoveElements;
    }
    return statement(StatementKind::kEvaluate, node(kind, {}, std::move(parts)));
  }

  // Sorts the first part, or selects some of its elements, or writes the indices of the second one.
  Statement sort(const std::vector<Expression>& parts) {
    std::vector<Expression> operands = {parts[0]};
    const ValueType& from = parts[1].type;
    const bool has_order = from.n_dimensions == 1 && !base::is_complex(from.dtype);
    if (parts[0].type.dtype == kI8 && has_order)
      operands.push_back(parts[1]);
    else if (one_in(2))
      operands.insert(operands.end(), {value(kI8, 1), value(kI8, 1)});
    return statement(StatementKind::kEvaluate,
                     node(ExpressionKind::kSortElements, {}, std::move(operands)));
  }

  Statement effect() {
    if (one_in(8)) return print();
    const bool is_launched = shape_ == KernelShape::kLaunched && frame_.is_kernel;
    const std::string array = find([](const declare::Local& local) {
      return local.type.kind == Kind::kArray && !local.type.is_read_only &&
             (local.type.dtype == kI4 || local.type.dtype == DType::kUInt32 ||
              local.type.dtype == DType::kUInt64);
    });
    if (is_launched && !array.empty() && one_in(2)) return assign(atomic(array));
    if (is_launched) return of_thread();
    for (std::size_t i = 0; i < kernel_.device_functions.size(); ++i)
      if (kernel_.device_functions[i].result.kind == Kind::kNone)
        return statement(StatementKind::kEvaluate, called(i));
    return assign(any_value(2));
  }

  // A line of up to three numbers.
  Statement print() {
    std::string text = std::string("= ") + declare::kArgumentMark + "=\n";
    std::vector<Expression> numbers;
    for (std::size_t i = 0; i < below(4); ++i) {
      numbers.push_back(value(one_of(std::vector{kI8, DType::kUInt64, kF8}), 1));
      text += std::string{declare::kArgumentMark, declare::kNumberMark};
      text += std::string(base::name(numbers.back().type.dtype)) + declare::kFormatMark + "s";
      text += declare::kFormatMark;
    }
    kernel_.prints = true;
    Expression line = node(ExpressionKind::kPrint, {}, std::move(numbers),
                           declare::PrintedText{std::make_shared<const std::string>(text)});
    return statement(StatementKind::kEvaluate, std::move(line));
  }

  // A barrier or a fence, or the result of a thread function.
  Statement of_thread() {
    static const std::vector<declare::ThreadFunction> kFunctions = {
#define NPP_THREAD_FUNCTION(enumerator, ...) declare::ThreadFunction::enumerator,
#include "numpy_plugin/kernel/thread_functions.def"
    };
    const declare::ThreadFunction function = one_of(kFunctions);
    Expression call = node(ExpressionKind::kThread, ValueType::scalar(kI8), {}, function);
    const declare::ThreadFunctionInfo& row = declare::info(function);
    const DType dtype = row.parameters.ends_with('i') ? atomic_dtype() : any_dtype_up_to_64_bits();
    for (const char letter : row.parameters)
      if (letter != '?') call.operands.push_back(value(thread_dtype(letter, dtype), 1));
    call.type = thread_type(row.result, dtype);
    if (row.result != declare::ThreadResult::kNothing) return assign(std::move(call));
    return statement(StatementKind::kEvaluate, std::move(call));
  }
  DType any_dtype_up_to_64_bits() { return *base::find_dtype("?bBhHiIlLeEfdF"[below(14)]); }
  static DType thread_dtype(char letter, DType dtype) {
    return letter == 'm'   ? DType::kUInt32
           : letter == 'l' ? kI4
           : letter == 'p' ? DType::kBool
                           : dtype;
  }
  static ValueType thread_type(declare::ThreadResult result, DType dtype) {
    const ValueType mask = ValueType::scalar(DType::kUInt32);
    const ValueType truth = ValueType::scalar(DType::kBool);
    switch (result) {
      case declare::ThreadResult::kNothing:
        return {};
      case declare::ThreadResult::kPlain:
        return ValueType::scalar(kI8);
      case declare::ThreadResult::kBool:
        return truth;
      case declare::ThreadResult::kMask:
        return mask;
      case declare::ThreadResult::kMaskAndBool:
        return ValueType::tuple({mask, truth});
      case declare::ThreadResult::kSame:
        break;
    }
    return ValueType::scalar(dtype);
  }

  Expression atomic(const std::string& array) {
    const ValueType type = frame_.function.local(array).type;
    const declare::Atomic atomics[] = {declare::Atomic::kAdd, declare::Atomic::kMax,
                                       declare::Atomic::kXor, declare::Atomic::kExch,
                                       declare::Atomic::kCas};
    Expression result = node(ExpressionKind::kAtomic, ValueType::scalar(type.dtype), indices(type));
    const declare::Atomic function = atomics[below(5)];
    result.detail = declare::AtomicUpdate{function, frame_.function.find(array)};
    for (int i = 0; i < declare::info(function).n_values; ++i)
      result.operands.push_back(value(type.dtype, 1));
    return result;
  }
};

}  // namespace numpy_plugin::emit::test
