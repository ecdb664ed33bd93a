#include "numpy_plugin/ufunc/arguments/call_operands.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"
#include "numpy_plugin/ufunc/loops/promotion.hpp"
#include "numpy_plugin/ufunc/loops/time_loops.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

using base::DType;

NPY_CASTING casting_of(PyObject* ufunc, const UfuncState& state, const CallArguments& call) {
  NPY_CASTING casting = NPY_DEFAULT_ASSIGN_CASTING;
  if (!call.casting.is_valid()) return casting;
  if (PyArray_CastingConverter(call.casting.ptr(), &casting) == NPY_SUCCEED) return casting;
  PyErr_Clear();
  raise_numpys_error(ufunc, state, call.given, "an invalid casting mode");
}

// Cache key of NumPy's resolution; empty where it must not be cached.
std::string cache_key(NPY_CASTING casting, const CallArguments& call,
                      const CallOperands& operands) {
  if (call.dtype.is_valid() || call.signature.is_valid()) return {};
  std::string key(1, static_cast<char>(casting));
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].type == kOtherType) return {};
    key.push_back(static_cast<char>(operands[i].type));
    key.push_back(static_cast<char>(operands[i].kind));  // values are not stored in their dtype
  }
  return key;
}

// dtype= names all outputs' dtypes, like a signature without the inputs'.
nb::object signature_of(const CallArguments& call) {
  if (call.signature.is_valid()) return nb::borrow(call.signature);
  if (!call.dtype.is_valid() || call.dtype.is_none()) return nb::none();
  nb::list signature;
  for (std::size_t i = 0; i < call.n_operands(); ++i) {
    signature.append(i < call.n_inputs ? nb::none() : nb::handle(call.dtype));
  }
  return nb::tuple(signature);
}

std::vector<nb::object> ask_numpy(PyObject* ufunc, const CallArguments& call,
                                  const CallOperands& operands, nb::handle casting) {
  nb::list types;
  for (std::size_t i = 0; i < operands.size(); ++i) types.append(type_for_resolution(operands[i]));
  nb::dict named;
  const nb::object signature = signature_of(call);
  if (!signature.is_none()) named["signature"] = signature;
  if (casting.is_valid()) named["casting"] = casting;
  const TypesOnly types_only;
  const nb::object found = nb::handle(ufunc).attr("resolve_dtypes")(nb::tuple(types), **named);
  std::vector<nb::object> dtypes;
  for (const nb::handle dtype : found) dtypes.push_back(nb::borrow(dtype));
  return dtypes;
}

// Whether a dtype is the default one of a Python number.
bool is_own_dtype(std::uint8_t weak, const nb::object& dtype) {
  const auto known = dtype_of_descriptor(as_descriptor(dtype));
  if (weak == kWeakInt) return known == DType::kInt64;
  if (weak == kWeakFloat) return known == DType::kFloat64;
  return weak != kWeakComplex || known == DType::kComplex128;
}

// Under "equiv", casting a Python number is an error; resolving dtypes alone crashes NumPy there.
void check_equivalent_numbers(PyObject* ufunc, const UfuncState& state, const CallArguments& call,
                              const CallOperands& operands) {
  const nb::str unsafe("unsafe");
  const std::vector<nb::object> dtypes = ask_numpy(ufunc, call, operands, unsafe);
  for (std::size_t i = 0; i < operands.n_inputs(); ++i) {
    if (is_own_dtype(operands[i].type, dtypes[i])) continue;
    raise_numpys_error(ufunc, state, call.given, "a number is not of the loop's dtype");
  }
}

std::vector<DType> kernel_dtypes(const UfuncState& state, const std::vector<nb::object>& dtypes) {
  std::vector<DType> result;
  for (const nb::object& dtype : dtypes) {
    const auto known = dtype_of_descriptor(as_descriptor(dtype));
    NPP_ASSERT(known.has_value(), format("a loop of '{}' has no kernel's dtype", state.name));
    result.push_back(*known);
  }
  return result;
}

// Loops of Python ints have the dtypes of others, in another class of NumPy's.
const LazyLoop* find_lazy_loop(const UfuncState& state, const std::vector<nb::object>& dtypes) {
  return state.lazy_loops.find([&dtypes](const LazyLoop& loop) {
    return std::equal(dtypes.begin(), dtypes.end(), loop.codes.begin(), loop.codes.end(),
                      [](const nb::object& dtype, int code) {
                        return operand_code(as_descriptor(dtype)) == code;
                      });
  });
}

[[noreturn]] void refuse_dtype(const UfuncState& state, nb::handle dtype) {
  throw base::Error(base::ErrorKind::kType,
                    format("kernels of '{}' can't read or write memory of dtype {} on a device",
                           state.name, nb::str(dtype).c_str()));
}

std::vector<DType> stored_dtypes(const UfuncState& state, const CallOperands& operands,
                                 std::vector<DType> loop_dtypes) {
  const auto& layout = state.library->declaration().layout;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const bool has_memory =
        operands[i].kind == Operand::Kind::kDevice || operands[i].kind == Operand::Kind::kHost;
    if (!has_memory) continue;
    if (operands[i].type == kOtherType) refuse_dtype(state, type_for_resolution(operands[i]));
    // Elementwise kernels cast as they read; units are converted before the launch.
    if (!layout && has_other_unit(operands[i], loop_dtypes[i])) continue;
    loop_dtypes[i] = static_cast<DType>(operands[i].type);
  }
  return loop_dtypes;
}

