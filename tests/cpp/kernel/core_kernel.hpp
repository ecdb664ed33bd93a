// Handwritten kernels over core arrays, from a layout.
#pragma once

#include <algorithm>

#include "kernel/kernel_builder.hpp"

namespace numpy_plugin::emit::test {

// A kernel over `layout`, all operands float64: arrays a, b, ... for inputs with core dimensions,
// scalars for others, then outputs out, out2. Predefined: loop variables i, j, k and a sum s.
class KernelText {
 public:
  explicit KernelText(const std::string& layout)
      : layout_(layout), core_(declare::parse_core_signature(layout)), f("kernel") {
    for (std::size_t i = 0; i < core_.operands.size(); ++i) add_operand(i);
    for (const char* name : {"i", "j", "k", "start"}) f.add_local(name, ValueType::scalar(kI8));
    for (const char* name : {"s", "t"}) f.add_local(name, ValueType::scalar(kF8));
  }

  TypedKernel finish(std::vector<Statement> body) {
    std::string types(core_.n_inputs, 'd');
    types += "->" + std::string(core_.n_outputs(), 'd');
    return generalized_kernel(layout_, types, f.finish({}, std::move(body)));
  }

  // for <variable> in range(<array>.shape[axis]): body
  Statement loop(const char* variable, const char* array, int axis, std::vector<Statement> body) {
    return f.for_range(variable, {integer(0), f.size(array, axis), integer(1)}, std::move(body));
  }
  Statement loop(const char* variable, Expression start, Expression stop,
                 std::vector<Statement> body) {
    return f.for_range(variable, {std::move(start), std::move(stop), integer(1)}, std::move(body));
  }
  Expression at(const char* array, std::vector<const char*> variables) {
    std::vector<Expression> indices;
    for (const char* each : variables) indices.push_back(f.local(each));
    return f.load(array, std::move(indices));
  }
  Statement put(const char* array, std::vector<const char*> variables, Expression value) {
    std::vector<Expression> indices;
    for (const char* each : variables) indices.push_back(f.local(each));
    return f.store(array, std::move(indices), std::move(value));
  }
  Expression local(const char* name) { return f.local(name); }
  Statement set(const char* name, Expression value) { return f.assign(name, std::move(value)); }
  Statement add_to(const char* name, Expression value) {
    return f.assign(name, call(Operation::kAdd, {f.local(name), std::move(value)}));
  }

 private:
  void add_operand(std::size_t i) {
    const int n_dimensions = static_cast<int>(core_.operands[i].size());
    const bool is_output = i >= core_.n_inputs;
    std::string name(1, static_cast<char>('a' + i));
    if (is_output) name = i == core_.n_inputs ? "out" : "out2";
    const ValueType array = ValueType::array(kF8, std::max(1, n_dimensions));
    f.parameter(name, n_dimensions > 0 || is_output ? array : ValueType::scalar(kF8));
  }

  std::string layout_;
  declare::CoreSignature core_;

 public:
  Builder f;
};

inline Expression zero() { return number(kF8, 0.0); }

}  // namespace numpy_plugin::emit::test
