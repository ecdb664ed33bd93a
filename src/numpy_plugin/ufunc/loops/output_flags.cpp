#include "numpy_plugin/ufunc/loops/ufunc_loops.hpp"

namespace numpy_plugin::ufunc {
namespace {

constexpr npy_uint32 kOutputFlags =
    NPY_ITER_ALIGNED | NPY_ITER_ALLOCATE | NPY_ITER_NO_BROADCAST | NPY_ITER_NO_SUBTYPE;

npy_uint32 output_flags(const PyUFuncObject* ufunc) {
  return kOutputFlags |
         (ufunc->core_enabled ? NPY_ITER_UPDATEIFCOPY : NPY_ITER_OVERLAP_ASSUME_ELEMENTWISE);
}

}  // namespace

void mark_outputs(PyUFuncObject* ufunc) {
  if (!ufunc->core_enabled) return;
  for (int operand = ufunc->nin; operand < ufunc->nargs; ++operand) {
    ufunc->op_flags[operand] = output_flags(ufunc) | NPY_ITER_WRITEONLY;
  }
}

void mark_read_outputs(PyUFuncObject* ufunc, const run::ParallelLoop& loop) {
  for (int operand = ufunc->nin; operand < ufunc->nargs; ++operand) {
    if (!loop.operands[static_cast<std::size_t>(operand)].is_read) continue;
    ufunc->op_flags[operand] = output_flags(ufunc) | NPY_ITER_READWRITE;
  }
}

}  // namespace numpy_plugin::ufunc
