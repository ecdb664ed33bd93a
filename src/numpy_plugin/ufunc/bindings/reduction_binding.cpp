// Bindings: reductions of mapped operands, for numpy_plugin.reduction.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

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

run::ReducedOperand operand(const nb::object& object) {
  PyArrayObject* const array = as_array(object.ptr());
  const npy_intp* const strides = PyArray_STRIDES(array);
  return {PyArray_BYTES(array), {strides, strides + PyArray_NDIM(array)}};
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

run::ReductionInput input_of(const Loops& loops, const Arrays& operands, const nb::object& mask) {
  run::ReductionInput input;
  for (const nb::object& array : operands) input.operands.push_back(operand(array));
  input.is_masked = !mask.is_none();
  if (input.is_masked) input.operands.push_back(operand(mask));
  input.item_bytes = sizes_of(outputs_of(*loops.map));
  input.map = &loops.mapping;
  return input;
}

// The GIL is released while loops are compiled and while they run.
int map_reduce(nb::handle map, nb::handle combine, nb::handle finish, const Arrays& operands,
               const std::vector<npy_intp>& shape, std::size_t n_outer, const nb::object& mask,
               const Arrays& initial, const Arrays& results, bool has_index, bool is_parallel) {
  std::vector<DType> inputs = dtypes_of(operands);
  if (has_index) inputs.push_back(DType::kInt64);
  const Loops loops(map, combine, finish, inputs);
  run::MapReduce call;
  call.input = input_of(loops, operands, mask);
  call.input.shape = shape;
  call.input.n_outer = n_outer;
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
             "shape"_a, "n_outer"_a, "mask"_a.none(), "initial"_a, "results"_a, "has_index"_a,
             "is_parallel"_a,
             "Reduce mapped host arrays over their last dimensions; returns floating-point flags.");
}

}  // namespace numpy_plugin::ufunc
