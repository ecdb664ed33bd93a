// Resolution of a call's loop from the operands' types, by NumPy's rules.
#pragma once

#include <memory>
#include <vector>

#include "numpy_plugin/ufunc/arguments/call_operands.hpp"

namespace numpy_plugin::ufunc {

struct ResolvedLoop {
  const run::Loop* loop = nullptr;
  std::vector<nanobind::object> dtypes;  // those of the loop, inputs, then outputs
  std::vector<base::DType> loop_dtypes;  // likewise
  // Dtypes of the operands in memory. Values and outputs to be allocated have the loop's dtype.
  std::vector<base::DType> stored;
  // The elementwise kernels requested last; written under the GIL.
  mutable std::weak_ptr<run::Device> device;
  mutable std::weak_ptr<const run::DeviceLoop> device_loop;
};

// NumPy's resolution, cached by the operands' dtypes and `casting`. Throws NumPy's exceptions where
// no loop fits or casting= forbids a cast, and base::Error (kType) for dtypes that device kernels
// do not read.
std::shared_ptr<const ResolvedLoop> resolve_loop(PyObject* ufunc, UfuncState& state,
                                                 const CallArguments& call,
                                                 const CallOperands& operands);

// The loop of a ufunc for these operand dtypes, which NumPy has resolved to it.
const run::Loop* find_loop(const UfuncState& state, const std::vector<base::DType>& dtypes);

// The elementwise kernels of a resolved loop on a device.
std::shared_ptr<const run::DeviceLoop> device_loop(UfuncState& state, const ResolvedLoop& resolved,
                                                   const std::shared_ptr<run::Device>& device);

// The dtype of kernels that read and write memory of a NumPy dtype on a device; throws base::Error
// (kType) where none does.
base::DType kernel_dtype(const UfuncState& state, nanobind::handle dtype);

// Converts one host element to a loop's dtype, with NumPy's errors for numbers out of range.
void write_value(const Operand& operand, const nanobind::object& dtype, std::byte* to);

}  // namespace numpy_plugin::ufunc
