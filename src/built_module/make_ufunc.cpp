#include "built_module/ufuncs.hpp"

#include <algorithm>
#include <vector>

#include "numpy_plugin/run/cpu/elementwise_driver.hpp"

namespace numpy_plugin::built {
namespace {

using npp::intp;

// Calls of fewer elements fit every cache of the last level.
constexpr intp kLargeElements = 64 * 1024;

bool is_larger_than_cache(const ChosenLoop& loop, intp n_elements) {
  return n_elements >= kLargeElements && run::exceeds_cache(n_elements * loop.n_bytes);
}

void call_loop(char** args, const npy_intp* dimensions, const npy_intp* steps, void* data) {
  const auto& loop = *static_cast<const ChosenLoop*>(data);
  const run::LargeCallScope large(is_larger_than_cache(loop, dimensions[0]));
  loop.function(args, dimensions, steps, nullptr);
}

void call_raising_loop(char** args, const npy_intp* dimensions, const npy_intp* steps, void* data) {
  const auto& loop = *static_cast<const ChosenLoop*>(data);
  const RaisingLoop scope(*loop.ufunc, loop.number);
  if (scope.is_over()) return;
  call_loop(args, dimensions, steps, data);
}

// Arrays that NumPy borrows for as long as the ufunc exists.
struct LoopTable {
  std::vector<PyUFuncGenericFunction> functions;
  std::vector<void*> data;
  std::vector<char> types;
};

// False with Python's error set.
bool add_dtypes(ChosenLoop& chosen, const npp::BuiltLoop& loop, int n_operands) {
  for (int i = 0; i < n_operands; ++i) {
    const Reference name(PyUnicode_FromString(loop.dtypes[i]));
    PyArray_Descr* dtype = nullptr;
    if (name == nullptr || PyArray_DescrConverter(name.get(), &dtype) == NPY_FAIL) return false;
    chosen.dtypes.push_back(dtype);
  }
  return true;
}

// Null with Python's error set.
LoopTable* make_table(const npp::BuiltUfunc& contents, int level) {
  auto* const table = new LoopTable;
  for (int number = 0; number < contents.n_loops; ++number) {
    const npp::BuiltLoop& loop = contents.loops[number];
    auto* const chosen = new ChosenLoop{loop.functions[level], loop.n_bytes, &contents, number, {}};
    if (!add_dtypes(*chosen, loop, contents.n_inputs + contents.n_outputs)) return nullptr;
    table->functions.push_back(loop.can_raise ? call_raising_loop : call_loop);
    table->data.push_back(chosen);
    for (const PyArray_Descr* dtype : chosen->dtypes)
      table->types.push_back(static_cast<char>(dtype->type_num));
  }
  return table;
}

bool has_times(const LoopTable& table) {
  return std::any_of(table.types.begin(), table.types.end(),
                     [](char number) { return PyTypeNum_ISDATETIME(number); });
}

struct NumpyIdentity {
  int kind = PyUFunc_None;
  Reference value = nullptr;
};

NumpyIdentity numpy_identity(const npp::BuiltUfunc& contents) {
  if (contents.is_reorderable) return {PyUFunc_ReorderableNone};
  if (contents.identity == nullptr) return {};
  const Reference names(PyDict_New());
  if (names == nullptr) return {PyUFunc_IdentityValue};
  return {PyUFunc_IdentityValue,
          Reference(PyRun_String(contents.identity, Py_eval_input, names.get(), names.get()))};
}

// A kernel may read an input's elements after writing others: an output that shares an input's
// memory must be a copy, unless no operand has core dimensions.
npy_uint32 written_flags(const PyUFuncObject* ufunc, int operand) {
  const bool is_input = operand < ufunc->nin;
  const npy_uint32 copies =
      is_input || ufunc->core_enabled ? NPY_ITER_UPDATEIFCOPY : NPY_ITER_OVERLAP_ASSUME_ELEMENTWISE;
  return is_input ? copies
                  : copies | NPY_ITER_ALIGNED | NPY_ITER_ALLOCATE | NPY_ITER_NO_BROADCAST |
                        NPY_ITER_NO_SUBTYPE;
}

// NumPy then rejects operands it cannot write back to, and its copies of kept ones begin with their
// elements.
void mark_written(PyUFuncObject* ufunc, const npp::BuiltUfunc& contents) {
  for (int output = ufunc->nin; ufunc->core_enabled && output < ufunc->nargs; ++output) {
    ufunc->op_flags[output] = written_flags(ufunc, output) | NPY_ITER_WRITEONLY;
  }
  std::for_each(contents.kept_operands, contents.kept_operands + contents.n_kept_operands,
                [ufunc](int operand) {
                  ufunc->op_flags[operand] = written_flags(ufunc, operand) | NPY_ITER_READWRITE;
                });
}

bool can_raise(const npp::BuiltUfunc& contents) {
  return std::any_of(contents.loops, contents.loops + contents.n_loops,
                     [](const npp::BuiltLoop& loop) { return loop.can_raise; });
}

}  // namespace

Reference make_ufunc(const npp::BuiltUfunc& contents, int level) {
  const NumpyIdentity identity = numpy_identity(contents);
  if (identity.kind == PyUFunc_IdentityValue && identity.value == nullptr) return nullptr;
  LoopTable* const table = make_table(contents, level);
  if (table == nullptr) return nullptr;
  const int n_legacy_loops = has_times(*table) ? 0 : contents.n_loops;
  Reference made(PyUFunc_FromFuncAndDataAndSignatureAndIdentity(
      table->functions.data(), table->data.data(), table->types.data(), n_legacy_loops,
      contents.n_inputs, contents.n_outputs, identity.kind, contents.name, contents.doc, 0,
      contents.layout, identity.value.get()));
  if (made == nullptr) return nullptr;
  auto* const ufunc = reinterpret_cast<PyUFuncObject*>(made.get());
  mark_written(ufunc, contents);
  if (n_legacy_loops == 0 && !add_time_loops(ufunc, contents)) return nullptr;
  if (can_raise(contents) && !install_raising_call(made.get())) return nullptr;
  return made;
}

}  // namespace numpy_plugin::built
