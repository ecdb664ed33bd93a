#include "numpy_plugin/ufunc/refusals/raising_call.hpp"

#include <algorithm>

#include "numpy_plugin/run/launch/launch_kernel.hpp"
#include "numpy_plugin/run/reports/kernel_reports.hpp"
#include "numpy_plugin/ufunc/api/python_error.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

using Shape = std::vector<Py_ssize_t>;

// The part of a loop shape from `begin` to `end`, exclusive.
struct Part {
  Shape begin;
  Shape end;
};

// An operand of the repeated calls.
struct Operand {
  nb::object value;
  Shape loop_shape;  // without core dimensions
};

nb::object as_operand(nb::handle value) {
  const bool has_shape = nb::hasattr(value, "shape");
  // Numbers are unchanged: they take their types from the other operands.
  if (has_shape || PyNumber_Check(value.ptr()) != 0) return nb::borrow(value);
  return nb::module_::import_("numpy").attr("asarray")(value);
}

Shape loop_shape(nb::handle value, std::size_t n_core_dimensions) {
  Shape shape;
  if (!nb::hasattr(value, "shape")) return shape;
  for (const nb::handle size : nb::tuple(value.attr("shape")))
    shape.push_back(nb::cast<Py_ssize_t>(size));
  shape.resize(shape.size() - std::min(shape.size(), n_core_dimensions));
  return shape;
}

// Moves the operand's core dimensions to the end, from the axes given by the call.
nb::object with_core_last(nb::object value, const CallArguments& call, std::size_t operand,
                          std::size_t n_core_dimensions) {
  if (n_core_dimensions == 0) return value;
  nb::object axes = nb::borrow(call.axis);
  if (!call.axis.is_valid() || call.axis.is_none()) axes = nb::borrow(call.axes)[operand];
  nb::list last;
  const auto n_axes = static_cast<Py_ssize_t>(n_core_dimensions);
  for (Py_ssize_t axis = -n_axes; axis < 0; ++axis) last.append(axis);
  const nb::object target = nb::isinstance<nb::tuple>(axes) ? nb::object(last) : last[0];
  return nb::module_::import_("numpy").attr("moveaxis")(value, axes, target);
}

void broadcast_to(Shape& shape, const Shape& other) {
  if (other.size() > shape.size()) shape.insert(shape.begin(), other.size() - shape.size(), 1);
  for (std::size_t i = 1; i <= other.size(); ++i) {
    Py_ssize_t& size = shape[shape.size() - i];
    size = size == 1 ? other[other.size() - i] : size;
  }
}

// Suppresses NumPy's warnings, which the whole call has issued already.
class NoWarnings {
 public:
  NoWarnings() : state_(nb::module_::import_("numpy").attr("errstate")(nb::arg("all") = "ignore")) {
    state_.attr("__enter__")();
  }
  ~NoWarnings() {
    call_python([this] { state_.attr("__exit__")(nb::none(), nb::none(), nb::none()); });
  }
  NoWarnings(const NoWarnings&) = delete;
  NoWarnings& operator=(const NoWarnings&) = delete;

 private:
  nb::object state_;
};

class ElementSearch {
 public:
  ElementSearch(PyObject* callable, const CallArguments& call,
                const std::optional<declare::CoreSignature>& layout, vectorcallfunc make_call)
      : callable_(callable), make_call_(make_call) {
    const bool names_axes = call.axis.is_valid() || call.axes.is_valid();
    const std::size_t n_operands = names_axes ? call.n_inputs : call.n_operands();
    for (std::size_t i = 0; i < n_operands; ++i) {
      if (!call.operands[i].is_valid()) continue;
      const std::size_t n_core = layout ? layout->operands[i].size() : 0;
      nb::object value = as_operand(call.operands[i]);
      if (names_axes) value = with_core_last(value, call, i, n_core);
      const Shape shape = loop_shape(value, n_core);
      broadcast_to(shape_, shape);
      if (i < call.n_inputs) inputs_.push_back({value, shape});
    }
    keep("where", call.where);
    keep("dtype", call.dtype);
    keep("signature", call.signature);
    keep("casting", call.casting);
    if (call.where.is_valid()) {
      named_["out"] = nb::none();  // masked-out elements need no value
      where_ = Operand{as_operand(call.where), loop_shape(as_operand(call.where), 0)};
      broadcast_to(shape_, where_->loop_shape);
    }
  }

