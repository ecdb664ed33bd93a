#include "numpy_plugin/ufunc/offload/offload.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/run/device/current_device.hpp"
#include "numpy_plugin/ufunc/arguments/call_operands.hpp"
#include "numpy_plugin/ufunc/device_calls/device_call.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

// Inputs, then outputs; null for outputs to be allocated.
using Operands = std::vector<nb::object>;

nb::module_ numpy() { return nb::module_::import_("numpy"); }

bool has_dimensions(nb::handle object) {
  return object.is_valid() && PyArray_Check(object.ptr()) && PyArray_NDIM(as_array(object)) > 0;
}

// One offloaded call: copies its operands to the device and its results back.
class OffloadedCall {
 public:
  OffloadedCall(const std::shared_ptr<run::Device>& device, const Operands& operands,
                std::size_t n_inputs, bool returns_arrays)
      : stream_(run::current_stream(device)),
        host_(operands),
        n_inputs_(n_inputs),
        returns_arrays_(returns_arrays) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const bool is_copied = i < n_inputs ? has_dimensions(operands[i]) : operands[i].is_valid();
      there_.push_back(is_copied ? copied(operands[i]) : operands[i]);
    }
  }

  nb::object call(PyObject* ufunc, UfuncState& state, const nb::dict& keywords) {
    std::vector<PyObject*> values;
    for (std::size_t i = 0; i < n_inputs_; ++i) values.push_back(there_[i].ptr());
    const nb::object outputs = outputs_there();
    nb::list names;
    names.append("out");
    values.push_back(outputs.ptr());
    for (auto [name, value] : keywords) {
      names.append(name);
      values.push_back(value.ptr());
    }
    const nb::tuple all_names(names);
    const GivenArguments given{values.data(), n_inputs_, all_names.ptr()};
    return back(call_on_device(ufunc, state, read_call(ufunc, state, given)));
  }

 private:
  // In native byte order.
  nb::object copied(const nb::object& operand) const {
    const nb::object native = checked(PyArray_FROM_OF(operand.ptr(), NPY_ARRAY_NOTSWAPPED));
    return nb::cast(copy_to_new_array(stream_, native, "a ufunc's operand"));
  }

  nb::object outputs_there() const {
    nb::list outputs;
    for (std::size_t i = n_inputs_; i < there_.size(); ++i) {
      outputs.append(there_[i].is_valid() ? nb::handle(there_[i]) : nb::handle(Py_None));
    }
    return nb::tuple(outputs);
  }

  nb::object back(const nb::object& result) const {
    if (!PyTuple_CheckExact(result.ptr())) return back(result, n_inputs_);
    nb::list items;
    for (std::size_t i = n_inputs_; i < there_.size(); ++i) {
      items.append(back(nb::borrow(result[i - n_inputs_]), i));
    }
    return nb::tuple(items);
  }

  nb::object back(const nb::object& result, std::size_t operand) const {
    nb::object host = copy_to_host(*find_device_array(result), nb::none(), stream_);
    if (!host_[operand].is_valid()) {
      return returns_arrays_ ? host : nb::steal(PyArray_Return(as_array(host.release())));
    }
    numpy().attr("copyto")(host_[operand], host);
    return host_[operand];
  }

  std::shared_ptr<run::Stream> stream_;
  const Operands& host_;
  std::size_t n_inputs_;
  bool returns_arrays_;  // never scalars
  Operands there_;
};

// Halves of a call along a loop dimension, counted from the last one.
class Halves {
 public:
  Halves(const declare::CoreSignature& layout, const Operands& operands)
      : layout_(layout), operands_(operands) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      for (std::size_t from_last = n_loop_dimensions(i); from_last > place_; --from_last) {
        if (size(i, from_last) <= 1) continue;
        place_ = from_last;
        length_ = size(i, from_last);
      }
    }
  }

  bool are_there() const { return place_ > 0; }

  Operands part(bool is_first) const {
    const npy_intp middle = length_ / 2;
    Operands part;
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      const bool is_cut = n_loop_dimensions(i) >= place_ && size(i, place_) > 1;
      part.push_back(is_cut ? slice(i, is_first ? 0 : middle, is_first ? middle : length_)
                            : operands_[i]);
    }
    return part;
  }

  // Joins the results of the halves.
  nb::object join(const nb::object& first, const nb::object& second) const {
    const std::size_t n_inputs = layout_.n_inputs;
    if (!PyTuple_CheckExact(first.ptr())) return join(first, second, n_inputs);
    nb::list items;
    for (std::size_t i = n_inputs; i < operands_.size(); ++i) {
      items.append(join(nb::borrow(first[i - n_inputs]), nb::borrow(second[i - n_inputs]), i));
    }
    return nb::tuple(items);
  }

 private:
  std::size_t n_dimensions(std::size_t i) const {
    return has_dimensions(operands_[i])
               ? static_cast<std::size_t>(PyArray_NDIM(as_array(operands_[i])))
               : 0;
  }
  std::size_t n_loop_dimensions(std::size_t i) const {
    const std::size_t n_core = layout_.operands[i].size();
    return n_dimensions(i) > n_core ? n_dimensions(i) - n_core : 0;
  }
  std::size_t axis(std::size_t i, std::size_t from_last) const {
    return n_loop_dimensions(i) - from_last;
  }
  npy_intp size(std::size_t i, std::size_t from_last) const {
    return PyArray_DIM(as_array(operands_[i]), static_cast<int>(axis(i, from_last)));
  }

  nb::object slice(std::size_t i, npy_intp begin, npy_intp end) const {
    nb::list key;
    for (std::size_t a = 0; a < axis(i, place_); ++a)
      key.append(nb::slice(nb::none(), nb::none(), nb::none()));
    key.append(nb::slice(nb::int_(begin), nb::int_(end), nb::none()));
    return operands_[i][nb::tuple(key)];
  }

  nb::object join(const nb::object& first, const nb::object& second, std::size_t operand) const {
    if (operands_[operand].is_valid()) return operands_[operand];
    const std::size_t n_core = layout_.operands[operand].size();
    const auto n_axes = static_cast<std::size_t>(PyArray_NDIM(as_array(first)));
    return numpy().attr("concatenate")(nb::make_tuple(first, second), n_axes - n_core - place_);
  }

  const declare::CoreSignature& layout_;
  const Operands& operands_;
  std::size_t place_ = 0;
  npy_intp length_ = 0;
};

