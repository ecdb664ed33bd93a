#include "numpy_plugin/ufunc/object/make_ufunc.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/ufunc/loops/ufunc_loops.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

constexpr char kRecordCapsule[] = "numpy_plugin.record_ufunc";
// The most elements whose misaligned fields are copied at once.
constexpr npy_intp kBlock = 256;

// An operand of the kernel: a field, or a whole operand.
struct Field {
  int operand;
  npy_intp offset;
  npy_intp n_bytes;
  npy_intp alignment;
};

// Data that NumPy only borrows, owned by a capsule in the `obj` slot of the ufunc.
struct RecordUfunc {
  RecordUfuncText text;
  nb::object kernel;
  LegacyLoop loop;                 // the kernel's
  std::vector<nb::object> dtypes;  // of the operands
  PyUFunc_TypeResolutionFunc* numpys_resolver = nullptr;
  std::vector<Field> fields;
  std::vector<int> n_core;         // dimensions of each operand
  int n_inputs = 0;                // of the kernel
  bool may_be_misaligned = false;  // some field; never of a generalized ufunc

  const PyUFuncObject& inner() const {
    return *reinterpret_cast<const PyUFuncObject*>(kernel.ptr());
  }
  void call(std::vector<char*>& args, const npy_intp* dimensions,
            const std::vector<npy_intp>& steps) const {
    loop.function(args.data(), dimensions, steps.data(), loop.data);
  }
};

// Strides of the fields: outer ones first, then those of core dimensions.
std::vector<npy_intp> steps_of_fields(const RecordUfunc& ufunc, const npy_intp* steps) {
  std::vector<npy_intp> result;
  std::vector<const npy_intp*> core = {steps + ufunc.n_core.size()};
  for (const int n_dimensions : ufunc.n_core) core.push_back(core.back() + n_dimensions);
  for (const Field& field : ufunc.fields) result.push_back(steps[field.operand]);
  for (const Field& field : ufunc.fields) {
    const auto operand = static_cast<std::size_t>(field.operand);
    result.insert(result.end(), core[operand], core[operand + 1]);
  }
  return result;
}

// The elements of the fields that may be misaligned, in aligned memory.
class AlignedBlocks {
 public:
  AlignedBlocks(const RecordUfunc& ufunc, const std::vector<char*>& args,
                const std::vector<npy_intp>& steps)
      : ufunc_(ufunc), args_(args), steps_(steps), memory_(args.size()) {
    for (std::size_t i = 0; i < args.size(); ++i) {
      const Field& field = ufunc.fields[i];
      const auto bits =
          reinterpret_cast<std::uintptr_t>(args[i]) | static_cast<std::uintptr_t>(steps[i]);
      if (bits % static_cast<std::uintptr_t>(field.alignment) == 0) continue;
      memory_[i].resize(static_cast<std::size_t>(kBlock * field.n_bytes) / sizeof(Word) + 1);
    }
  }

  void run(npy_intp n) {
    const npy_intp block = reads_results(n) ? 1 : kBlock;
    for (npy_intp begin = 0; begin < n; begin += block) {
      run_block(begin, std::min(block, n - begin));
    }
  }

 private:
  // Of the largest alignment of a dtype.
  struct alignas(16) Word {
    char bytes[16];
  };

  // Whether an element may read what an earlier one wrote, as in `reduce` and `accumulate`.
  bool reads_results(npy_intp n) const {
    const auto first_result = static_cast<std::size_t>(ufunc_.n_inputs);
    for (std::size_t input = 0; input < first_result; ++input) {
      for (std::size_t result = first_result; result < args_.size(); ++result) {
        const bool is_same = args_[input] == args_[result] && steps_[input] == steps_[result];
        if (is_same && steps_[input] != 0) continue;
        if (overlap(extent(input, n), extent(result, n))) return true;
      }
    }
    return false;
  }

