// Bindings: reductions of mapped operands, for numpy_plugin.reduction.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cfenv>
#include <cstring>
#include <memory>
#include <utility>

#include "numpy_plugin/run/cpu/reduce/map_reduce.hpp"
#include "numpy_plugin/run/library/map_reduction.hpp"
#include "numpy_plugin/run/reports/kernel_reports.hpp"
#include "numpy_plugin/ufunc/api/events.hpp"
#include "numpy_plugin/ufunc/api/python_error.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"
#include "numpy_plugin/ufunc/api/string_caster.hpp"
#include "numpy_plugin/ufunc/arrays/device_array.hpp"
#include "numpy_plugin/ufunc/bindings/bindings.hpp"
#include "numpy_plugin/ufunc/bindings/reduction_rows.hpp"
#include "numpy_plugin/ufunc/loops/ufunc_state.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

using base::DType;
using Arrays = std::vector<nb::object>;

DType dtype_of(const nb::object& array) {
  const auto found = dtype_of_descriptor(PyArray_DESCR(as_array(array.ptr())));
  NPP_ASSERT(found.has_value(), "an operand of no kernel's dtype");
  return *found;
}

std::vector<DType> dtypes_of(const Arrays& arrays) {
  std::vector<DType> dtypes;
  for (const nb::object& array : arrays) dtypes.push_back(dtype_of(array));
  return dtypes;
}

