// Ufuncs declared without signatures: a promoter accepts operands of any type, with a loop compiled
// for them.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "numpy_plugin/ufunc/api/numpy_api.hpp"
#include "numpy_plugin/ufunc/loops/ufunc_state.hpp"

namespace numpy_plugin::ufunc {

// Registers the promoter. NumPy's undocumented contract, observed with 2.2 to 2.4:
//  - it is called again for each combination of operands that leads to the same loop;
//  - it must not trigger this ufunc's own type resolution;
//  - plain Python numbers arrive as abstract DTypes, which promotion with the others makes
//    concrete;
//  - where `signature` names a DType, that one must be returned;
//  - an answer equal to the query counts as no answer, even where its loop is new: a query that
//    names all DTypes of a loop is answered by those of its inputs alone;
//  - reduce, accumulate and reduceat query (nothing, array, nothing); with dtype=, and for "add"
//    and "multiply" of small integers, (dtype, array, dtype); with out= the same as a call;
//  - an exception set by it propagates unchanged and is not cached by NumPy.
void add_promoter(const nanobind::object& ufunc);

// While one exists, the loops that this thread's queries lead to get no code for the CPU: for
// device calls, which compile the kernel themselves.
class TypesOnly {
 public:
  TypesOnly();
  ~TypesOnly();
  TypesOnly(const TypesOnly&) = delete;
  TypesOnly& operator=(const TypesOnly&) = delete;

  // Whether one exists in this thread.
  static bool is_active();
};

// Selects the loop of a lazy ufunc for the operand types that NumPy asks about.

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

// Input dtypes of a loop, and which inputs are Python ints that stay integers; empty: none.
struct LoopInputs {
  DTypes dtypes;
  std::vector<bool> plain = {};
};

// Those of the loop for a query; nullopt where there is none. Of several candidates, the first that
// the kernel can be typed for; where none can, the first of all, because compiling it reports the
// reason. Python ints among floats are integers where the kernel needs them, as counts and indices,
// and Python floats among complex numbers are real, as limits.
std::optional<LoopInputs> choose_inputs(const UfuncState& state, const LoopQuery& question);

// Whether a loop of these dtypes satisfies the query: NumPy requires the signature's types and, for
// a reduction, a loop whose output can be its next input.
bool satisfies(const LoopQuery& question, const DTypes& dtypes);

}  // namespace numpy_plugin::ufunc
