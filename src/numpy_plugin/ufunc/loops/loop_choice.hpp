// Which loop of a lazy ufunc answers a question of NumPy's for operand types.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "numpy_plugin/ufunc/api/numpy_api.hpp"
#include "numpy_plugin/ufunc/loops/ufunc_state.hpp"

namespace numpy_plugin::ufunc {

using DTypes = std::vector<base::DType>;

// The DTypes NumPy asks for: those of the operands, where the signature names none.
struct Question {
  PyArray_DTypeMeta* const* operands;
  PyArray_DTypeMeta* const* signature;
  std::size_t n_inputs;
  std::size_t n_operands;

  bool is_named(std::size_t operand) const { return signature[operand] != nullptr; }
  bool names_inputs() const {
    return std::any_of(signature, signature + n_inputs, [](auto* dtype) { return dtype; });
  }
};

bool can_cast(base::DType from, base::DType to, NPY_CASTING casting);

// Whether a reduction begins with a number instead of the array's first element.
bool has_initial(const UfuncState& state);

// The inputs of the loop for a question; nothing where there is none. Of several loops that would
// do it is the first that the kernel can be typed for; where it can't for any, it is the first of
// all: to compile it says why.
std::optional<DTypes> choose_inputs(const UfuncState& state, const Question& question);

// Whether a loop of these dtypes is what was asked for: NumPy wants the signature's types, and of a
// reduction a loop that can go on with its own results.
bool is_answer(const Question& question, const DTypes& dtypes);

}  // namespace numpy_plugin::ufunc
