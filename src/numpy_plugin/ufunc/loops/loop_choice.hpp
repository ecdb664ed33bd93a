// Selects the loop of a lazy ufunc for the operand types that NumPy asks about.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "numpy_plugin/ufunc/api/numpy_api.hpp"
#include "numpy_plugin/ufunc/loops/ufunc_state.hpp"

namespace numpy_plugin::ufunc {

using DTypes = std::vector<base::DType>;

// NumPy's query: the operands' DTypes, where the signature names none.
struct LoopQuery {
  PyArray_DTypeMeta* const* operands;
  PyArray_DTypeMeta* const* signature;
  std::size_t n_inputs;
  std::size_t n_operands;

  bool is_named(std::size_t operand) const { return signature[operand] != nullptr; }
  bool names_inputs() const {
    return std::any_of(signature, signature + n_inputs, [](auto* dtype) { return dtype; });
  }
};

// NumPy's default dtype for a Python number's DType; nullopt for other classes.
std::optional<base::DType> dtype_of_number_class(PyArray_DTypeMeta* abstract);

bool can_cast(base::DType from, base::DType to, NPY_CASTING casting);

// Whether a reduction begins with a number rather than the array's first element.
bool has_initial(const UfuncState& state);

// Input dtypes of the loop for a query; nullopt where there is none. Of several candidates, the
// first that the kernel can be typed for; where none can, the first of all, because compiling it
// reports the reason.
std::optional<DTypes> choose_inputs(const UfuncState& state, const LoopQuery& question);

// Whether a loop of these dtypes satisfies the query: NumPy requires the signature's types and, for
// a reduction, a loop whose output can be its next input.
bool satisfies(const LoopQuery& question, const DTypes& dtypes);

}  // namespace numpy_plugin::ufunc