  using Extent = std::pair<const char*, const char*>;
  static bool overlap(const Extent& one, const Extent& other) {
    return one.first < other.second && other.first < one.second;
  }
  Extent extent(std::size_t i, npy_intp n) const {
    const char* const last = args_[i] + (n - 1) * steps_[i];
    return {std::min<const char*>(args_[i], last),
            std::max<const char*>(args_[i], last) + ufunc_.fields[i].n_bytes};
  }

  void run_block(npy_intp begin, npy_intp n) {
    std::vector<char*> args = args_;
    std::vector<npy_intp> steps = steps_;
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (memory_[i].empty()) {
        args[i] += begin * steps[i];
        continue;
      }
      args[i] = memory_[i].front().bytes;
      steps[i] = ufunc_.fields[i].n_bytes;
      if (i < static_cast<std::size_t>(ufunc_.n_inputs)) copy(i, begin, n, /*is_load=*/true);
    }
    ufunc_.call(args, &n, steps);
    for (std::size_t i = static_cast<std::size_t>(ufunc_.n_inputs); i < args.size(); ++i) {
      if (!memory_[i].empty()) copy(i, begin, n, /*is_load=*/false);
    }
  }

  void copy(std::size_t i, npy_intp begin, npy_intp n, bool is_load) {
    const auto n_bytes = static_cast<std::size_t>(ufunc_.fields[i].n_bytes);
    for (npy_intp element = 0; element < n; ++element) {
      char* const outside = args_[i] + (begin + element) * steps_[i];
      char* const inside = memory_[i].front().bytes + element * ufunc_.fields[i].n_bytes;
      std::memcpy(is_load ? inside : outside, is_load ? outside : inside, n_bytes);
    }
  }

  const RecordUfunc& ufunc_;
  const std::vector<char*>& args_;
  const std::vector<npy_intp>& steps_;
  std::vector<std::vector<Word>> memory_;
};

void call_record_loop(char** args, const npy_intp* dimensions, const npy_intp* steps, void* data) {
  const auto& ufunc = *static_cast<const RecordUfunc*>(data);
  std::vector<char*> field_args;
  for (const Field& field : ufunc.fields) field_args.push_back(args[field.operand] + field.offset);
  const std::vector<npy_intp> field_steps = steps_of_fields(ufunc, steps);
  if (!ufunc.may_be_misaligned) return ufunc.call(field_args, dimensions, field_steps);
  AlignedBlocks(ufunc, field_args, field_steps).run(dimensions[0]);
}

bool can_cast(const RecordUfunc& ufunc, int n_inputs, PyArrayObject** operands,
              NPY_CASTING casting) {
  const NPY_CASTING of_inputs = std::min(casting, NPY_SAFE_CASTING);
  for (std::size_t i = 0; i < ufunc.dtypes.size(); ++i) {
    PyArray_Descr* const dtype = as_descriptor(ufunc.dtypes[i]);
    const bool fits = i < static_cast<std::size_t>(n_inputs)
                          ? PyArray_CanCastArrayTo(operands[i], dtype, of_inputs)
                          : operands[i] == nullptr ||
                                PyArray_CanCastTypeTo(dtype, PyArray_DESCR(operands[i]), casting);
    if (!fits) return false;
  }
  return true;
}

// NumPy's resolver compares an output with a dtype without fields, which none can be cast from. It
// still raises its errors.
int resolve_types(PyUFuncObject* made, NPY_CASTING casting, PyArrayObject** operands,
                  PyObject* type_tuple, PyArray_Descr** found) {
  const auto& ufunc =
      *static_cast<const RecordUfunc*>(PyCapsule_GetPointer(made->obj, kRecordCapsule));
  if (type_tuple != nullptr || !can_cast(ufunc, made->nin, operands, casting)) {
    return ufunc.numpys_resolver(made, casting, operands, type_tuple, found);
  }
  for (std::size_t i = 0; i < ufunc.dtypes.size(); ++i) {
    found[i] = as_descriptor(ufunc.dtypes[i].inc_ref());
  }
  return 0;
}

