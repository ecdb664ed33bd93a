#include "numpy_plugin/derive/derive.hpp"

#include <utility>

#include "numpy_plugin/derive/tangent_function.hpp"

namespace numpy_plugin::derive {

using declare::Function;

void Differentiator::error(const declare::SourceSpan& where, std::string message,
                           std::string hint) {
  declare::Diagnostic diagnostic;
  diagnostic.message = std::move(message);
  diagnostic.place = where;
  diagnostic.hint = std::move(hint);
  for (const declare::Diagnostic& known : errors_) {
    if (known.place == where && known.message == diagnostic.message) return;
  }
  errors_.push_back(std::move(diagnostic));
}

CalleeActivity Differentiator::activity(int function, const std::vector<Directions>& arguments) {
  if (function < 0) {  // a function that calls itself: refused where it is lowered
    Directions all = 0;
    for (const Directions argument : arguments) all |= argument;
    return {all, arguments};
  }
  const Key key = {function, arguments};
  const auto found = activities_.find(key);
  if (found != activities_.end()) return found->second;
  const Function& callee = callees_.callee(function);
  const Activity active(callee, arguments, [this](int inner, const std::vector<Directions>& given) {
    return activity(inner, given);
  });
  CalleeActivity result{active.result(), {}};
  for (std::size_t i = 0; i < callee.n_parameters; ++i)
    result.parameters.push_back(active.of_local(static_cast<int>(i)));
  activities_.emplace(key, result);
  return result;
}

TangentCallee Differentiator::tangent_callee(int function, const std::vector<Directions>& arguments,
                                             const declare::SourceSpan& called_at) {
  if (function < 0) {
    error(called_at, "a function that calls itself has no derivative", "use a loop");
    return {};
  }
  const CalleeActivity active = activity(function, arguments);
  const Key key = {function, active.parameters};
  const auto found = tangent_callees_.find(key);
  if (found != tangent_callees_.end()) return found->second;
  // Copied: adding functions may move the callee.
  const Function callee = callees_.callee(function);
  Activity inner(
      callee, active.parameters,
      [this](int called, const std::vector<Directions>& given) { return activity(called, given); });
  Function made =
      TangentFunction(*this, callee, std::move(inner), active.parameters).with_tangents();
  const TangentCallee result{callees_.add_callee(std::move(made)), active};
  tangent_callees_.emplace(key, result);
  return result;
}

Directions Differentiator::seed(const Function& function, int parameter, int direction) {
  const Directions bit = Directions{1} << static_cast<unsigned>(direction);
  if (base::is_complex(function.locals[static_cast<std::size_t>(parameter)].type.dtype))
    complex_directions_ |= bit;
  return bit;
}

Function Differentiator::differentiate(const Function& function, const Differentiation& wanted,
                                       std::vector<int>& unused) {
  std::vector<Directions> parameters(function.n_parameters);
  for (std::size_t i = 0; i < wanted.parameters.size(); ++i) {
    const int parameter = wanted.parameters[i];
    parameters[static_cast<std::size_t>(parameter)] |=
        seed(function, parameter, static_cast<int>(i));
  }
  for (const Carried& carried : wanted.carried) {
    parameters[static_cast<std::size_t>(carried.value)] |=
        seed(function, carried.value, carried.direction);
  }
  Activity active(function, parameters, [this](int called, const std::vector<Directions>& given) {
    return activity(called, given);
  });
  for (std::size_t i = 0; i < wanted.parameters.size(); ++i) {
    if ((active.result() >> i & 1) == 0) unused.push_back(wanted.parameters[i]);
  }
  return TangentFunction(*this, function, std::move(active), std::move(parameters))
      .with_parts(wanted);
}

}  // namespace numpy_plugin::derive
