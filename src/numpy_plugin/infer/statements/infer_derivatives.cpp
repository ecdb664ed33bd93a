// A typed function's derivatives in its place.
#include <algorithm>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/derive/derive.hpp"
#include "numpy_plugin/infer/core/kernel_inference.hpp"

namespace numpy_plugin::declare {

// The kernel's device functions, to which those with tangents are added.
class TypedCallees final : public derive::Callees {
 public:
  explicit TypedCallees(KernelInference& kernel) : kernel_(kernel) {}

  const Function& callee(int function) const override {
    return kernel_.typed(static_cast<std::size_t>(function)).function;
  }

  int add_callee(Function function) override {
    auto typed = std::make_unique<TypedFunction>();
    typed->function = std::move(function);
    kernel_.device_functions_.push_back({{}, std::move(typed)});
    return static_cast<int>(kernel_.device_functions_.size()) - 1;
  }

 private:
  KernelInference& kernel_;
};

namespace {

using base::DType;

class Differentiation {
 public:
  Differentiation(KernelInference& kernel, const FunctionTask& task, TypedFunction& typed)
      : kernel_(kernel), syntax_(*task.syntax), typed_(typed) {}

  void apply(const derive::Differentiation& wanted);

 private:
  SourceSpan place_of(int parameter) const;
  void check_parameter(int parameter);
  void check_result(const derive::Part& part);
  void check_number_of_results(const derive::Differentiation& wanted);
  void check_carried(const derive::Carried& carried);
  void error(const SourceSpan& where, std::string message, std::string hint);

  KernelInference& kernel_;
  const FunctionSyntax& syntax_;
  TypedFunction& typed_;
};

void Differentiation::error(const SourceSpan& where, std::string message, std::string hint) {
  Diagnostic diagnostic;
  diagnostic.message = std::move(message);
  diagnostic.place = where;
  diagnostic.hint = std::move(hint);
  typed_.findings.errors.push_back(std::move(diagnostic));
}

SourceSpan Differentiation::place_of(int parameter) const {
  SourceSpan place = syntax_.parameters[static_cast<std::size_t>(parameter)].place;
  place.source += kernel_.source_base(syntax_);
  return place;
}

bool has_derivative(const ValueType& type) {
  const bool is_number = type.kind == ValueType::Kind::kScalar;
  return is_number && (base::is_complex(type.dtype) ||
                       (base::is_floating(type.dtype) && !base::is_half(type.dtype)));
}

std::string type_name(const ValueType& type) {
  if (type.kind == ValueType::Kind::kArray) return "an array";
  return "of " + std::string(base::name(type.dtype));
}

void Differentiation::check_parameter(int parameter) {
  const Local& local = typed_.function.locals[static_cast<std::size_t>(parameter)];
  if (has_derivative(local.type)) return;
  const std::string found = type_name(local.type);
  error(place_of(parameter), format("'{}' is {}: no derivative by it", local.name, found),
        "derivatives are by numbers of float32, float64, complex64 and complex128");
}

void Differentiation::check_result(const derive::Part& part) {
  const ValueType& result = typed_.function.result;
  const bool is_tuple = result.kind == ValueType::Kind::kTuple;
  const ValueType& type = is_tuple ? result.items[static_cast<std::size_t>(part.result)] : result;
  if (part.direction == derive::kValue || has_derivative(type)) return;
  error(typed_.first_return, format("a result {} has no derivative", type_name(type)),
        "return a number of float32, float64, complex64 or complex128");
}

// A differentiation has parts of all results.
void Differentiation::check_number_of_results(const derive::Differentiation& wanted) {
  std::size_t n_expected = 0;
  for (const derive::Part& part : wanted.parts)
    n_expected = std::max(n_expected, static_cast<std::size_t>(part.result) + 1);
  const ValueType& result = typed_.function.result;
  const bool is_tuple = result.kind == ValueType::Kind::kTuple;
  const std::size_t n_found = is_tuple ? result.items.size() : 1;
  if (wanted.parts.empty() || n_found == n_expected) return;
  error(typed_.first_return,
        format("'{}' returns {}, its derivative is of {}", syntax_.name,
               base::counted(n_found, "value"), n_expected),
        "return the same number of values for all types; a device function one");
}

void Differentiation::check_carried(const derive::Carried& carried) {
  const Local& local = typed_.function.locals[static_cast<std::size_t>(carried.value)];
  ValueType number = local.type;
  number.kind = ValueType::Kind::kScalar;
  if (has_derivative(number)) return;
  error(place_of(carried.value),
        format("'{}' is {}: it has no derivative", local.name, type_name(number)),
        "derivatives are of numbers of float32, float64, complex64 and complex128");
}

void Differentiation::apply(const derive::Differentiation& wanted) {
  for (const int parameter : wanted.parameters) check_parameter(parameter);
  check_number_of_results(wanted);
  if (!typed_.findings.errors.empty()) return;
  for (const derive::Part& part : wanted.parts) check_result(part);
  for (const derive::Carried& carried : wanted.carried) check_carried(carried);
  if (!typed_.findings.errors.empty()) return;
  TypedCallees callees(kernel_);
  derive::Differentiator differentiator(callees, typed_.findings.errors);
  std::vector<int> unused;
  typed_.function = differentiator.differentiate(typed_.function, wanted, unused);
  for (const int parameter : unused) {
    Diagnostic warning;
    warning.severity = Severity::kWarning;
    const std::string& name = typed_.function.locals[static_cast<std::size_t>(parameter)].name;
    warning.message = format("no result depends on '{}': its derivative is 0", name);
    warning.place = place_of(parameter);
    typed_.findings.warnings.push_back(std::move(warning));
  }
  if (wanted.parts.empty()) return;
  std::vector<InferredType> results = {typed_.result};
  if (typed_.result.is_tuple()) results = typed_.result.items;
  std::vector<InferredType> parts = derive::parts_of(wanted, results);
  typed_.result = parts.size() == 1 ? parts.front() : InferredType::tuple(parts);
}

}  // namespace

void KernelInference::differentiate(const FunctionTask& task, TypedFunction& typed) {
  Differentiation differentiation(*this, task, typed);
  for (const derive::Differentiation& wanted : task.syntax->derivatives) {
    if (typed.findings.errors.empty()) differentiation.apply(wanted);
  }
}

}  // namespace numpy_plugin::declare