// Appends the fields of a dtype, which nest.
void add_fields(RecordUfunc& ufunc, int operand, npy_intp offset, const nb::object& dtype) {
  const nb::object fields = dtype.attr("fields");
  if (fields.is_none()) {
    ufunc.fields.push_back({operand, offset, nb::cast<npy_intp>(dtype.attr("itemsize")),
                            nb::cast<npy_intp>(dtype.attr("alignment"))});
    return;
  }
  const bool is_aligned = nb::cast<bool>(dtype.attr("isalignedstruct"));
  ufunc.may_be_misaligned |= !is_aligned && ufunc.text.layout.empty();
  for (const nb::handle name : nb::borrow<nb::tuple>(dtype.attr("names"))) {
    const nb::object field = fields[name];
    add_fields(ufunc, operand, offset + nb::cast<npy_intp>(field[1]), field[0]);
  }
}

void delete_record_ufunc(PyObject* capsule) {
  delete static_cast<RecordUfunc*>(PyCapsule_GetPointer(capsule, kRecordCapsule));
}

// Copies what make_ufunc says of the kernel's operands, and notes the core dimensions.
void take_operands(PyUFuncObject* made, RecordUfunc& ufunc) {
  for (std::size_t i = 0; i < ufunc.fields.size(); ++i) {
    made->op_flags[ufunc.fields[i].operand] = ufunc.inner().op_flags[i];
  }
  for (int operand = 0; operand < made->nargs; ++operand) {
    ufunc.n_core.push_back(made->core_enabled ? made->core_num_dims[operand] : 0);
  }
}

void register_loop(PyUFuncObject* made, const std::vector<nb::object>& dtypes, void* data) {
  std::vector<PyArray_Descr*> descriptors;
  PyArray_Descr* record = nullptr;
  for (const nb::object& dtype : dtypes) {
    descriptors.push_back(as_descriptor(dtype));
    if (descriptors.back()->type_num == NPY_VOID) record = descriptors.back();
  }
  NPP_ASSERT(record != nullptr, std::to_string(dtypes.size()));
  const int status =
      PyUFunc_RegisterLoopForDescr(made, record, call_record_loop, descriptors.data(), data);
  if (status < 0) throw nb::python_error();
}

const run::Loop& only_loop(const nb::object& kernel) {
  const run::KernelLibrary& library = *state_of(kernel).library;
  if (!library.declared_loops().empty()) return library.declared_loops().front();
  throw base::Error(
      base::ErrorKind::kSignature,
      format("a ufunc of records needs the units of its dates and durations, found {}\n"
             "  hint: write datetime64[s], and give the fields units",
             library.declaration().signatures.front().text()));
}

}  // namespace

nb::object make_record_ufunc(const nb::object& kernel, const std::vector<nb::object>& dtypes,
                             int n_inputs, const RecordUfuncText& text) {
  auto owned = std::make_unique<RecordUfunc>();
  RecordUfunc& ufunc = *owned;
  ufunc.text = text;
  ufunc.kernel = kernel;
  ufunc.loop = legacy_loop(only_loop(kernel));
  ufunc.dtypes = dtypes;
  ufunc.n_inputs = ufunc.inner().nin;
  for (std::size_t i = 0; i < dtypes.size(); ++i) {
    add_fields(ufunc, static_cast<int>(i), 0, dtypes[i]);
  }
  nb::object result = nb::steal(PyUFunc_FromFuncAndDataAndSignature(
      nullptr, nullptr, nullptr, 0, n_inputs, static_cast<int>(dtypes.size()) - n_inputs,
      PyUFunc_None, ufunc.text.name.c_str(), ufunc.text.doc.c_str(), 0,
      text.layout.empty() ? nullptr : ufunc.text.layout.c_str()));
  if (!result.is_valid()) throw nb::python_error();
  auto* made = reinterpret_cast<PyUFuncObject*>(result.ptr());
  made->obj = PyCapsule_New(owned.get(), kRecordCapsule, delete_record_ufunc);
  if (made->obj == nullptr) throw nb::python_error();
  owned.release();
  ufunc.numpys_resolver = std::exchange(made->type_resolver, resolve_types);
  take_operands(made, ufunc);
  register_loop(made, dtypes, &ufunc);
  return result;
}

}  // namespace numpy_plugin::ufunc
