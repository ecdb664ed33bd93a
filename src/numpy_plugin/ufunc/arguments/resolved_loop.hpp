// Which loop runs a call, as NumPy resolves it from the operands' types.
#pragma once

#include <memory>
#include <vector>

#include "numpy_plugin/ufunc/arguments/call_operands.hpp"

namespace numpy_plugin::ufunc {

struct ResolvedLoop {
  const run::Loop* loop = nullptr;
  std::vector<nanobind::object> dtypes;  // the loop's own, inputs, then outputs
  std::vector<base::DType> loop_dtypes;  // likewise
  // As the operands are in memory. Values and outputs that are to be made have the loop's dtype.
  std::vector<base::DType> stored;
  // The last elementwise kernels that were asked for; written under the GIL.
  mutable std::weak_ptr<run::Device> device;
  mutable std::weak_ptr<const run::DeviceLoop> device_loop;
};

// NumPy's answer, remembered by the operands' dtypes and `casting`. Throws what NumPy throws where
// no loop fits or casting= does not allow a cast, and base::Error (kType) for dtypes that device
// kernels do not read.
std::shared_ptr<const ResolvedLoop> resolve_loop(PyObject* ufunc, UfuncState& state,
                                                 const CallArguments& call,
                                                 const CallOperands& operands);

// The elementwise kernels of a resolved loop on a device.
std::shared_ptr<const run::DeviceLoop> device_loop(UfuncState& state, const ResolvedLoop& resolved,
                                                   const std::shared_ptr<run::Device>& device);

// One element of the host in the dtype a loop computes in, with NumPy's errors for numbers that do
// not fit it.
void write_value(const Operand& operand, const nanobind::object& dtype, std::byte* to);

}  // namespace numpy_plugin::ufunc
