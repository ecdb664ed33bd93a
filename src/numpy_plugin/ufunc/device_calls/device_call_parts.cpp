#include "numpy_plugin/ufunc/device_calls/device_call.hpp"

#include "numpy_plugin/ufunc/arrays/device_array.hpp"
#include "numpy_plugin/ufunc/arrays/foreign_array.hpp"

namespace numpy_plugin::ufunc {

namespace nb = nanobind;

using Kind = Operand::Kind;

NPY_ORDER read_order(PyObject* ufunc, const UfuncState& state, const CallArguments& call) {
  NPY_ORDER order = NPY_KEEPORDER;
  if (call.order.is_valid() && PyArray_OrderConverter(call.order.ptr(), &order) != NPY_SUCCEED) {
    PyErr_Clear();
    raise_numpys_error(ufunc, state, call.given, "an invalid order");
  }
  if (call.subok.is_valid() && !PyBool_Check(call.subok.ptr())) {
    raise_numpys_error(ufunc, state, call.given, "subok is not a bool");
  }
  return order;
}

void warn_of_casts(const CallOperands& operands, const ResolvedLoop& resolved) {
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].kind != Kind::kDevice) continue;
    const base::DType stored = resolved.stored[i];
    const base::DType computed = resolved.loop_dtypes[i];
    i < operands.n_inputs() ? warn_of_cast(stored, computed) : warn_of_cast(computed, stored);
  }
}

void use_operands(const CallOperands& operands, run::CallOrder& order) {
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].kind != Kind::kDevice) continue;
    const run::Access access = i < operands.n_inputs() ? run::Access::kRead : run::Access::kWrite;
    operands[i].array->memory.buffer->use_in(order, access);
  }
  if (!operands.is_masked()) return;
  operands.mask().array->memory.buffer->use_in(order, run::Access::kRead);
}

void give_back_operands(const CallOperands& operands, run::CallOrder& order) {
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].kind == Kind::kDevice) operands[i].array->memory.buffer->give_back_after(order);
  }
  if (operands.is_masked()) operands.mask().array->memory.buffer->give_back_after(order);
}

nb::object call_result(const CallArguments& call, const CallOperands& operands,
                       std::span<const DeviceArray* const> outputs) {
  const nb::handle library = call.library.is_valid() ? call.library : operands.first_on_device();
  const auto object = [&](std::size_t i) -> nb::object {
    const nb::handle given = call.output(i);
    if (given.is_valid()) return nb::borrow(given);
    return to_callers_library(*outputs[i], library);
  };
  if (outputs.size() == 1) return object(0);
  nb::list items;
  for (std::size_t i = 0; i < outputs.size(); ++i) items.append(object(i));
  return nb::tuple(items);
}

}  // namespace numpy_plugin::ufunc
