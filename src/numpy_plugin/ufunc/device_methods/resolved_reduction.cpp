#include "numpy_plugin/ufunc/device_methods/method_call.hpp"

#include <cstring>
#include <string>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/time_type.hpp"
#include "numpy_plugin/ufunc/arguments/call_operands.hpp"
#include "numpy_plugin/ufunc/loops/promotion.hpp"
#include "numpy_plugin/ufunc/loops/time_loops.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

using base::DType;

nb::object empty_stand_in(const nb::object& dtype, std::vector<npy_intp> shape) {
  return checked(
      PyArray_Empty(static_cast<int>(shape.size()), shape.data(), new_descriptor(dtype), 0));
}

// A reduction of no results by NumPy, which raises for types that it does not reduce.
void check_reduction(PyObject* ufunc, const MethodArguments& call, const ReductionTypes& types) {
  nb::dict named;
  named["axis"] = 1;
  if (call.dtype.is_valid()) named["dtype"] = call.dtype;
  const bool is_reduce = call.method == Reduction::kReduce;
  if (types.out.is_valid()) {
    named["out"] = empty_stand_in(
        types.out, is_reduce ? std::vector<npy_intp>{0} : std::vector<npy_intp>{0, 1});
  }
  nb::list operands;
  operands.append(empty_stand_in(types.array, {0, 1}));
  if (call.method == Reduction::kReduceAt) operands.append(nb::make_tuple(0));
  nb::handle(ufunc).attr(name_of(call.method))(*operands, **named);
}

// NumPy's dtypes of the loop: its operands, and its result.
nb::object ask_for_reduction(PyObject* ufunc, const UfuncState& state, const MethodArguments& call,
                             const ReductionTypes& types) {
  nb::dict named;
  if (call.dtype.is_valid()) named["dtype"] = call.dtype;
  nb::object array = empty_stand_in(types.array, {0});
  if (types.out.is_valid()) named["out"] = empty_stand_in(types.out, {0});
  const PythonArguments own(nb::make_tuple(array), named);
  // Its positions of `dtype` and `out` do not matter: they are given by name.
  std::optional<ReductionArguments> changed;
  GivenArguments given = own.given();
  if (changes_reductions(state)) {
    changed.emplace(ufunc, Reduction::kReduce, given);
    given = changed->given();
  }
  const GivenReduction read_as = read_reduction(Reduction::kReduce, given);
  const auto dtype_of = [](PyObject* object) {
    return nb::borrow(reinterpret_cast<PyObject*>(PyArray_DESCR(as_array(object))));
  };
  nb::dict resolving;
  resolving["reduction"] = true;
  resolving["casting"] = "unsafe";
  if (read_as.dtype != nullptr) {
    resolving["signature"] = nb::make_tuple(nb::handle(read_as.dtype), nb::none(), nb::none());
  }
  const nb::object out = types.out.is_valid() ? types.out : nb::none();
  return nb::handle(ufunc).attr("resolve_dtypes")(
      nb::make_tuple(out, dtype_of(read_as.array), nb::none()), **resolving);
}

// NumPy's result of a reduction of no elements.
std::optional<std::array<std::byte, 16>> identity_of(PyObject* ufunc, const UfuncState& state,
                                                     nb::handle dtypes) {
  if (state.identity.is_none() || nb::isinstance<nb::str>(state.identity)) return std::nullopt;
  const nb::object empty = empty_stand_in(dtypes[1], {0});
  const bool is_time = PyTypeNum_ISDATETIME(as_descriptor(dtypes[0])->type_num);
  const nb::object reduce = nb::handle(ufunc).attr("reduce");
  // No `dtype` names a unit: the array has it.
  const nb::object result = is_time ? reduce(empty) : reduce(empty, nb::arg("dtype") = dtypes[0]);
  std::array<std::byte, 16> bytes = {};
  if (PyArray_Pack(as_descriptor(dtypes[0]), bytes.data(), result.ptr()) < 0) {
    throw nb::python_error();
  }
  return bytes;
}

// The dtype in which a kernel reads or writes memory: a time is converted to the loop's unit.
DType stored_dtype(DType given, DType of_loop) {
  const bool has_unit = base::is_time(given) && base::is_time(of_loop);
  return has_unit && base::is_duration(given) == base::is_duration(of_loop) ? of_loop : given;
}

std::shared_ptr<const ResolvedReduction> resolve_new(PyObject* ufunc, const UfuncState& state,
                                                     const MethodArguments& call,
                                                     const ReductionTypes& types) {
  const TypesOnly types_only;
  check_reduction(ufunc, call, types);
  const nb::object dtypes = ask_for_reduction(ufunc, state, call, types);
  std::vector<DType> of_loop;
  for (const nb::handle dtype : dtypes) of_loop.push_back(kernel_dtype(state, dtype));
  auto resolved = std::make_shared<ResolvedReduction>();
  resolved->loop = find_loop(state, of_loop);
  resolved->dtype = dtypes[0];
  const DType of_out = types.out.is_valid() ? kernel_dtype(state, types.out) : of_loop[0];
  resolved->stored = {stored_dtype(kernel_dtype(state, types.array), of_loop[1]),
                      stored_dtype(of_out, of_loop[0])};
  resolved->identity = identity_of(ufunc, state, dtypes);
  return resolved;
}

// Casts that discard imaginary parts are warned of by each call.
bool discards_imaginary(const ResolvedReduction& resolved) {
  const DType computed = resolved.accumulator();
  return (base::is_complex(resolved.stored[0]) && !base::is_complex(computed)) ||
         (base::is_complex(computed) && !base::is_complex(resolved.stored[1]));
}

std::string reduction_key(const MethodArguments& call, const ReductionTypes& types) {
  if (call.dtype.is_valid()) return {};
  const auto number = [](const nb::object& dtype) {
    return std::to_string(dtype.is_valid() ? operand_code(as_descriptor(dtype)) : -1);
  };
  return std::to_string(static_cast<int>(call.method)) + ' ' + number(types.array) + ' ' +
         number(types.out);
}

}  // namespace

std::shared_ptr<const ResolvedReduction> resolve_reduction(PyObject* ufunc, UfuncState& state,
                                                           const MethodArguments& call,
                                                           const ReductionTypes& types) {
  const std::string key = reduction_key(call, types);
  if (const auto found = state.resolved_reductions.find(key);
      found != state.resolved_reductions.end()) {
    return found->second;
  }
  auto resolved = resolve_new(ufunc, state, call, types);
  if (!key.empty() && !discards_imaginary(*resolved)) {
    state.resolved_reductions.emplace(key, resolved);
  }
  return resolved;
}

}  // namespace numpy_plugin::ufunc
