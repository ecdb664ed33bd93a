#include "numpy_plugin/ufunc/object/make_ufunc.hpp"

#include <algorithm>
#include <utility>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/kernel/kernel.hpp"
#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"
#include "numpy_plugin/ufunc/loops/promotion.hpp"
#include "numpy_plugin/ufunc/loops/time_loops.hpp"
#include "numpy_plugin/ufunc/loops/ufunc_loops.hpp"
#include "numpy_plugin/ufunc/loops/ufunc_state.hpp"
#include "numpy_plugin/ufunc/object/call_hook.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

using base::DType;

// NumPy's type table has char entries, which bfloat16's number exceeds.
bool fits_type_table(const std::vector<DType>& dtypes) {
  return std::find(dtypes.begin(), dtypes.end(), DType::kBFloat16) == dtypes.end();
}

void fill_loop_table(UfuncState& state) {
  if (declares_times(state)) return;  // none of NumPy's legacy loops, which have no units
  for (const run::Loop& loop : state.library->declared_loops()) {
    const std::vector<DType> dtypes = operand_dtypes(loop);
    if (!fits_type_table(dtypes)) continue;
    const LegacyLoop legacy = legacy_loop(loop);
    state.functions.push_back(legacy.function);
    state.data.push_back(legacy.data);
    for (const DType dtype : dtypes) {
      state.types.push_back(static_cast<char>(base::info(dtype).numpy_type_number));
    }
  }
}

void register_bfloat16_loops(PyUFuncObject* ufunc, const UfuncState& state) {
  for (const run::Loop& loop : state.library->declared_loops()) {
    const std::vector<DType> dtypes = operand_dtypes(loop);
    if (fits_type_table(dtypes)) continue;
    std::vector<int> numbers;
    for (const DType dtype : dtypes) numbers.push_back(numpy_type_number(dtype));
    const auto [function, data] = legacy_loop(loop);
    const int status = PyUFunc_RegisterLoopForType(ufunc, numpy_type_number(DType::kBFloat16),
                                                   function, numbers.data(), data);
    if (status < 0) throw nb::python_error();
  }
}

struct NumpyIdentity {
  int kind;
  PyObject* value;  // borrowed
};

NumpyIdentity numpy_identity(const nb::object& identity) {
  if (identity.is_none()) return {PyUFunc_None, nullptr};
  if (nb::isinstance<nb::str>(identity)) return {PyUFunc_ReorderableNone, nullptr};
  return {PyUFunc_IdentityValue, identity.ptr()};
}

// NumPy then rejects operands it cannot write back to, and writes changes of a cast operand back.
void mark_writable(PyUFuncObject* ufunc, const declare::CoreSignature& layout) {
  for (const std::size_t operand : layout.writable_inputs) {
    ufunc->op_flags[operand] = NPY_ITER_READWRITE | NPY_ITER_UPDATEIFCOPY;
  }
}

// NumPy leaves ufuncs made through its C API untracked; a reference cycle through f.__dict__ would
// then never be freed.
void track(PyObject* ufunc) {
  if (!PyObject_GC_IsTracked(ufunc)) PyObject_GC_Track(ufunc);
}

}  // namespace

nb::object make_ufunc(std::shared_ptr<run::KernelLibrary> library, const nb::object& identity,
                      const std::string& name) {
  auto owned = std::make_unique<UfuncState>();
  UfuncState& state = *owned;
  state.library = std::move(library);
  state.name = name;
  state.identity = identity;
  state.can_raise = state.library->can_raise();
  read_parameters(state);
  fill_loop_table(state);
  const declare::Declaration& declaration = state.library->declaration();
  const NumpyIdentity numpy = numpy_identity(identity);
  nb::object result = nb::steal(PyUFunc_FromFuncAndDataAndSignatureAndIdentity(
      state.functions.data(), state.data.data(), state.types.data(),
      static_cast<int>(state.functions.size()), static_cast<int>(declaration.n_inputs),
      static_cast<int>(declaration.n_outputs), numpy.kind, state.name.c_str(),
      declaration.doc.c_str(), 0, declaration.layout ? declaration.layout->text.c_str() : nullptr,
      numpy.value));
  if (!result.is_valid()) throw nb::python_error();
  auto* ufunc = reinterpret_cast<PyUFuncObject*>(result.ptr());
  attach_state(ufunc, std::move(owned));
  if (declaration.layout) mark_writable(ufunc, *declaration.layout);
  mark_outputs(ufunc);
  for (const run::Loop& loop : state.library->declared_loops()) {
    mark_read_outputs(ufunc, loop.parallel);
  }
  const bool has_times = declares_times(state);
  if (has_times) add_declared_time_loops(result.ptr());
  if (!has_times) register_bfloat16_loops(ufunc, state);
  if (has_times || declaration.signatures.empty()) add_promoter(result);
  install_call_hook(ufunc, state);
  install_methods(result);
  track(result.ptr());
  return result;
}

}  // namespace numpy_plugin::ufunc