std::shared_ptr<const ResolvedLoop> resolve(PyObject* ufunc, const UfuncState& state,
                                            const CallArguments& call, const CallOperands& operands,
                                            NPY_CASTING casting) {
  if (casting == NPY_EQUIV_CASTING) check_equivalent_numbers(ufunc, state, call, operands);
  auto resolved = std::make_shared<ResolvedLoop>();
  resolved->dtypes = ask_numpy(ufunc, call, operands, call.casting);
  resolved->loop_dtypes = kernel_dtypes(state, resolved->dtypes);
  const LazyLoop* const lazy = find_lazy_loop(state, resolved->dtypes);
  resolved->loop = lazy != nullptr ? lazy->loop : find_loop(state, resolved->loop_dtypes);
  resolved->stored = stored_dtypes(state, operands, resolved->loop_dtypes);
  return resolved;
}

// Converts common numbers without NumPy; false for others and for those that may overflow.
bool write_float(const Operand& operand, DType dtype, std::byte* to) {
  if (!PyFloat_CheckExact(operand.object.ptr())) return false;
  const double value = PyFloat_AS_DOUBLE(operand.object.ptr());
  if (dtype == DType::kFloat64) {
    std::memcpy(to, &value, sizeof(value));
    return true;
  }
  const auto narrow = static_cast<float>(value);
  if (dtype != DType::kFloat32 || std::isfinite(narrow) != std::isfinite(value)) return false;
  std::memcpy(to, &narrow, sizeof(narrow));
  return true;
}

// Copies NumPy scalars that have the loop's dtype already.
bool write_scalar(const Operand& operand, DType dtype, std::byte* to) {
  const bool is_same = operand.type == static_cast<std::uint8_t>(dtype) &&
                       dtype != DType::kBFloat16 && PyArray_IsScalar(operand.object.ptr(), Generic);
  if (is_same) PyArray_ScalarAsCtype(operand.object.ptr(), to);
  return is_same;
}

}  // namespace

bool has_other_unit(const Operand& operand, DType loop_dtype) {
  const auto own = static_cast<DType>(operand.type);
  return base::is_time(loop_dtype) && operand.type < kWeakInt && base::is_time(own) &&
         own != loop_dtype;
}

void require_unit(const UfuncState& state, DType stored, DType loop_dtype) {
  if (!base::is_time(stored) || !base::is_time(loop_dtype) || stored == loop_dtype) return;
  throw base::Error(
      base::ErrorKind::kType,
      format("methods of '{}' take {} on a device, found {}; convert the array with astype(\"{}\")",
             state.name, base::name(loop_dtype), base::name(stored), base::name(loop_dtype)));
}

DType kernel_dtype(const UfuncState& state, nb::handle dtype) {
  const auto known = dtype_of_descriptor(as_descriptor(dtype));
  if (!known) refuse_dtype(state, dtype);
  return *known;
}

// Releases the GIL: another thread may be compiling a loop of this ufunc.
const run::Loop* find_loop(const UfuncState& state, const std::vector<DType>& dtypes) {
  const ReleasedGil release;
  for (const run::Loop* loop : state.library->loops()) {
    if (operand_dtypes(*loop) == dtypes) return loop;
  }
  NPP_ASSERT(false, format("NumPy resolved '{}' to a loop that does not exist", state.name));
  return nullptr;
}

std::shared_ptr<const ResolvedLoop> resolve_loop(PyObject* ufunc, UfuncState& state,
                                                 const CallArguments& call,
                                                 const CallOperands& operands) {
  const NPY_CASTING casting = casting_of(ufunc, state, call);
  const std::string key = cache_key(casting, call, operands);
  if (key.empty()) return resolve(ufunc, state, call, operands, casting);
  if (const auto found = state.resolved.find(key); found != state.resolved.end()) {
    return found->second;
  }
  auto resolved = resolve(ufunc, state, call, operands, casting);
  state.resolved.emplace(key, resolved);
  return resolved;
}

std::shared_ptr<const run::DeviceLoop> device_loop(UfuncState& state, const ResolvedLoop& resolved,
                                                   const std::shared_ptr<run::Device>& device) {
  const bool is_known =
      !resolved.device.owner_before(device) && !device.owner_before(resolved.device);
  if (is_known) {
    if (auto loop = resolved.device_loop.lock()) return loop;
  }
  auto loop = state.library->device_loop(device, *resolved.loop, resolved.stored);
  resolved.device = device;
  resolved.device_loop = loop;
  return loop;
}

void write_value(const Operand& operand, const nb::object& dtype, std::byte* to) {
  const auto known = dtype_of_descriptor(as_descriptor(dtype));
  if (known && (write_float(operand, *known, to) || write_scalar(operand, *known, to))) return;
  if (PyArray_Pack(as_descriptor(dtype), to, operand.object.ptr()) < 0) throw nb::python_error();
}

}  // namespace numpy_plugin::ufunc