  std::optional<RaisedElement> run() {
    Part part{Shape(shape_.size(), 0), shape_};
    for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
      while (part.end[axis] - part.begin[axis] > 1) halve(part, axis);
    }
    if (!raises(part)) return std::nullopt;
    return RaisedElement{part.begin, last_};
  }

 private:
  void keep(const char* name, nb::handle value) {
    if (value.is_valid()) named_[name] = value;
  }

  void halve(Part& part, std::size_t axis) {
    Part first = part;
    first.end[axis] = part.begin[axis] + (part.end[axis] - part.begin[axis]) / 2;
    const Py_ssize_t middle = first.end[axis];
    (raises(first) ? part.end : part.begin)[axis] = middle;
  }

  bool raises(const Part& part) {
    const run::SilentLines no_lines;
    std::vector<nb::object> values;
    for (const Operand& input : inputs_) values.push_back(slice(input, part));
    if (where_) named_["where"] = slice(*where_, part);
    nb::list names;
    for (const auto& [name, value] : named_) {
      names.append(name);
      values.push_back(nb::borrow(value));
    }
    std::vector<PyObject*> pointers;
    for (const nb::object& value : values) pointers.push_back(value.ptr());
    const nb::object name_tuple = nb::tuple(names);
    const RaiseScope scope;
    const nb::object result = nb::steal(make_call_(callable_, pointers.data(), inputs_.size(),
                                                   named_.size() > 0 ? name_tuple.ptr() : nullptr));
    if (scope.raised().is_set()) {
      PyErr_Clear();
      last_ = scope.raised();
      return true;
    }
    if (!result.is_valid()) throw nb::python_error();
    return false;
  }

  // Dimensions of size 1 are shared by all parts.
  nb::object slice(const Operand& operand, const Part& part) const {
    if (operand.loop_shape.empty()) return operand.value;
    nb::list index;
    const std::size_t n_missing = shape_.size() - operand.loop_shape.size();
    for (std::size_t i = 0; i < operand.loop_shape.size(); ++i) {
      const bool is_one = operand.loop_shape[i] == 1;
      const Py_ssize_t begin = is_one ? 0 : part.begin[n_missing + i];
      const Py_ssize_t end = is_one ? 1 : part.end[n_missing + i];
      index.append(nb::slice(nb::int_(begin), nb::int_(end), nb::none()));
    }
    return operand.value[nb::tuple(index)];
  }

  PyObject* callable_;
  vectorcallfunc make_call_;
  std::vector<Operand> inputs_;
  std::optional<Operand> where_;
  nb::dict named_;
  Shape shape_;
  run::RaisedError last_;
};

bool may_share_memory(nb::handle first, nb::handle second) {
  const DeviceArray* const one = find_device_array(first);
  const DeviceArray* const other = find_device_array(second);
  if (one != nullptr && other != nullptr) {
    const bool is_repeated =
        one->device()->is_simulated() || run::error_mode() == run::ErrorMode::kImmediate;
    return is_repeated && one->memory.overlaps(other->memory);
  }
  if (!PyArray_Check(first.ptr()) || !PyArray_Check(second.ptr())) return false;
  return nb::cast<bool>(nb::module_::import_("numpy").attr("may_share_memory")(first, second));
}

}  // namespace

SeparateInputs::SeparateInputs(const UfuncState& state, const GivenArguments& given)
    : given_(given), values_(given.values, given.values + given.n_values()) {
  const std::size_t n_inputs = std::min(state.library->declaration().n_inputs, given.n_positional);
  std::vector<nb::handle> outputs(
      values_.begin() + static_cast<std::ptrdiff_t>(n_inputs),
      values_.begin() + static_cast<std::ptrdiff_t>(given.n_positional));
  for (std::size_t i = 0; i < given.n_named(); ++i) {
    PyObject* const value = values_[given.n_positional + i];
    if (!is_name(given.name(i), "out")) continue;
    if (PyTuple_CheckExact(value)) {
      for (const nb::handle item : nb::borrow<nb::tuple>(value)) outputs.push_back(item);
    } else {
      outputs.emplace_back(value);
    }
  }
  for (std::size_t i = 0; i < n_inputs; ++i) {
    const bool is_shared = std::any_of(outputs.begin(), outputs.end(), [&](nb::handle output) {
      return may_share_memory(values_[i], output);
    });
    if (!is_shared) continue;
    copies_.push_back(nb::handle(values_[i]).attr("copy")());
    values_[i] = copies_.back().ptr();
  }
}

std::optional<RaisedElement> find_raised_element(PyObject* callable, const GivenArguments& given,
                                                 vectorcallfunc make_call) {
  const UfuncState& state = *find_state(callable);
  const CallArguments call = read_call(callable, state, given);
  const auto& layout = state.library->declaration().layout;
  const NoWarnings quiet;
  return ElementSearch(callable, call, layout, make_call).run();
}

}  // namespace numpy_plugin::ufunc
