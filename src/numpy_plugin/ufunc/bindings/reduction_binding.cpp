// Bindings: reductions of mapped operands, for numpy_plugin.reduction.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cfenv>

#include "numpy_plugin/run/cpu/map_reduce.hpp"
#include "numpy_plugin/run/cpu/raised_error.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"
#include "numpy_plugin/ufunc/api/raised_exception.hpp"
#include "numpy_plugin/ufunc/bindings/bindings.hpp"
#include "numpy_plugin/ufunc/loops/ufunc_state.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

using base::DType;
using Arrays = std::vector<nb::object>;

DType dtype_of(const nb::object& array) {
  const auto found = dtype_of_number(PyArray_TYPE(as_array(array.ptr())));
  NPP_ASSERT(found.has_value(), "an operand of no kernel's dtype");
  return *found;
}

std::vector<DType> dtypes_of(const Arrays& arrays) {
  std::vector<DType> dtypes;
  for (const nb::object& array : arrays) dtypes.push_back(dtype_of(array));
  return dtypes;
}

// The ufunc's loop for exactly these inputs, compiled where it has no declared types.
const run::Loop& loop_of(nb::handle ufunc, const std::vector<DType>& inputs) {
  run::KernelLibrary& library = *state_of(ufunc).library;
  const ReleasedGil release;
  for (const run::Loop& loop : library.declared_loops()) {
    const std::vector<DType> dtypes = operand_dtypes(loop);
    if (std::equal(inputs.begin(), inputs.end(), dtypes.begin())) return loop;
  }
  return library.loop_for(inputs);
}

run::ReductionLoop reduction_loop(const run::Loop& loop) {
  return {loop.parallel, std::get_if<declare::PythonKernel>(&loop.kernel.body)};
}

std::vector<DType> outputs_of(const run::Loop& loop) {
  const std::vector<DType> dtypes = operand_dtypes(loop);
  const auto n_inputs = static_cast<std::ptrdiff_t>(loop.kernel.signature.inputs.size());
  return {dtypes.begin() + n_inputs, dtypes.end()};
}

// A call's dimensions: those of the outputs, then the reduced ones.
struct ReducedShape {
  std::vector<npy_intp> sizes;
  std::vector<std::size_t> order;  // of the broadcast shape's dimensions
  std::size_t n_outer = 0;

  ReducedShape(const std::vector<npy_intp>& shape, const std::vector<std::size_t>& axes)
      : n_outer(shape.size() - axes.size()) {
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (std::find(axes.begin(), axes.end(), i) == axes.end()) order.push_back(i);
    }
    order.insert(order.end(), axes.begin(), axes.end());
    for (const std::size_t dimension : order) sizes.push_back(shape[dimension]);
  }
};

// An array that is broadcast to the shape.
run::ReducedOperand operand(const nb::object& object, const ReducedShape& shape) {
  PyArrayObject* const array = as_array(object.ptr());
  const std::size_t n_missing = shape.order.size() - static_cast<std::size_t>(PyArray_NDIM(array));
  run::ReducedOperand operand{PyArray_BYTES(array), {}};
  for (const std::size_t dimension : shape.order) {
    const auto own = static_cast<int>(dimension - n_missing);
    const bool is_repeated = dimension < n_missing || PyArray_DIM(array, own) == 1;
    operand.strides.push_back(is_repeated ? 0 : PyArray_STRIDE(array, own));
  }
  return operand;
}

std::vector<char*> addresses(const Arrays& arrays) {
  std::vector<char*> found;
  for (const nb::object& array : arrays) found.push_back(PyArray_BYTES(as_array(array.ptr())));
  return found;
}

std::vector<std::size_t> sizes_of(const std::vector<DType>& dtypes) {
  std::vector<std::size_t> sizes;
  for (const DType dtype : dtypes) sizes.push_back(base::info(dtype).n_bytes);
  return sizes;
}

