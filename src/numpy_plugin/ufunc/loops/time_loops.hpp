// Loops of dates and durations. NumPy finds a loop by the classes of the operands, which have no
// units: one is registered for each combination of classes, whose units are resolved for each call,
// and which then calls the kernel for these units.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "numpy_plugin/ufunc/loops/promotion.hpp"
#include "numpy_plugin/ufunc/loops/ufunc_state.hpp"

namespace numpy_plugin::ufunc {

// Whether dates or durations are among the operands of a declared signature.
bool declares_times(const UfuncState& state);

// Registers the loops of such declarations, and lists their types in `f.types`.
void add_declared_time_loops(PyObject* ufunc);

// The dtypes, without units, of the first declared signature that a query's operands fit; nullopt
// where there is none.
std::optional<DTypes> declared_times_for(const UfuncState& state, const LoopQuery& question);

// Registers a loop for these classes, of which some are dates or durations, unless it is
// registered.
void register_time_loop(PyObject* ufunc, const std::vector<nanobind::object>& classes);

// What tells the loops of a ufunc apart: NumPy's number of an operand's type, for dates and
// durations with the unit.
int operand_code(const PyArray_Descr* descriptor);
int operand_code(base::DType dtype);

}  // namespace numpy_plugin::ufunc