run::ReductionLoop reduction_loop(const run::Loop& loop) {
  return {loop.parallel, std::get_if<declare::PythonKernel>(&loop.kernel.body)};
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

run::ReductionInput input_of(const ReducedShape& shape, const Arrays& operands,
                             const nb::object& mask) {
  run::ReductionInput input;
  input.shape = shape.sizes;
  input.n_outer = shape.n_outer;
  for (const nb::object& array : operands) input.operands.push_back(operand(array, shape));
  input.is_masked = !mask.is_none();
  if (input.is_masked) input.operands.push_back(operand(mask, shape));
  return input;
}

run::MapReduction::Loops loops_of(const run::MapReduction& reduction,
                                  const std::vector<DType>& operands) {
  const ReleasedGil release;
  return reduction.loops_for(operands);
}

run::MapReduction::Loops compiled_loops_of(const run::MapReduction& reduction,
                                           const std::vector<DType>& operands) {
  const ReleasedGil release;
  return reduction.compiled(reduction.loops_for(operands));
}

[[noreturn]] void raise(const RaiseScope& scope, const run::MapReduction& reduction) {
  set_raised_exception(scope.raised(), reduction.name(), nb::none());
  throw nb::python_error();
}

int reduce_on_host(const run::MapReduction& reduction, const Arrays& operands,
                   const std::vector<npy_intp>& shape, const std::vector<std::size_t>& axes,
                   const nb::object& mask, const Arrays& initial, const Arrays& results,
                   bool is_parallel) {
  const run::MapReduction::Loops loops = compiled_loops_of(reduction, dtypes_of(operands));
  const run::ReductionLoop map = reduction_loop(*loops.map);
  run::MapReduce call;
  call.input = input_of(ReducedShape(shape, axes), operands, mask);
  call.input.item_bytes = sizes_of(loops.items());
  call.input.has_index = reduction.has_number();
  call.input.map = &map;
  call.combine = reduction_loop(*loops.combine);
  if (loops.finish != nullptr) call.finish = reduction_loop(*loops.finish);
  call.result_bytes = sizes_of(dtypes_of(results));
  call.initial = addresses(initial);
  call.results = addresses(results);
  call.is_parallel = is_parallel;
  const RaiseScope scope;
  const int flags = run(call);
  if (scope.raised().is_set()) raise(scope, reduction);
  return flags;
}

// One launch, from arrays to its operands.
class DeviceLaunch {
 public:
  DeviceLaunch(const run::MapReduction& reduction, std::vector<std::int64_t> shape,
               const std::vector<std::size_t>& axes)
      : reduction_(reduction), shape_(std::move(shape)), is_reduced_(new bool[shape_.size()]()) {
    for (const std::size_t axis : axes) is_reduced_[axis] = true;
  }

  // An operand that is broadcast to the shape.
  void read(const DeviceArray& array) { add(array, false); }
  // A result, with the dimensions that are not reduced, or with the others of size 1, too.
  void write(const DeviceArray& array) {
    add(array, true);
    ++n_outputs_;
  }

  void run(const std::shared_ptr<run::Stream>& stream, const run::MapReduction::Loops& loops,
           std::span<const std::byte> initial) {
    const auto kernels = reduction_.on_device(stream->device(), loops);
    run::CallOrder order(stream);
    for (const auto& [array, access] : used_) array->memory.buffer->use_in(order, access);
    kernels->launch(stream, call(loops, initial));
    for (const auto& [array, access] : used_) array->memory.buffer->give_back_after(order);
  }

  run::ReductionExplanation explain(const std::shared_ptr<run::Device>& device,
                                    const run::MapReduction::Loops& loops,
                                    std::span<const std::byte> initial) {
    return reduction_.on_device(device, loops)->explain(call(loops, initial));
  }

 private:
  run::ReduceCall call(const run::MapReduction::Loops& loops, std::span<const std::byte> initial) {
    for (std::size_t i = 0; i < operands_.size(); ++i) operands_[i].strides = strides_[i].data();
    const std::size_t n_numbers = reduction_.has_number() ? 1 : 0;
    return {.shape = shape_,
            .is_reduced = {is_reduced_.get(), shape_.size()},
            .operands = operands_,
            .initial = initial,
            .n_inputs = loops.map->kernel.signature.inputs.size() - n_numbers,
            .n_outputs = n_outputs_,
            .order = run::IterationOrder::kShape};
  }

  void add(const DeviceArray& array, bool is_output) {
    const run::ArrayLayout& layout = array.layout();
    std::vector<std::int64_t> strides(shape_.size());
    std::size_t own = layout.shape.size();
    const bool is_without = is_output && own < shape_.size();
    for (std::size_t axis = shape_.size(); axis-- > 0;) {
      if ((is_without && is_reduced_[axis]) || own == 0) continue;
      --own;
      strides[axis] = layout.shape[own] == 1 ? 0 : layout.strides[own];
    }
    strides_.push_back(std::move(strides));
    operands_.push_back({.dtype = *dtype_of_descriptor(as_descriptor(array.dtype)),
                         .address = array.memory.address()});
    used_.emplace_back(&array, is_output ? run::Access::kWrite : run::Access::kRead);
  }

  const run::MapReduction& reduction_;
  std::vector<std::int64_t> shape_;
  std::unique_ptr<bool[]> is_reduced_;
  std::size_t n_outputs_ = 0;
  std::vector<run::CallOperand> operands_;
  std::vector<std::vector<std::int64_t>> strides_;
  std::vector<std::pair<const DeviceArray*, run::Access>> used_;
};

// The initial accumulator as the device has it.
std::vector<std::byte> packed(const Arrays& initial, const std::vector<DType>& items) {
  if (initial.empty()) return {};
  const std::vector<std::size_t> offsets = run::item_offsets(items);
  std::vector<std::byte> bytes((run::item_layout(items).n_bytes + 15) / 16 * 16);
  for (std::size_t i = 0; i < items.size(); ++i) {
    std::memcpy(&bytes[offsets[i]], PyArray_DATA(as_array(initial[i].ptr())),
                base::info(items[i]).n_bytes);
  }
  return bytes;
}

using DeviceArrays = std::vector<const DeviceArray*>;

// The loops of a call, its initial accumulator and its operands.
struct DeviceCall {
  run::MapReduction::Loops loops;
  std::vector<std::byte> initial;
  DeviceLaunch launch;

  DeviceCall(const run::MapReduction& reduction, const DeviceArrays& operands,
             const std::vector<std::int64_t>& shape, const std::vector<std::size_t>& axes,
             const DeviceArray* mask, const Arrays& first, const DeviceArrays& results)
      : loops(loops_of(reduction, dtypes_of(operands))),
        initial(packed(first, loops.items())),
        launch(reduction, shape, axes) {
    for (const DeviceArray* const array : operands) launch.read(*array);
    if (mask != nullptr) launch.read(*mask);
    for (const DeviceArray* const array : results) launch.write(*array);
  }

 private:
  static std::vector<DType> dtypes_of(const DeviceArrays& arrays) {
    std::vector<DType> dtypes;
    for (const DeviceArray* const array : arrays) {
      dtypes.push_back(*dtype_of_descriptor(as_descriptor(array->dtype)));
    }
    return dtypes;
  }
};

void reduce_on_device(const run::MapReduction& reduction, const DeviceArrays& operands,
                      const std::vector<std::int64_t>& shape, const std::vector<std::size_t>& axes,
                      const DeviceArray* mask, const Arrays& initial, const DeviceArrays& results) {
  DeviceCall call(reduction, operands, shape, axes, mask, initial, results);
  const std::shared_ptr<run::Stream> stream = run::current_stream(results.front()->device());
  const RaiseScope raising;
  const run::LaunchScope scope(place_of_call(reduction.name()));
  {
    const ReleasedGil release;
    call.launch.run(stream, call.loops, call.initial);
  }
  if (raising.raised().is_set()) raise(raising, reduction);
}

nb::tuple explain_on_device(const run::MapReduction& reduction, const DeviceArrays& operands,
                            const std::vector<std::int64_t>& shape,
                            const std::vector<std::size_t>& axes, const DeviceArray* mask,
                            const Arrays& initial, const DeviceArrays& results) {
  DeviceCall call(reduction, operands, shape, axes, mask, initial, results);
  const std::shared_ptr<run::Device> device = results.front()->device();
  const run::ReductionExplanation found = call.launch.explain(device, call.loops, call.initial);
  return reduction_row(found, reduction.declaration(), *device);
}

std::shared_ptr<run::KernelLibrary> library_of(nb::handle ufunc) {
  return ufunc.is_none() ? nullptr : state_of(ufunc).library;
}

}  // namespace

