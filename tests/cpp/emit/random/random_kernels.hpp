// Random kernels of each shape that device kernels have.
#pragma once

#include "emit/random/random_statements.hpp"

namespace numpy_plugin::emit::test {

class RandomKernel : private RandomStatements {
 public:
  RandomKernel(unsigned seed, KernelShape shape) : RandomStatements(seed, shape) {
    const int n_functions = static_cast<int>(below(3));
    const bool can_raise = shape == KernelShape::kElementwise ||
                           shape == KernelShape::kGeneralized || shape == KernelShape::kLaunched;
    if (one_in(2)) kernel_.exceptions.resize(can_raise ? 2 : 0);
    if (one_in(2)) kernel_.external_functions.push_back(external_function());
    for (int i = 0; i < n_functions; ++i) add_device_function();
  }

  TypedKernel run() {
    switch (shape_) {
      case KernelShape::kElementwise:
        return elementwise();
      case KernelShape::kPacked:
        return packed();
      case KernelShape::kGeneralized:
        return generalized();
      case KernelShape::kSplit:
        return split();
      case KernelShape::kStaged:
        return staged();
      case KernelShape::kLaunched:
        break;
    }
    return launched();
  }

 private:
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
    return finish(types, {}, body());
  }

  // A body computed on packed words.
  TypedKernel packed() {
    const DType dtype = *base::find_dtype("bBhH"[below(4)]);
    begin("packed", ValueType::scalar(dtype), true);
    declare::TypeSignature types;
    types.outputs = {{dtype, 0}};
    for (std::size_t i = 0; i < 1 + below(3); ++i) {
      types.inputs.push_back({dtype, 0});
      add_parameter(ValueType::scalar(dtype));
    }
    return finish(types, {}, {give_back(packed_value(dtype, 3))});
  }
  Expression packed_value(DType dtype, int depth) {
    constexpr Operation kOperations[] = {Operation::kAdd,        Operation::kSubtract,
                                         Operation::kBitwiseAnd, Operation::kBitwiseOr,
                                         Operation::kBitwiseXor, Operation::kInvert};
    if (depth == 0 || one_in(5))
      return one_in(3) ? constant(dtype) : frame_.function.local(one_of(frame_.visible));
    const Operation operation = kOperations[below(6)];
    Expression result = node(ExpressionKind::kCall, ValueType::scalar(dtype), {}, operation);
    for (int i = 0; i < declare::info(operation).n_arguments; ++i)
      result.operands.push_back(packed_value(dtype, depth - 1));
    return result;
  }

  TypedKernel generalized() {
    static const std::vector<std::string> kLayouts = {"(n)->(n)", "(m,n),()->(m)", "(n),(n)->()",
                                                      "(3),(n)->(n),()"};
    const declare::CoreSignature layout = declare::parse_core_signature(one_of(kLayouts));
    const declare::TypeSignature types = begin_generalized(layout);
    for (const std::string& output : outputs_) frame_.visible.push_back(output);
    return finish(types, layout, body());
  }

  // Parameters of any dtypes; outputs are not visible yet.
  declare::TypeSignature begin_generalized(const declare::CoreSignature& layout) {
    begin("generalized", {}, true);
    outputs_.clear();
    declare::TypeSignature types;
    for (std::size_t i = 0; i < layout.operands.size(); ++i) {
      const int n_dimensions = static_cast<int>(layout.operands[i].size());
      const bool is_input = i < layout.n_inputs;
      const DType dtype = any_dtype();
      (is_input ? types.inputs : types.outputs).push_back({dtype, 0});
      add_parameter(is_input && n_dimensions == 0
                        ? ValueType::scalar(dtype)
                        : ValueType::array(dtype, std::max(1, n_dimensions), is_input));
      if (is_input) continue;
      outputs_.push_back(frame_.visible.back());
      frame_.visible.pop_back();
    }
    return types;
  }

  // One or two loops, whose trips write disjoint elements.
  TypedKernel split() {
    static const std::vector<std::string> kLayouts = {"(n)->(n)", "(m,n),(n)->(m,n)",
                                                      "(m,n),()->(m,n),(m)", "(n),(3)->(n)"};
    const declare::CoreSignature layout = declare::parse_core_signature(one_of(kLayouts));
    const declare::TypeSignature types = begin_generalized(layout);
    const bool has_two = outputs_.size() == 1 && layout.operands.back().size() == 2 && one_in(2);
    return finish(types, layout, {trips(has_two ? 2 : 1, {})});
  }
  Statement trips(int n_loops, std::vector<Expression> indices) {
    const std::string variable = new_name("i");
    frame_.function.add_local(variable, ValueType::scalar(kI8));
    frame_.visible.push_back(variable);
    const int axis = static_cast<int>(indices.size());
    indices.push_back(frame_.function.local(variable));
    std::vector<Statement> statements = {assign(any_value(2), true), assign(any_value(2), true)};
    if (n_loops > 1)
      statements.push_back(trips(n_loops - 1, indices));
    else
      for (const std::string& output : outputs_) statements.push_back(put(output, indices));
    return frame_.function.for_range(
        variable, {integer(0), frame_.function.size(outputs_.front(), axis), integer(1)},
        std::move(statements));
  }
  // A store to an output, with constant indices in its other dimensions.
  Statement put(const std::string& output, std::vector<Expression> indices) {
    const ValueType type = frame_.function.local(output).type;
    while (indices.size() < static_cast<std::size_t>(type.n_dimensions))
      indices.push_back(integer(0));
    return frame_.function.store(output, std::move(indices), value(type.dtype, 2));
  }

  // Writes every element of the outputs before anything else.
  TypedKernel staged() {
    static const std::vector<std::string> kLayouts = {"(3)->(3)", "(2,2),()->(2)",
                                                      "(3),(2)->(2),()"};
    const declare::CoreSignature layout = declare::parse_core_signature(one_of(kLayouts));
    const declare::TypeSignature types = begin_generalized(layout);
    add_arrays();
    std::vector<Statement> statements;
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const auto& dimensions = layout.operands[layout.n_inputs + i];
      const auto index =
          dimensions.empty() ? 0 : static_cast<std::size_t>(dimensions[0].name_index);
      const std::int64_t size = dimensions.empty() ? 1 : layout.names[index].frozen_size;
      for (std::int64_t at = 0; at < size; ++at)
        statements.push_back(put(outputs_[i], {integer(at)}));
    }
    for (const std::string& output : outputs_) frame_.visible.push_back(output);
    for (int i = 0; i < 3; ++i) statements.push_back(any_statement(1));
    return finish(types, layout, std::move(statements));
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
    return finish(types, {}, body());
  }

  TypedKernel finish(const declare::TypeSignature& types,
                     const std::optional<declare::CoreSignature>& layout,
                     std::vector<Statement> statements) {
    kernel_.function = frame_.function.finish(frame_.result, std::move(statements));
    return {kernel_.function.name, types, layout, std::move(kernel_)};
  }

  std::vector<std::string> outputs_;  // of a generalized kernel
};

}  // namespace numpy_plugin::emit::test
