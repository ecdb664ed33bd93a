#include "numpy_plugin/ufunc/loops/promotion.hpp"

#include <algorithm>
#include <exception>
#include <vector>

#include "numpy_plugin/base/time_type.hpp"
#include "numpy_plugin/ufunc/api/python_error.hpp"
#include "numpy_plugin/ufunc/loops/time_loops.hpp"
#include "numpy_plugin/ufunc/loops/ufunc_loops.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

using base::DType;

thread_local int n_types_only = 0;

// The other class of NumPy's for int64: loops of Python ints are not those of int64 arrays.
nb::object python_int_class() {
  const nb::object descriptor =
      nb::steal(reinterpret_cast<PyObject*>(PyArray_DescrFromType(NPY_LONGLONG)));
  return nb::borrow(reinterpret_cast<PyObject*>(Py_TYPE(descriptor.ptr())));
}

// The loop's DType classes, preferring those of the signature: where one dtype has several classes
// (NumPy has two for int64), NumPy requires the named one.
std::vector<nb::object> classes_of(const LoopQuery& question, const DTypes& dtypes,
                                   const std::vector<bool>& plain) {
  std::vector<nb::object> classes;
  for (std::size_t i = 0; i < dtypes.size(); ++i) {
    const nb::handle named(reinterpret_cast<PyObject*>(question.signature[i]));
    const bool is_plain = i < plain.size() && plain[i];
    classes.push_back(named      ? nb::borrow(named)
                      : is_plain ? python_int_class()
                                 : dtype_class(dtypes[i]));
  }
  return classes;
}

// A note for errors of a kernel that can't be typed for a Python int either way.
std::string python_int_note(const UfuncState& state, const std::vector<bool>& plain) {
  std::string names;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (plain[i]) names += format("{}'{}'", names.empty() ? "" : ", ", state.parameters[i]);
  }
  return format("you passed a Python int for {}: here it is int64, which takes the type of others",
                names);
}

const run::Loop& loop_of(const UfuncState& state, const LoopInputs& inputs) {
  try {
    return lazy_loop(state, inputs.dtypes, inputs.plain, /*needs_code=*/n_types_only == 0);
  } catch (...) {
    if (inputs.plain.empty()) throw;
    set_python_error(std::current_exception());
    nb::python_error error;
    error.value().attr("add_note")(python_int_note(state, inputs.plain).c_str());
    throw error;
  }
}

void write_answer(const LoopQuery& question, const std::vector<nb::object>& classes,
                  PyArray_DTypeMeta** answer) {
  const bool is_question =
      std::equal(classes.begin(), classes.end(), question.operands,
                 [](const nb::object& dtype, auto* asked) { return as_class(dtype) == asked; });
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const bool is_left_out = is_question && i >= question.n_inputs;
    answer[i] = is_left_out ? nullptr : as_class(classes[i]);
    Py_XINCREF(reinterpret_cast<PyObject*>(answer[i]));
  }
}

// Likewise of dates and durations, whose units are known later: the kernel is typed without them.
int promote_times(PyObject* ufunc, const LoopQuery& question, const LoopInputs& inputs,
                  PyArray_DTypeMeta** answer) {
  DTypes dtypes = inputs.dtypes;
  const UfuncState& state = state_of(ufunc);
  for (const DType result : state.library->result_dtypes(dtypes)) dtypes.push_back(result);
  if (!satisfies(question, dtypes)) return -1;
  for (DType& dtype : dtypes) {
    if (base::is_time(dtype)) dtype = base::time_dtype({base::is_duration(dtype)});
  }
  const std::vector<nb::object> classes = classes_of(question, dtypes, {});
  register_time_loop(ufunc, classes);
  write_answer(question, classes, answer);
  return 0;
}

int promote_or_throw(PyObject* ufunc, const LoopQuery& question, PyArray_DTypeMeta** answer) {
  const UfuncState& state = state_of(ufunc);
  if (declares_times(state)) {
    const auto dtypes = declared_times_for(state, question);
    if (dtypes) write_answer(question, classes_of(question, *dtypes, {}), answer);
    return dtypes ? 0 : -1;
  }
  const auto inputs = choose_inputs(state, question);
  if (!inputs) return -1;  // NumPy then reports that there is no loop
  if (std::ranges::any_of(inputs->dtypes, base::is_time)) {
    return promote_times(ufunc, question, *inputs, answer);
  }
  const run::Loop& loop = loop_of(state, *inputs);
  const DTypes dtypes = operand_dtypes(loop);
  if (std::ranges::any_of(dtypes, base::is_time)) {
    return promote_times(ufunc, question, *inputs, answer);
  }
  if (!satisfies(question, dtypes)) return -1;
  const std::vector<nb::object> classes = classes_of(question, dtypes, inputs->plain);
  register_lazy_loop(ufunc, loop, classes);
  write_answer(question, classes, answer);
  return 0;
}

int promote(PyObject* ufunc, PyArray_DTypeMeta* const operands[],
            PyArray_DTypeMeta* const signature[], PyArray_DTypeMeta* answer[]) {
  try {
    const auto* const object = reinterpret_cast<PyUFuncObject*>(ufunc);
    const LoopQuery question{operands, signature, static_cast<std::size_t>(object->nin),
                             static_cast<std::size_t>(object->nargs)};
    return promote_or_throw(ufunc, question, answer);
  } catch (...) {
    set_python_error(std::current_exception());
    return -1;
  }
}

}  // namespace

TypesOnly::TypesOnly() { ++n_types_only; }
TypesOnly::~TypesOnly() { --n_types_only; }
bool TypesOnly::is_active() { return n_types_only > 0; }

void add_promoter(const nb::object& ufunc) {
  const auto n_operands = reinterpret_cast<PyUFuncObject*>(ufunc.ptr())->nargs;
  nb::list any;  // None matches the missing first operand of a reduction too
  for (int i = 0; i < n_operands; ++i) any.append(nb::none());
  const nb::object capsule =
      nb::steal(PyCapsule_New(reinterpret_cast<void*>(&promote), "numpy._ufunc_promoter", nullptr));
  const nb::object dtypes = nb::steal(PySequence_Tuple(any.ptr()));
  if (PyUFunc_AddPromoter(ufunc.ptr(), dtypes.ptr(), capsule.ptr()) < 0) throw nb::python_error();
}

}  // namespace numpy_plugin::ufunc
