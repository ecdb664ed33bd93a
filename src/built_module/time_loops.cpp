#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "built_module/ufuncs.hpp"

namespace numpy_plugin::built {
namespace {

// A combination of classes for which a ufunc has loops, as NumPy's type numbers.
struct TimeClasses {
  const npp::BuiltUfunc* contents;
  const void* const* loops;  // ChosenLoops
  std::vector<int> types;
};

// NumPy tells a function that resolves units neither the ufunc nor data of its own: each
// combination has a function to itself, also after another import of the module.
constexpr std::size_t kMostClasses = 1024;
std::array<std::atomic<const TimeClasses*>, kMostClasses> resolved_classes;

const ChosenLoop& loop_at(const void* const* loops, int number) {
  return *static_cast<const ChosenLoop*>(loops[number]);
}

std::vector<int> types_of(const ChosenLoop& loop) {
  std::vector<int> types;
  for (const PyArray_Descr* dtype : loop.dtypes) types.push_back(dtype->type_num);
  return types;
}

// Whether the loop has the classes, and its units hold the ticks of the inputs exactly. A reduction
// gives no type for its first operand, which has that of the array.
bool holds_ticks(const ChosenLoop& loop, PyArray_Descr* const* given) {
  const int n_inputs = loop.ufunc->n_inputs;
  for (int i = 0; i < n_inputs; ++i) {
    PyArray_Descr* const dtype = given[i] != nullptr ? given[i] : given[n_inputs - 1];
    const auto wanted = loop.dtypes[static_cast<std::size_t>(i)];
    if (!PyArray_CanCastTypeTo(dtype, wanted, NPY_SAFE_CASTING)) return false;
  }
  return true;
}

// The first loop of the classes that holds the inputs' ticks exactly, else the first of all, to
// which NumPy casts them.
const ChosenLoop& chosen_loop(const TimeClasses& classes, PyArray_Descr* const* given) {
  const ChosenLoop* first = nullptr;
  for (int number = 0; number < classes.contents->n_loops; ++number) {
    const ChosenLoop& loop = loop_at(classes.loops, number);
    if (types_of(loop) != classes.types) continue;
    if (holds_ticks(loop, given)) return loop;
    if (first == nullptr) first = &loop;
  }
  return *first;
}

using ResolveDescriptors = NPY_CASTING(PyArrayMethodObject_tag*, PyArray_DTypeMeta* const*,
                                       PyArray_Descr* const*, PyArray_Descr**, npy_intp*);

template <std::size_t Slot>
NPY_CASTING resolve_in_slot(PyArrayMethodObject_tag*, PyArray_DTypeMeta* const*,
                            PyArray_Descr* const* given, PyArray_Descr** resolved, npy_intp*) {
  for (PyArray_Descr* const dtype : chosen_loop(*resolved_classes[Slot].load(), given).dtypes) {
    Py_INCREF(reinterpret_cast<PyObject*>(dtype));
    *resolved++ = dtype;
  }
  return NPY_NO_CASTING;
}

template <std::size_t... Slots>
constexpr std::array<ResolveDescriptors*, sizeof...(Slots)> resolvers_of(
    std::index_sequence<Slots...>) {
  return {resolve_in_slot<Slots>...};
}
constexpr auto kResolvers = resolvers_of(std::make_index_sequence<kMostClasses>());

// Null with Python's error set where there is no function left.
ResolveDescriptors* resolver_of(const PyUFuncObject& ufunc, const ChosenLoop& loop) {
  const auto* const added = new TimeClasses{loop.ufunc, ufunc.data, types_of(loop)};
  for (std::size_t slot = 0; slot < kMostClasses; ++slot) {
    const TimeClasses* known = nullptr;
    if (resolved_classes[slot].compare_exchange_strong(known, added)) return kResolvers[slot];
    if (known->contents != loop.ufunc || known->types != added->types) continue;
    delete added;
    return kResolvers[slot];
  }
  delete added;
  PyErr_Format(PyExc_ImportError, "'%s' is one ufunc of dates too many for a module", ufunc.name);
  return nullptr;
}

// Needs no GIL.
bool is_same(const PyArray_Descr* left, const PyArray_Descr* right) {
  if (left == right || left->type_num != right->type_num) return left == right;
  if (!PyTypeNum_ISDATETIME(left->type_num)) return true;
  const auto unit_of = [](const PyArray_Descr* dtype) {
    return reinterpret_cast<const PyArray_DatetimeDTypeMetaData*>(PyDataType_C_METADATA(dtype))
        ->meta;
  };
  const PyArray_DatetimeMetaData one = unit_of(left), other = unit_of(right);
  return one.base == other.base && one.num == other.num;
}

// NumPy passes a loop its context but no data, so the loop is found by the context's types.
int call_time_loop(PyArrayMethod_Context* context, char* const* data, const npy_intp* dimensions,
                   const npy_intp* strides, NpyAuxData*) {
  const auto& ufunc = *reinterpret_cast<const PyUFuncObject*>(context->caller);
  for (int number = 0; number < ufunc.ntypes; ++number) {
    const auto& dtypes = loop_at(ufunc.data, number).dtypes;
    if (!std::equal(dtypes.begin(), dtypes.end(), context->descriptors, is_same)) continue;
    ufunc.functions[number](const_cast<char**>(data), dimensions, strides, ufunc.data[number]);
    return 0;
  }
  return -1;
}

// NumPy uses the ufunc's identity for legacy loops but not for added ones: this slot provides it.
int get_reduction_initial(PyArrayMethod_Context* context, npy_bool, void* initial) {
  const Reference identity(PyObject_GetAttrString(context->caller, "identity"));
  if (identity == nullptr) return -1;
  if (identity.get() == Py_None) return 0;
  auto* const dtype = const_cast<PyArray_Descr*>(context->descriptors[0]);
  return PyArray_Pack(dtype, initial, identity.get()) < 0 ? -1 : 1;
}

bool add_loop(PyUFuncObject* ufunc, const ChosenLoop& loop) {
  ResolveDescriptors* const resolve = resolver_of(*ufunc, loop);
  if (resolve == nullptr) return false;
  std::vector<PyArray_DTypeMeta*> classes;
  for (PyArray_Descr* const dtype : loop.dtypes) classes.push_back(NPY_DTYPE(dtype));
  PyType_Slot slots[] = {
      {NPY_METH_strided_loop, reinterpret_cast<void*>(&call_time_loop)},
      {NPY_METH_get_reduction_initial, reinterpret_cast<void*>(&get_reduction_initial)},
      {NPY_METH_resolve_descriptors, reinterpret_cast<void*>(resolve)},
      {0, nullptr}};
  const bool is_reorderable = loop.ufunc->is_reorderable || loop.ufunc->identity != nullptr;
  PyArrayMethod_Spec spec{};
  spec.name = ufunc->name;
  spec.nin = ufunc->nin;
  spec.nout = ufunc->nout;
  spec.casting = NPY_NO_CASTING;
  spec.flags = static_cast<NPY_ARRAYMETHOD_FLAGS>(is_reorderable ? NPY_METH_IS_REORDERABLE : 0);
  spec.dtypes = classes.data();
  spec.slots = slots;
  return PyUFunc_AddLoopFromSpec(reinterpret_cast<PyObject*>(ufunc), &spec) >= 0;
}

// Whether a call's operand may be cast to a type without asking for it: units are resolved later.
bool fits_class(const PyArray_DTypeMeta* given, int wanted) {
  const bool is_float = given == &PyArray_PyFloatDType;
  if (is_float || given == &PyArray_PyLongDType) {
    const bool is_inexact = PyTypeNum_ISFLOAT(wanted) || PyTypeNum_ISCOMPLEX(wanted);
    return is_inexact || (!is_float && (PyTypeNum_ISINTEGER(wanted) || wanted == NPY_TIMEDELTA));
  }
  if (given == &PyArray_PyComplexDType) return PyTypeNum_ISCOMPLEX(wanted);
  const int number = given->type_num;
  const bool is_known =
      PyTypeNum_ISNUMBER(number) || PyTypeNum_ISBOOL(number) || PyTypeNum_ISDATETIME(number);
  return is_known && PyArray_CanCastSafely(number, wanted) != 0;
}

// NumPy's query: the operands' classes, and those that the signature names.
bool fits_query(const ChosenLoop& loop, PyArray_DTypeMeta* const* operands,
                PyArray_DTypeMeta* const* named) {
  for (std::size_t i = 0; i < loop.dtypes.size(); ++i) {
    const bool is_input = i < static_cast<std::size_t>(loop.ufunc->n_inputs);
    if (named[i] != nullptr) {
      if (named[i] != NPY_DTYPE(loop.dtypes[i])) return false;
    } else if (is_input && operands[i] != nullptr &&
               !fits_class(operands[i], loop.dtypes[i]->type_num)) {
      return false;
    }
  }
  const bool is_reduction = operands[0] == nullptr;
  return !is_reduction || loop.dtypes.front()->type_num == loop.dtypes.back()->type_num;
}

// The classes of the first loop that fits. An answer equal to the query counts as none: it leaves
// the outputs out.
int promote(PyObject* object, PyArray_DTypeMeta* const operands[], PyArray_DTypeMeta* const named[],
            PyArray_DTypeMeta* answer[]) {
  const auto& ufunc = *reinterpret_cast<const PyUFuncObject*>(object);
  for (int number = 0; number < ufunc.ntypes; ++number) {
    const ChosenLoop& loop = loop_at(ufunc.data, number);
    if (!fits_query(loop, operands, named)) continue;
    bool is_question = true;
    for (std::size_t i = 0; i < loop.dtypes.size(); ++i)
      is_question &= operands[i] == NPY_DTYPE(loop.dtypes[i]);
    for (std::size_t i = 0; i < loop.dtypes.size(); ++i) {
      const bool is_left_out = is_question && i >= static_cast<std::size_t>(ufunc.nin);
      answer[i] = is_left_out ? nullptr : NPY_DTYPE(loop.dtypes[i]);
      Py_XINCREF(reinterpret_cast<PyObject*>(answer[i]));
    }
    return 0;
  }
  return -1;  // NumPy then reports that there is no loop
}

bool add_promoter(PyObject* ufunc, int n_operands) {
  const Reference any(PyTuple_New(n_operands));
  for (int i = 0; any != nullptr && i < n_operands; ++i)
    PyTuple_SET_ITEM(any.get(), i, borrowed(Py_None).release());
  const Reference capsule(
      PyCapsule_New(reinterpret_cast<void*>(&promote), "numpy._ufunc_promoter", nullptr));
  return any != nullptr && capsule != nullptr &&
         PyUFunc_AddPromoter(ufunc, any.get(), capsule.get()) >= 0;
}

}  // namespace

bool add_time_loops(PyUFuncObject* ufunc, const npp::BuiltUfunc& contents) {
  for (int number = 0; number < contents.n_loops; ++number) {
    const ChosenLoop& loop = loop_at(ufunc->data, number);
    const auto has_classes = [&](int earlier) {
      return types_of(loop_at(ufunc->data, earlier)) == types_of(loop);
    };
    int earlier = 0;
    while (earlier < number && !has_classes(earlier)) ++earlier;
    if (earlier == number && !add_loop(ufunc, loop)) return false;
  }
  ufunc->ntypes = contents.n_loops;
  return add_promoter(reinterpret_cast<PyObject*>(ufunc), ufunc->nargs);
}

}  // namespace numpy_plugin::built
