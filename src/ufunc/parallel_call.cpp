#include "numpy_plugin/ufunc/parallel_call.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "numpy_plugin/base/thread_pool.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

// Below this a call costs less than the threads' wake-up and the iterator's copies.
constexpr npy_intp kMinimumElements = 1 << 16;
constexpr npy_intp kMinimumPiece = 1 << 14;

struct FreeIterator {
  void operator()(NpyIter* iterator) const { NpyIter_Deallocate(iterator); }
};
using Iterator = std::unique_ptr<NpyIter, FreeIterator>;

bool is_plain_number(PyObject* operand) {
  PyTypeObject* type = Py_TYPE(operand);
  return type == &PyFloat_Type || type == &PyLong_Type || type == &PyComplex_Type;
}

// The places of all operands, outputs that NumPy should make as nullptr.
class Operands {
 public:
  // Whether the call is of the kind that can be cut.
  bool take(const run::Declaration& declaration, PyObject* const* args, Py_ssize_t n_positional,
            PyObject* names) {
    if (n_positional != static_cast<Py_ssize_t>(declaration.n_inputs)) return false;
    items_.assign(args, args + n_positional);
    items_.resize(declaration.n_inputs + declaration.n_outputs, nullptr);
    return take_outputs(declaration, args + n_positional, names) && are_plain() && are_many();
  }

  const std::vector<PyObject*>& items() const { return items_; }

 private:
  bool take_outputs(const run::Declaration& declaration, PyObject* const* values, PyObject* names) {
    if (names == nullptr) return true;
    if (PyTuple_GET_SIZE(names) != 1 ||
        PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "out") != 0) {
      return false;
    }
    PyObject* output = values[0];
    if (!PyTuple_CheckExact(output)) {
      items_[declaration.n_inputs] = output == Py_None ? nullptr : output;
      return declaration.n_outputs == 1;
    }
    if (PyTuple_GET_SIZE(output) != static_cast<Py_ssize_t>(declaration.n_outputs)) return false;
    for (std::size_t i = 0; i < declaration.n_outputs; ++i) {
      PyObject* item = PyTuple_GET_ITEM(output, static_cast<Py_ssize_t>(i));
      items_[declaration.n_inputs + i] = item == Py_None ? nullptr : item;
    }
    return true;
  }

  bool are_plain() const {
    return std::all_of(items_.begin(), items_.end(), [](PyObject* item) {
      return item == nullptr || PyArray_CheckExact(item) || is_plain_number(item);
    });
  }

  bool are_many() const {
    return std::any_of(items_.begin(), items_.end(), [](PyObject* item) {
      return item != nullptr && PyArray_CheckExact(item) &&
             PyArray_SIZE(reinterpret_cast<PyArrayObject*>(item)) >= kMinimumElements;
    });
  }

  std::vector<PyObject*> items_;
};

// NumPy's own answer to which loop runs, as f.resolve_dtypes gives it.
std::vector<nb::object> resolve_dtypes(PyObject* ufunc, const std::vector<PyObject*>& operands) {
  nb::list given;
  for (PyObject* operand : operands) {
    if (operand == nullptr) {
      given.append(nb::none());
    } else if (PyArray_CheckExact(operand)) {
      given.append(nb::handle(
          reinterpret_cast<PyObject*>(PyArray_DESCR(reinterpret_cast<PyArrayObject*>(operand)))));
    } else {
      given.append(nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(operand))));
    }
  }
  const nb::object resolved = nb::handle(ufunc).attr("resolve_dtypes")(nb::tuple(given));
  std::vector<nb::object> dtypes;
  for (nb::handle dtype : resolved) dtypes.push_back(nb::borrow(dtype));
  return dtypes;
}

PyArray_Descr* descriptor(const nb::object& dtype) {
  return reinterpret_cast<PyArray_Descr*>(dtype.ptr());
}

