// Resolution of a reduction's loop from the operands' dtypes, by NumPy's rules.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "numpy_plugin/ufunc/device_methods/method_arguments.hpp"

namespace numpy_plugin::ufunc {

struct ResolvedReduction {
  const run::Loop* loop = nullptr;
  nanobind::object dtype;           // of the loop's result
  std::vector<base::DType> stored;  // of the array and the result in memory
  // The value that a reduction of this dtype starts with, unless the call gives one; nullopt
  // without an identity.
  std::optional<std::array<std::byte, 16>> identity;

  base::DType accumulator() const { return loop->kernel.signature.outputs[0].dtype; }
};

// The operands' dtypes: numpy.dtype objects; `out` is null for a result to be allocated.
struct ReductionTypes {
  nanobind::object array;
  nanobind::object out;
};

// Cached by the operands' dtypes. Throws NumPy's exceptions where no loop fits or the result can't
// be cast to `out`, and base::Error (kType) for dtypes that device kernels do not read.
std::shared_ptr<const ResolvedReduction> resolve_reduction(PyObject* ufunc, UfuncState& state,
                                                           const MethodArguments& call,
                                                           const ReductionTypes& types);

}  // namespace numpy_plugin::ufunc
