// Explanations of reductions as tuples.
#pragma once

#include <nanobind/nanobind.h>

#include "numpy_plugin/run/library/inspection.hpp"
#include "numpy_plugin/run/reduce/launch_reduction.hpp"

namespace numpy_plugin::ufunc {

// The signature of what reduction_row() returns.
#define NPP_REDUCTION_ROW                                                                   \
  "tuple[tuple[str, str, int, int, int, bool, tuple[str, ...]], tuple[int, int, int, int, " \
  "int, bool, bool]]"

// The fields of LaunchForm and of ReductionPlan in Python.
inline nanobind::tuple reduction_row(const run::ReductionExplanation& found,
                                     const declare::Declaration& declaration,
                                     const run::Device& device) {
  nanobind::list casts;
  for (const std::string& cast : found.casts) casts.append(nanobind::str(cast.c_str()));
  const bool is_cached =
      found.is_loaded || (found.grid > 0 && run::is_cached(declaration, found.source, device));
  return nanobind::make_tuple(
      nanobind::make_tuple(nanobind::str(found.form.c_str()), nanobind::str(found.reason.c_str()),
                           found.grid, found.elements_per_thread, found.vector_bytes, found.is_wide,
                           nanobind::tuple(casts)),
      nanobind::make_tuple(found.n_chunks, found.block, found.operand_bytes, found.scratch_bytes,
                           found.n_driver_calls, found.is_loaded, is_cached));
}

}  // namespace numpy_plugin::ufunc
