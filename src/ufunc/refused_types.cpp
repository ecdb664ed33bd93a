#include "numpy_plugin/ufunc/refused_types.hpp"

#include <algorithm>
#include <exception>
#include <string>
#include <vector>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/ufunc/ufunc_state.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

constexpr int kMostLoops = 8;

// One for all ufuncs that are made from functions and data.
PyUFunc_TypeResolutionFunc* numpys_type_resolver = nullptr;

std::string dtype_text(PyArray_Descr* descriptor) {
  return nb::str(nb::handle(reinterpret_cast<PyObject*>(descriptor))).c_str();
}

nb::object descriptor_of(int type_number) {
  return nb::steal(reinterpret_cast<PyObject*>(PyArray_DescrFromType(type_number)));
}

PyArray_Descr* as_descr(const nb::object& object) {
  return reinterpret_cast<PyArray_Descr*>(object.ptr());
}

// NumPy's type numbers of a loop, inputs, then outputs.
const char* loop_types(const PyUFuncObject* ufunc, int loop) {
  return ufunc->types + static_cast<std::ptrdiff_t>(loop) * ufunc->nargs;
}

// "float64(float64, int32)".
std::string loop_text(const PyUFuncObject* ufunc, int loop) {
  std::vector<std::string> names;
  for (int i = 0; i < ufunc->nargs; ++i) {
    names.push_back(dtype_text(as_descr(descriptor_of(loop_types(ufunc, loop)[i]))));
  }
  const auto outputs = names.begin() + ufunc->nin;
  return base::join({outputs, names.end()}, ", ") + "(" +
         base::join({names.begin(), outputs}, ", ") + ")";
}

std::string loops_text(const PyUFuncObject* ufunc) {
  std::vector<std::string> loops;
  for (int i = 0; i < std::min(ufunc->ntypes, kMostLoops); ++i) {
    loops.push_back(loop_text(ufunc, i));
  }
  const int n_more = ufunc->ntypes - kMostLoops;
  return base::join(loops, "; ") + (n_more > 0 ? " and " + std::to_string(n_more) + " more" : "");
}

// How an operand is made one of a loop's type; empty where it is cast as it is.
std::string conversion(PyArray_Descr* given, int wanted_number, const std::string& name) {
  const nb::object wanted = descriptor_of(wanted_number);
  if (PyArray_CanCastTypeTo(given, as_descr(wanted), NPY_SAFE_CASTING) != 0) return "";
  const bool is_real_part =
      PyTypeNum_ISCOMPLEX(given->type_num) && !PyTypeNum_ISCOMPLEX(wanted_number);
  const std::string value = is_real_part ? name + ".real" : name;
  if (is_real_part) {
    const nb::object part = descriptor_of(given->type_num == NPY_CFLOAT ? NPY_FLOAT : NPY_DOUBLE);
    if (PyArray_CanCastTypeTo(as_descr(part), as_descr(wanted), NPY_SAFE_CASTING) != 0) {
      return value;
    }
  }
  const std::string module = PyTypeNum_ISUSERDEF(wanted_number) ? "ml_dtypes." : "np.";
  const std::string type = wanted_number == NPY_BOOL ? "bool" : dtype_text(as_descr(wanted));
  return value + ".astype(" + module + type + ")";
}

// The fewest conversions after which a loop takes the operands: of equal ones the last, which is
// the widest.
std::vector<std::string> conversions(const PyUFuncObject* ufunc, const UfuncState& state,
                                     PyArrayObject* const* operands) {
  std::vector<std::string> fewest;
  for (int loop = 0; loop < ufunc->ntypes; ++loop) {
    std::vector<std::string> needed;
    for (int i = 0; i < ufunc->nin; ++i) {
      const auto index = static_cast<std::size_t>(i);
      const std::string name =
          index < state.parameters.size() ? state.parameters[index] : "x" + std::to_string(i + 1);
      std::string text = conversion(PyArray_DESCR(operands[i]), loop_types(ufunc, loop)[i], name);
      if (!text.empty()) needed.push_back(std::move(text));
    }
    if (loop == 0 || needed.size() <= fewest.size()) fewest = std::move(needed);
  }
  return fewest;
}

std::string note_text(const PyUFuncObject* ufunc, const UfuncState& state,
                      PyArrayObject* const* operands, bool is_named) {
  std::vector<std::string> types;
  for (int i = 0; i < ufunc->nin; ++i) types.push_back(dtype_text(PyArray_DESCR(operands[i])));
  std::string text = "  operands: " + base::join(types, ", ") + "\n  loops: " + loops_text(ufunc);
  if (is_named) return text + "\n  hint: dtype= and signature= take the types of a loop";
  const std::vector<std::string> needed = conversions(ufunc, state, operands);
  if (needed.empty()) return text;
  return text + "\n  hint: " + base::join(needed, " and ") + ", or declare a loop of these types";
}

bool are_known(const PyUFuncObject* ufunc, PyArrayObject* const* operands) {
  return std::all_of(operands, operands + ufunc->nin,
                     [](const PyArrayObject* operand) { return operand != nullptr; });
}

int resolve_types(PyUFuncObject* ufunc, NPY_CASTING casting, PyArrayObject** operands,
                  PyObject* named_types, PyArray_Descr** dtypes) {
  const int status = numpys_type_resolver(ufunc, casting, operands, named_types, dtypes);
  const bool is_refused = status == -1 && PyErr_ExceptionMatches(PyExc_TypeError) != 0;
  if (!is_refused || !are_known(ufunc, operands)) return status;
  nb::python_error error;
  try {
    const UfuncState& state = *find_state(reinterpret_cast<PyObject*>(ufunc));
    const std::string text = note_text(ufunc, state, operands, named_types != nullptr);
    error.value().attr("add_note")(text.c_str());
  } catch (const std::exception&) {
    // Without a note NumPy's error is as good as it was.
  }
  error.restore();
  return status;
}

}  // namespace

void install_refusal_notes(PyUFuncObject* ufunc) {
  if (ufunc->ntypes == 0 || ufunc->type_resolver == nullptr) return;
  numpys_type_resolver = ufunc->type_resolver;
  ufunc->type_resolver = resolve_types;
}

}  // namespace numpy_plugin::ufunc