// Copies overlapping inputs: the results of one half are written before the other's operands are
// read.
Operands without_overlap(Operands operands, std::size_t n_inputs) {
  for (std::size_t i = 0; i < n_inputs; ++i) {
    if (!has_dimensions(operands[i])) continue;
    for (std::size_t output = n_inputs; output < operands.size(); ++output) {
      if (!has_dimensions(operands[output])) continue;
      const nb::object shares = numpy().attr("may_share_memory")(operands[i], operands[output]);
      if (nb::cast<bool>(shares)) operands[i] = operands[i].attr("copy")();
    }
  }
  return operands;
}

class GeneralizedHostCall {
 public:
  GeneralizedHostCall(PyObject* ufunc, UfuncState& state, const CallArguments& call,
                      std::shared_ptr<run::Device> device)
      : ufunc_(ufunc),
        state_(state),
        device_(std::move(device)),
        returns_arrays_(call.returns_arrays) {
    for (const auto& [name, value] : {std::pair{"dtype", call.dtype},
                                      {"signature", call.signature},
                                      {"casting", call.casting},
                                      {"order", call.order},
                                      {"axis", call.axis},
                                      {"axes", call.axes},
                                      {"keepdims", call.keepdims}}) {
      if (value.is_valid()) keywords_[name] = value;
    }
    const auto is_optional = [](const declare::DimensionName& name) { return name.is_optional; };
    has_custom_axes_ = call.axis.is_valid() || call.axes.is_valid() || call.keepdims.is_valid() ||
                       std::ranges::any_of(layout().names, is_optional);
  }

  nb::object run(const Operands& operands) const {
    try {
      return OffloadedCall(device_, operands, layout().n_inputs, returns_arrays_)
          .call(ufunc_, state_, keywords_);
    } catch (const base::Error& error) {
      const bool is_too_large = error.kind() == base::ErrorKind::kDeviceMemory;
      if (!is_too_large || has_custom_axes_ || !Halves(layout(), operands).are_there()) throw;
    }
    const Operands apart = without_overlap(operands, layout().n_inputs);
    const Halves halves(layout(), apart);
    const nb::object first = run(halves.part(true));
    return halves.join(first, run(halves.part(false)));
  }

 private:
  const declare::CoreSignature& layout() const { return *state_.library->declaration().layout; }

  PyObject* ufunc_;
  UfuncState& state_;
  std::shared_ptr<run::Device> device_;
  bool returns_arrays_;
  nb::dict keywords_;
  bool has_custom_axes_ = false;  // loop dimensions may not be the leading axes
};

// Converts lists to arrays, as NumPy does; numbers are unchanged.
Operands read_operands(const CallArguments& call) {
  Operands operands;
  for (std::size_t i = 0; i < call.n_operands(); ++i) {
    nb::object operand = nb::borrow(call.operands[i]);
    if (i < call.n_inputs && !PyArray_Check(operand.ptr())) {
      nb::object array = checked(PyArray_FROM_O(operand.ptr()));
      if (has_dimensions(array)) operand = std::move(array);
    }
    operands.push_back(std::move(operand));
  }
  return operands;
}

}  // namespace

nb::object offload_generalized_call(PyObject* ufunc, UfuncState& state, const GivenArguments& given,
                                    const std::shared_ptr<run::Device>& device) {
  const CallArguments call = read_call(ufunc, state, given);
  resolve_loop(ufunc, state, call, CallOperands(ufunc, state, call));  // NumPy's errors
  const Operands operands = read_operands(call);
  const bool has_arrays =
      std::any_of(operands.begin(), operands.begin() + static_cast<std::ptrdiff_t>(call.n_inputs),
                  [](const nb::object& operand) { return has_dimensions(operand); });
  if (!has_arrays) return {};
  return GeneralizedHostCall(ufunc, state, call, device).run(operands);
}

}  // namespace numpy_plugin::ufunc