// The compiled loop for resolved types; nullptr when it is none of this library's.
const run::Loop* find_loop(const UfuncState& state, const std::vector<nb::object>& dtypes) {
  for (const run::Loop* loop : state.library->loops()) {
    const std::vector<base::DType> known = operand_dtypes(*loop);
    bool is_same = known.size() == dtypes.size();
    for (std::size_t i = 0; i < known.size() && is_same; ++i) {
      is_same = dtype_of_number(descriptor(dtypes[i])->type_num) == known[i];
    }
    if (is_same) return loop;
  }
  return nullptr;
}

// Arrays for the iterator: plain numbers become 0-d arrays of the loop's type, with NumPy's own
// error for one that does not fit.
std::vector<nb::object> operand_arrays(const std::vector<PyObject*>& operands,
                                       const std::vector<nb::object>& dtypes) {
  std::vector<nb::object> arrays;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    PyObject* operand = operands[i];
    if (operand == nullptr || PyArray_CheckExact(operand)) {
      arrays.push_back(nb::borrow(operand));
      continue;
    }
    Py_INCREF(dtypes[i].ptr());
    nb::object array = nb::steal(PyArray_FromAny(operand, descriptor(dtypes[i]), 0, 0, 0, nullptr));
    if (!array.is_valid()) throw nb::python_error();
    arrays.push_back(std::move(array));
  }
  return arrays;
}

Iterator make_iterator(const std::vector<nb::object>& arrays, const std::vector<nb::object>& dtypes,
                       std::size_t n_inputs) {
  std::vector<PyArrayObject*> operands;
  std::vector<PyArray_Descr*> descriptors;
  std::vector<npy_uint32> flags;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    operands.push_back(reinterpret_cast<PyArrayObject*>(arrays[i].ptr()));
    descriptors.push_back(descriptor(dtypes[i]));
    const npy_uint32 access = i < n_inputs ? NPY_ITER_READONLY
                                           : NPY_ITER_WRITEONLY | NPY_ITER_ALLOCATE |
                                                 NPY_ITER_NO_BROADCAST | NPY_ITER_NO_SUBTYPE;
    flags.push_back(access | NPY_ITER_ALIGNED | NPY_ITER_NBO | NPY_ITER_OVERLAP_ASSUME_ELEMENTWISE);
  }
  const npy_uint32 global = NPY_ITER_EXTERNAL_LOOP | NPY_ITER_BUFFERED | NPY_ITER_GROWINNER |
                            NPY_ITER_DELAY_BUFALLOC | NPY_ITER_RANGED | NPY_ITER_ZEROSIZE_OK |
                            NPY_ITER_COPY_IF_OVERLAP;
  NpyIter* iterator = NpyIter_AdvancedNew(
      static_cast<int>(operands.size()), operands.data(), global, NPY_KEEPORDER,
      NPY_SAME_KIND_CASTING, flags.data(), descriptors.data(), -1, nullptr, nullptr, 0);
  if (iterator == nullptr) throw nb::python_error();
  return Iterator(iterator);
}

// Whether the iterator works on the arrays themselves: a copy that is written back at the end can't
// be shared by several iterators.
bool uses_the_arrays(NpyIter* iterator, const std::vector<nb::object>& arrays) {
  PyArrayObject** used = NpyIter_GetOperandArray(iterator);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (arrays[i].ptr() != nullptr && reinterpret_cast<PyObject*>(used[i]) != arrays[i].ptr()) {
      return false;
    }
  }
  return !NpyIter_IterationNeedsAPI(iterator);
}

