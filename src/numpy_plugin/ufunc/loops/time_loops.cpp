#include "numpy_plugin/ufunc/loops/time_loops.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/time_type.hpp"
#include "numpy_plugin/signature/signature.hpp"
#include "numpy_plugin/ufunc/api/python_error.hpp"
#include "numpy_plugin/ufunc/loops/ufunc_loops.hpp"

namespace numpy_plugin::ufunc {

namespace nb = nanobind;

using base::DType;

// A combination of classes for which a ufunc has a loop.
struct TimeClasses {
  PyObject* ufunc;  // which owns this
  DTypes dtypes;    // of the operands, without units
  std::size_t slot;

  TimeClasses(PyObject* owner, DTypes operands);
  ~TimeClasses();
  TimeClasses(const TimeClasses&) = delete;
  TimeClasses& operator=(const TimeClasses&) = delete;
};

namespace {

// NumPy tells a function that resolves units neither the ufunc nor data of its own: each
// combination has a function to itself, as long as the ufunc exists.
constexpr std::size_t kMostClasses = 1024;
std::array<std::atomic<const TimeClasses*>, kMostClasses> resolved_classes;

DType without_unit(DType dtype) {
  return base::is_time(dtype) ? base::time_dtype({base::is_duration(dtype)}) : dtype;
}

DTypes classes_of(const declare::TypeSignature& signature) {
  DTypes dtypes;
  for (const auto& operand : signature.inputs) dtypes.push_back(without_unit(operand.dtype));
  for (const auto& operand : signature.outputs) dtypes.push_back(without_unit(operand.dtype));
  return dtypes;
}

DTypes input_dtypes(const declare::TypeSignature& signature) {
  DTypes dtypes;
  for (const auto& operand : signature.inputs) dtypes.push_back(operand.dtype);
  return dtypes;
}

const run::Loop& loop_of_units(const UfuncState& state, const declare::TypeSignature& signature) {
  for (const run::Loop& loop : state.library->declared_loops()) {
    if (loop.kernel.signature == signature) return loop;
  }
  return lazy_loop(state, input_dtypes(signature), {}, !TypesOnly::is_active());
}

// The first declared signature of these classes that holds the inputs' ticks exactly, else the
// first of all, to which NumPy casts them.
const run::Loop& declared_loop(const UfuncState& state, const DTypes& classes,
                               const DTypes& inputs) {
  std::optional<declare::TypeSignature> first;
  for (const declare::TypeSignature& declared : state.library->declaration().signatures) {
    if (classes_of(declared) != classes) continue;
    declare::TypeSignature signature = declare::with_units(declared, inputs);
    if (std::ranges::equal(inputs, input_dtypes(signature), declare::can_cast_safely)) {
      return loop_of_units(state, signature);
    }
    if (!first) first = std::move(signature);
  }
  return loop_of_units(state, *first);
}

// A reduction gives no type for its first operand, which has that of the array.
DTypes given_inputs(const TimeClasses& classes, std::size_t n_inputs, PyArray_Descr* const* given) {
  DTypes inputs;
  for (std::size_t i = 0; i < n_inputs; ++i) {
    const PyArray_Descr* const descriptor = given[i] != nullptr ? given[i] : given[n_inputs - 1];
    inputs.push_back(base::is_time(classes.dtypes[i]) ? dtype_of_descriptor(descriptor).value()
                                                      : classes.dtypes[i]);
  }
  return inputs;
}

void resolve_or_throw(const TimeClasses& classes, PyArray_Descr* const* given,
                      PyArray_Descr** resolved) {
  UfuncState& state = state_of(classes.ufunc);
  const DTypes inputs = given_inputs(classes, state.library->declaration().n_inputs, given);
  const bool is_lazy = state.library->declaration().signatures.empty();
  const run::Loop& loop = is_lazy ? lazy_loop(state, inputs, {}, !TypesOnly::is_active())
                                  : declared_loop(state, classes.dtypes, inputs);
  const DTypes dtypes = operand_dtypes(loop);
  std::vector<int> codes;
  for (const DType dtype : dtypes) codes.push_back(operand_code(dtype));
  add_lazy_loop(classes.ufunc, loop, std::move(codes));
  for (std::size_t i = 0; i < dtypes.size(); ++i) {
    resolved[i] = new_descriptor(descriptor_of(dtypes[i]));
  }
}

NPY_CASTING resolve_units(const TimeClasses& classes, PyArray_Descr* const* given,
                          PyArray_Descr** resolved) {
  try {
    resolve_or_throw(classes, given, resolved);
    return NPY_NO_CASTING;
  } catch (...) {
    set_python_error(std::current_exception());
    return static_cast<NPY_CASTING>(-1);
  }
}

using ResolveDescriptors = NPY_CASTING(PyArrayMethodObject_tag*, PyArray_DTypeMeta* const*,
                                       PyArray_Descr* const*, PyArray_Descr**, npy_intp*);

template <std::size_t Slot>
NPY_CASTING resolve_in_slot(PyArrayMethodObject_tag*, PyArray_DTypeMeta* const*,
                            PyArray_Descr* const* given, PyArray_Descr** resolved, npy_intp*) {
  return resolve_units(*resolved_classes[Slot].load(), given, resolved);
}

template <std::size_t... Slots>
constexpr std::array<ResolveDescriptors*, sizeof...(Slots)> resolvers_of(
    std::index_sequence<Slots...>) {
  return {resolve_in_slot<Slots>...};
}
constexpr auto kResolvers = resolvers_of(std::make_index_sequence<kMostClasses>());

std::size_t free_slot(const TimeClasses* classes) {
  for (std::size_t slot = 0; slot < kMostClasses; ++slot) {
    const TimeClasses* expected = nullptr;
    if (resolved_classes[slot].compare_exchange_strong(expected, classes)) return slot;
  }
  throw base::Error(
      base::ErrorKind::kType,
      format("{} ufuncs of dates exist; delete some before calling more", kMostClasses));
}

// Whether a call's operand may be cast to a dtype without asking for it. NumPy asks by classes:
// units are for resolve_descriptors.
bool fits_class(PyArray_DTypeMeta* given, DType wanted) {
  if (const auto dtype = dtype_of_class(given)) {
    return declare::can_cast_safely(*dtype, wanted);
  }
  const auto number = dtype_of_number_class(given);
  if (!number) return false;
  if (base::is_duration(wanted)) return *number == DType::kInt64;
  const auto rank = [](DType dtype) {
    return base::is_complex(dtype) ? 2 : base::is_floating(dtype) ? 1 : 0;
  };
  return !base::is_time(wanted) && wanted != DType::kBool && rank(*number) <= rank(wanted);
}

bool fits_query(const LoopQuery& question, const DTypes& dtypes) {
  for (std::size_t i = 0; i < question.n_operands; ++i) {
    const bool is_input = i < question.n_inputs;
    if (question.is_named(i)) {
      if (dtype_of_class(question.signature[i]) != dtypes[i]) return false;
    } else if (is_input && question.operands[i] != nullptr &&
               !fits_class(question.operands[i], dtypes[i])) {
      return false;
    }
  }
  return question.operands[0] != nullptr || dtypes.front() == dtypes.back();
}

}  // namespace

TimeClasses::TimeClasses(PyObject* owner, DTypes operands)
    : ufunc(owner), dtypes(std::move(operands)), slot(free_slot(this)) {}
TimeClasses::~TimeClasses() { resolved_classes[slot].store(nullptr); }

int operand_code(DType dtype) {
  constexpr int kFirstTime = 1 << 16;
  return base::is_time(dtype) ? kFirstTime + static_cast<int>(dtype) : numpy_type_number(dtype);
}

int operand_code(const PyArray_Descr* descriptor) {
  const int number = descriptor->type_num;
  return PyTypeNum_ISDATETIME(number) ? operand_code(dtype_of_descriptor(descriptor).value())
                                      : number;
}

bool declares_times(const UfuncState& state) {
  return std::ranges::any_of(state.library->declaration().signatures, declare::has_times);
}

std::optional<DTypes> declared_times_for(const UfuncState& state, const LoopQuery& question) {
  for (const declare::TypeSignature& signature : state.library->declaration().signatures) {
    const DTypes dtypes = classes_of(signature);
    if (fits_query(question, dtypes)) return dtypes;
  }
  return std::nullopt;
}

void register_time_loop(PyObject* ufunc, const std::vector<nb::object>& classes) {
  UfuncState& state = state_of(ufunc);
  DTypes dtypes;
  for (const nb::object& dtype : classes) dtypes.push_back(dtype_of_class(as_class(dtype)).value());
  const auto has_them = [&dtypes](const auto& known) { return known->dtypes == dtypes; };
  if (std::ranges::any_of(state.time_classes, has_them)) return;
  auto added = std::make_shared<TimeClasses>(ufunc, std::move(dtypes));
  if (!add_loop(ufunc, state, classes, reinterpret_cast<void*>(kResolvers[added->slot]))) {
    throw nb::python_error();
  }
  state.time_classes.push_back(std::move(added));
}

void add_declared_time_loops(PyObject* ufunc) {
  UfuncState& state = state_of(ufunc);
  for (const declare::TypeSignature& signature : state.library->declaration().signatures) {
    std::vector<nb::object> classes;
    for (const DType dtype : classes_of(signature)) {
      classes.push_back(dtype_class(dtype));
      state.types.push_back(static_cast<char>(numpy_type_number(dtype)));
    }
    register_time_loop(ufunc, classes);
  }
  auto* const object = reinterpret_cast<PyUFuncObject*>(ufunc);
  object->types = state.types.data();
  object->ntypes = static_cast<int>(state.library->declaration().signatures.size());
}

}  // namespace numpy_plugin::ufunc
