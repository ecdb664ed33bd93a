#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"

#include <algorithm>
#include <string>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/text.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

[[noreturn]] void refuse(const UfuncState& state, const std::string& what) {
  throw base::Error(base::ErrorKind::kType, format("{}() {}", state.name, what));
}

std::string text(nb::handle name) { return nb::str(name).c_str(); }

// Joins names as Python does: 'a', 'b' and 'c'.
std::string listed(const std::vector<std::string>& names) {
  std::string result;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) result += i + 1 < names.size() ? ", " : names.size() > 2 ? ", and " : " and ";
    result += format("'{}'", names[i]);
  }
  return result;
}

class Operands {
 public:
  explicit Operands(const UfuncState& state)
      : state_(state), values_(state.parameters.size(), nullptr) {}

  void take(const GivenArguments& given) {
    std::copy_n(given.values, given.n_positional, values_.begin());
  }

  void take(PyObject* name, PyObject* value) {
    const auto found = std::find(state_.parameters.begin(), state_.parameters.end(), text(name));
    if (found == state_.parameters.end()) {
      refuse(state_, format("got an unexpected keyword argument '{}'", text(name)));
    }
    PyObject*& place = values_[static_cast<std::size_t>(found - state_.parameters.begin())];
    if (place != nullptr)
      refuse(state_, format("got multiple values for argument '{}'", text(name)));
    place = value;
  }

  void take_defaults() {
    for (std::size_t i = 0; i < state_.defaults.size(); ++i) {
      if (values_[i] == nullptr && !state_.defaults[i].is_none()) {
        values_[i] = state_.defaults[i].ptr();
      }
    }
  }

  void check() const {
    std::vector<std::string> missing;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (values_[i] == nullptr) missing.push_back(state_.parameters[i]);
    }
    if (missing.empty()) return;
    refuse(state_, format("missing {}: {}", base::counted(missing.size(), "required argument"),
                          listed(missing)));
  }

  const std::vector<PyObject*>& values() const { return values_; }

 private:
  const UfuncState& state_;
  std::vector<PyObject*> values_;
};

using declare::Binding;

nb::object number_object(const declare::Number& number) {
  if (const auto* integer = std::get_if<declare::Integer>(&number)) {
    return nb::steal(PyLong_FromString(integer->text.c_str(), nullptr, 10));
  }
  if (const auto* is_true = std::get_if<bool>(&number)) return nb::bool_(*is_true);
  if (const auto* real = std::get_if<double>(&number)) return nb::float_(*real);
  const auto value = std::get<std::complex<double>>(number);
  return nb::steal(PyComplex_FromDoubles(value.real(), value.imag()));
}

// None for defaults that are no numbers.
nb::object default_object(const Binding& binding) {
  if (binding.kind == Binding::Kind::kNumber) return number_object(binding.number);
  if (binding.kind != Binding::Kind::kTypedNumber) return nb::none();
  return scalar_of(binding.dtype, number_object(binding.number));
}

}  // namespace

void read_parameters(UfuncState& state) {
  const declare::Declaration& declaration = state.library->declaration();
  const auto* const function = std::get_if<declare::FunctionSyntax>(&declaration.body);
  if (function == nullptr) {
    state.parameters = std::get<declare::CppBody>(declaration.body).input_names;
    return;
  }
  const std::size_t n_inputs = std::min(declaration.n_inputs, function->parameters.size());
  const std::size_t n_required = function->parameters.size() - function->defaults.size();
  for (std::size_t i = 0; i < n_inputs; ++i) {
    state.parameters.push_back(function->parameters[i].text);
    const bool has_default = i >= n_required;
    state.defaults.push_back(has_default ? default_object(function->defaults[i - n_required])
                                         : nb::none());
  }
}

BoundArguments::BoundArguments(const UfuncState& state, const GivenArguments& given)
    : given_(given) {
  Operands operands(state);
  operands.take(given);
  std::vector<PyObject*> others;
  nb::list other_names;
  for (std::size_t i = 0; i < given.n_named(); ++i) {
    PyObject* const value = given.values[given.n_positional + i];
    if (is_numpy_keyword(given.name(i))) {
      other_names.append(nb::handle(given.name(i)));
      others.push_back(value);
    } else {
      operands.take(given.name(i), value);
    }
  }
  const bool uses_names = others.size() < given.n_named();
  const bool has_defaults = std::any_of(state.defaults.begin(), state.defaults.end(),
                                        [](const nb::object& value) { return !value.is_none(); });
  if (!uses_names && !has_defaults) return;
  operands.take_defaults();
  operands.check();
  values_ = operands.values();
  values_.insert(values_.end(), others.begin(), others.end());
  if (!others.empty()) names_ = nb::tuple(other_names);
  given_ = {values_.data(), operands.values().size(), names_.ptr()};
}

}  // namespace numpy_plugin::ufunc