// Runs one range without Python's lock; the error's text where the iterator has one.
const char* run_range(NpyIter* iterator, npy_intp start, npy_intp end, run::LoopFunction* loop) {
  char* error = nullptr;
  if (NpyIter_ResetToIterIndexRange(iterator, start, end, &error) != NPY_SUCCEED) return error;
  NpyIter_IterNextFunc* next = NpyIter_GetIterNext(iterator, &error);
  if (next == nullptr) return error;
  char** pointers = NpyIter_GetDataPtrArray(iterator);
  npy_intp* strides = NpyIter_GetInnerStrideArray(iterator);
  npy_intp* count = NpyIter_GetInnerLoopSizePtr(iterator);
  do {
    loop(pointers, count, strides, nullptr);
  } while (next(iterator));
  return nullptr;
}

// Cuts the iteration into ranges, one iterator each; the first is the given one.
std::vector<Iterator> copies_of(Iterator first, npy_intp size) {
  const auto pieces =
      std::clamp<npy_intp>(size / kMinimumPiece, 1, static_cast<npy_intp>(base::n_threads()));
  std::vector<Iterator> iterators;
  iterators.push_back(std::move(first));
  while (static_cast<npy_intp>(iterators.size()) < pieces) {
    NpyIter* copy = NpyIter_Copy(iterators.front().get());
    if (copy == nullptr) throw nb::python_error();
    iterators.emplace_back(copy);
  }
  return iterators;
}

// The floating-point errors that any thread saw, as NumPy's mask.
int run_pieces(const std::vector<Iterator>& iterators, npy_intp size, run::LoopFunction* loop) {
  const auto pieces = static_cast<npy_intp>(iterators.size());
  std::atomic<int> seen{0};
  std::atomic<const char*> error{nullptr};
  {
    const nb::gil_scoped_release release;
    base::run_parallel(iterators.size(), [&](std::size_t index) {
      const auto piece = static_cast<npy_intp>(index);
      PyUFunc_clearfperr();
      const char* text = run_range(iterators[index].get(), size * piece / pieces,
                                   size * (piece + 1) / pieces, loop);
      if (text != nullptr) error = text;
      seen |= PyUFunc_getfperr();
    });
  }
  if (error != nullptr) {
    PyErr_SetString(PyExc_RuntimeError, error);
    throw nb::python_error();
  }
  return seen;
}

nb::object results(NpyIter* iterator, std::size_t n_inputs, std::size_t n_outputs) {
  PyArrayObject** arrays = NpyIter_GetOperandArray(iterator);
  if (n_outputs == 1) return nb::borrow(reinterpret_cast<PyObject*>(arrays[n_inputs]));
  nb::list items;
  for (std::size_t i = 0; i < n_outputs; ++i) {
    items.append(nb::handle(reinterpret_cast<PyObject*>(arrays[n_inputs + i])));
  }
  return nb::tuple(items);
}

}  // namespace

nb::object try_parallel_call(PyObject* ufunc, const UfuncState& state, PyObject* const* args,
                             Py_ssize_t n_positional, PyObject* names) {
  const run::Declaration& declaration = state.library->declaration();
  Operands operands;
  if (declaration.layout || !operands.take(declaration, args, n_positional, names)) return {};
  const std::vector<nb::object> dtypes = resolve_dtypes(ufunc, operands.items());
  const run::Loop* loop = find_loop(state, dtypes);
  if (loop == nullptr) return {};
  const std::vector<nb::object> arrays = operand_arrays(operands.items(), dtypes);
  Iterator first = make_iterator(arrays, dtypes, declaration.n_inputs);
  const npy_intp size = NpyIter_GetIterSize(first.get());
  if (size < kMinimumElements || !uses_the_arrays(first.get(), arrays)) return {};
  const std::vector<Iterator> iterators = copies_of(std::move(first), size);
  const int seen = run_pieces(iterators, size, loop->parallel.loop);
  nb::object result = results(iterators.front().get(), declaration.n_inputs, declaration.n_outputs);
  if (seen != 0 && PyUFunc_GiveFloatingpointErrors(state.name.c_str(), seen) < 0) {
    throw nb::python_error();
  }
  return result;
}

}  // namespace numpy_plugin::ufunc