// NumPy's bits of the floating-point flags.
int numpys_flags(int flags) {
  return ((flags & FE_DIVBYZERO) != 0 ? NPY_FPE_DIVIDEBYZERO : 0) |
         ((flags & FE_OVERFLOW) != 0 ? NPY_FPE_OVERFLOW : 0) |
         ((flags & FE_UNDERFLOW) != 0 ? NPY_FPE_UNDERFLOW : 0) |
         ((flags & FE_INVALID) != 0 ? NPY_FPE_INVALID : 0);
}

// Runs without the GIL; returns the floating-point flags, and leaves those of the thread alone.
int run(const run::MapReduce& call) {
  const ReleasedGil release;
  std::fenv_t own;
  std::fegetenv(&own);
  std::feclearexcept(FE_ALL_EXCEPT);
  run::run_map_reduce(call);
  const int flags = std::fetestexcept(FE_ALL_EXCEPT);
  std::fesetenv(&own);
  return numpys_flags(flags);
}

// The loops of one call. `finish` may be null.
struct Loops {
  const run::Loop* map;
  const run::Loop* combine;
  const run::Loop* finish;
  run::ReductionLoop mapping;

  Loops(nb::handle map_ufunc, nb::handle combine_ufunc, nb::handle finish_ufunc,
        const std::vector<DType>& inputs)
      : map(&loop_of(map_ufunc, inputs)), mapping(reduction_loop(*map)) {
    const std::vector<DType> items = outputs_of(*map);
    std::vector<DType> pair = items;
    pair.insert(pair.end(), items.begin(), items.end());
    combine = &loop_of(combine_ufunc, pair);
    finish = finish_ufunc.is_none() ? nullptr : &loop_of(finish_ufunc, items);
  }
};

run::ReductionInput input_of(const Loops& loops, const ReducedShape& shape, const Arrays& operands,
                             const nb::object& mask) {
  run::ReductionInput input;
  input.shape = shape.sizes;
  input.n_outer = shape.n_outer;
  for (const nb::object& array : operands) input.operands.push_back(operand(array, shape));
  input.is_masked = !mask.is_none();
  if (input.is_masked) input.operands.push_back(operand(mask, shape));
  input.item_bytes = sizes_of(outputs_of(*loops.map));
  input.map = &loops.mapping;
  return input;
}

// The GIL is released while loops are compiled and while they run.
int map_reduce(nb::handle map, nb::handle combine, nb::handle finish, const Arrays& operands,
               const std::vector<npy_intp>& shape, const std::vector<std::size_t>& axes,
               const nb::object& mask, const Arrays& initial, const Arrays& results, bool has_index,
               bool is_parallel) {
  std::vector<DType> inputs = dtypes_of(operands);
  if (has_index) inputs.push_back(DType::kInt64);
  const Loops loops(map, combine, finish, inputs);
  run::MapReduce call;
  call.input = input_of(loops, ReducedShape(shape, axes), operands, mask);
  call.input.has_index = has_index;
  call.combine = reduction_loop(*loops.combine);
  if (loops.finish != nullptr) call.finish = reduction_loop(*loops.finish);
  call.result_bytes = sizes_of(dtypes_of(results));
  call.initial = addresses(initial);
  call.results = addresses(results);
  call.is_parallel = is_parallel;
  const RaiseScope scope;
  const int flags = run(call);
  if (!scope.raised().is_set()) return flags;
  set_raised_exception(scope.raised(), state_of(map).name, nb::none());
  throw nb::python_error();
}

}  // namespace

void bind_reductions(nb::module_& module) {
  module.def("map_reduce", &map_reduce, "map"_a, "combine"_a, "finish"_a.none(), "operands"_a,
             "shape"_a, "axes"_a, "mask"_a.none(), "initial"_a, "results"_a, "has_index"_a,
             "is_parallel"_a,
             "Reduce mapped host arrays, broadcast to a shape; returns floating-point flags.");
}

}  // namespace numpy_plugin::ufunc