void bind_reductions(nb::module_& module) {
  nb::class_<run::MapReduction>(module, "MapReduction", "A reduction of mapped operands.")
      .def(
          "__init__",
          [](run::MapReduction* self, const std::string& name, nb::handle map, nb::handle combine,
             nb::handle finish, bool has_number) {
            new (self) run::MapReduction(name, library_of(map), library_of(combine),
                                         library_of(finish), has_number);
          },
          "name"_a, "map"_a, "combine"_a, "finish"_a.none(), "has_number"_a)
      .def("on_host", &reduce_on_host, "operands"_a, "shape"_a, "axes"_a, "mask"_a.none(),
           "initial"_a, "results"_a, "is_parallel"_a,
           "Reduce host arrays, broadcast to a shape; returns floating-point flags.")
      .def("on_device", &reduce_on_device, "operands"_a, "shape"_a, "axes"_a, "mask"_a.none(),
           "initial"_a, "results"_a,
           "Reduce device arrays, broadcast to a shape; every result has an element.")
      .def("explain_on_device", &explain_on_device, "operands"_a, "shape"_a, "axes"_a,
           "mask"_a.none(), "initial"_a, "results"_a,
           nb::sig(
               "def explain_on_device(self, operands: Sequence[DeviceArray], "
               "shape: Sequence[int], axes: Sequence[int], mask: DeviceArray | None, "
               "initial: Sequence[object], results: Sequence[DeviceArray]) -> " NPP_REDUCTION_ROW),
           "Describe the launch of such a call.");
}

}  // namespace numpy_plugin::ufunc
