// Only the version is read from the capsule here: nanobind takes ownership, calls its deleter once,
// and rejects a read-only one where the values are to be written.
#include "numpy_plugin/ufunc/arrays/foreign_array.hpp"

#include <nanobind/ndarray.h>

#include <map>
#include <string>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/ufunc/api/hooks.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

constexpr int kCuda = 2;
constexpr int kCudaManaged = 13;

// A capsule's tensor, possibly read-only.
using Readable = nb::ndarray<nb::ro>;
using Writable = nb::ndarray<>;

[[noreturn]] void refuse_dlpack(base::ErrorKind kind, nb::handle owner, const std::string& what) {
  throw base::Error(kind, format("DLPack of '{}' {}", type_name_of(owner), what));
}

struct Request {
  nb::object capsule;
  bool is_ordered = true;  // the owner knows the stream that will use the memory
};

// The number for a producer that is not to order anything.
constexpr std::intptr_t kNoOrder = -1;

// The stream that will use the memory. A producer must not touch one that records.
std::intptr_t stream_number(std::optional<CUstream> theirs, const run::Stream& stream) {
  if (!theirs && stream.recording() != nullptr) return kNoOrder;
  return reinterpret_cast<std::intptr_t>(theirs.value_or(stream.handle()));
}

Request request_capsule(const nb::object& produce, std::intptr_t handle, int n_keywords) {
  if (n_keywords == 0) return {produce(), /*is_ordered=*/false};
  if (n_keywords == 1) return {produce("stream"_a = handle)};
  const nb::tuple newest = nb::make_tuple(nb::dlpack::major_version, nb::dlpack::minor_version);
  return {produce("stream"_a = handle, "max_version"_a = newest)};
}

// The number of keywords that a producer's type takes, of those adopted one by one: each refused
// request costs an exception. Types are few, and kept.
int& known_keywords(nb::handle owner) {
  static auto& numbers = *new std::map<PyTypeObject*, int>;
  const auto [found, is_new] = numbers.emplace(Py_TYPE(owner.ptr()), 2);
  if (is_new) Py_INCREF(found->first);
  return found->second;
}

// The last attempt's exception propagates.
Request request_capsule(nb::handle owner, std::intptr_t handle) {
  const nb::object produce = owner.attr("__dlpack__");
  for (int n = known_keywords(owner);; --n) {
    try {
      Request request = request_capsule(produce, handle, n);
      known_keywords(owner) = n;
      return request;
    } catch (nb::python_error& error) {
      if (n == 0 || !error.matches(PyExc_TypeError)) throw;
    }
  }
}

// The first field of a versioned capsule's tensor.
struct Version {
  std::uint32_t major;
  std::uint32_t minor;
};

void check_version(nb::handle owner, nb::handle capsule) {
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned") == 0) return;
  const auto* const version =
      static_cast<const Version*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned"));
  if (version->major <= nb::dlpack::major_version) return;
  refuse_dlpack(base::ErrorKind::kType, owner,
                format("has version {}; expected 1 or none", version->major));
}

nb::dlpack::dtype_code code_of(const base::DTypeInfo& info) {
  using Code = nb::dlpack::dtype_code;
  if (info.dtype == base::DType::kBFloat16) return Code::Bfloat;
  static constexpr Code kCodes[] = {Code::Bool, Code::Int, Code::UInt, Code::Float, Code::Complex};
  return kCodes[static_cast<std::size_t>(info.kind)];
}

nb::dlpack::dtype dlpack_type(const base::DTypeInfo& info) {
  return {static_cast<std::uint8_t>(code_of(info)), static_cast<std::uint8_t>(8 * info.n_bytes), 1};
}

nb::object dtype_of(nb::handle owner, const nb::dlpack::dtype& type) {
  for (const base::DTypeInfo& info : base::kDTypes) {
    if (dlpack_type(info) != type) continue;
    return checked(
        reinterpret_cast<PyObject*>(PyArray_DescrFromType(numpy_type_number(info.dtype))));
  }
  refuse_dlpack(base::ErrorKind::kType, owner,
                format("has elements of type code {} with {} bits and {} lanes; expected bool, "
                       "integers, floating-point or complex numbers of NumPy's",
                       type.code, type.bits, type.lanes));
}

template <typename Tensor>
ForeignArray describe(nb::handle owner, Tensor tensor) {
  ForeignArray array;
  array.dtype = dtype_of(owner, tensor.dtype());
  const std::int64_t item_bytes = (tensor.dtype().bits + 7) / 8;
  array.address = reinterpret_cast<std::uint64_t>(tensor.data_handle()) + tensor.byte_offset();
  array.shape.assign(tensor.shape_ptr(), tensor.shape_ptr() + tensor.ndim());
  array.strides.emplace();
  for (std::size_t axis = 0; axis < tensor.ndim(); ++axis) {
    array.strides->push_back(tensor.stride(axis) * item_bytes);
  }
  array.owner = std::shared_ptr<void>(new Tensor(std::move(tensor)), [](void* kept) {
    free_with_python([kept] { delete static_cast<Tensor*>(kept); });
  });
  return array;
}

// The current stream of an array's library, where it has one.
std::optional<CUstream> stream_of(nb::handle owner) {
  const nb::object handle = hooks().stream_of(owner);
  if (handle.is_none()) return std::nullopt;
  return reinterpret_cast<CUstream>(nb::cast<std::uintptr_t>(handle));
}

[[noreturn]] void refuse_export(const std::string& what) {
  PyErr_SetString(PyExc_BufferError, ("DLPack can't represent " + what).c_str());
  throw nb::python_error();
}

nb::dlpack::dtype exported_type(const DeviceArray& array) {
  const auto dtype = dtype_of_number(as_descriptor(array.dtype)->type_num);
  if (dtype) return dlpack_type(base::info(*dtype));
  refuse_export(std::string("values of dtype ") + nb::str(array.dtype).c_str());
}

std::vector<std::int64_t> exported_strides(const run::ArrayLayout& layout) {
  std::vector<std::int64_t> strides;
  for (const std::int64_t stride : layout.strides) {
    if (stride % layout.item_bytes != 0) {
      refuse_export("strides that are not multiples of the element's size");
    }
    strides.push_back(stride / layout.item_bytes);
  }
  return strides;
}

// An array's memory while a consumer has it. What the consumer has submitted by the time it gives
// the memory back comes before all later uses.
struct Lease {
  nb::object stream = {};  // keeps the consumer's stream, where its library has an object for it
  DeviceArray array;
  run::Loan loan = {};

  explicit Lease(const DeviceArray& lent) : array(lent) {}
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease() {
    if (loan.consumer == nullptr) return;
    const ReleasedGil release;
    std::shared_ptr<run::DeviceBuffer> buffer = std::move(array.memory.buffer);
    const std::shared_ptr<run::Device> device = buffer->device();
    try {
      const run::CurrentContext current(*device);
      buffer->take_back(loan, buffer.use_count() == 1);
      buffer = nullptr;
    } catch (const base::Error&) {
      wait_for(*device);
    }
  }

 private:
  // The consumer has destroyed its stream, whose work may still run.
  static void wait_for(const run::Device& device) noexcept {
    try {
      device.synchronize();
    } catch (const base::Error&) {  // a lost device: nothing runs on it any more
    }
  }
};

template <typename... Constness>
nb::object make_exporter(const DeviceArray& array, const nb::object& lease) {
  const auto& layout = array.layout();
  const std::vector<std::size_t> shape(layout.shape.begin(), layout.shape.end());
  const std::vector<std::int64_t> strides = exported_strides(layout);
  return nb::cast(nb::ndarray<nb::array_api, Constness...>(
      reinterpret_cast<void*>(array.memory.address()), shape.size(), shape.data(), lease,
      strides.data(), exported_type(array), kCuda, array.device()->ordinal()));
}

// None means the legacy default stream, -1 a consumer that needs no ordering: nullopt.
std::optional<CUstream> consumer_stream(nb::handle stream) {
  std::intptr_t handle = 1;
  if (!stream.is_none() && (!nb::try_cast(stream, handle) || handle == 0 || handle < -1)) {
    throw base::Error(base::ErrorKind::kValue,
                      format("stream must be None, -1 (no order), 1 (legacy default), 2 (per "
                             "thread) or a stream's handle, found {}",
                             nb::repr(stream).c_str()));
  }
  if (handle == kNoOrder) return std::nullopt;
  return reinterpret_cast<CUstream>(handle);
}

}  // namespace

bool DlpackDevice::is_cuda() const { return type == kCuda || type == kCudaManaged; }

DlpackDevice dlpack_device(nb::handle owner) {
  const nb::object device = owner.attr("__dlpack_device__")();
  DlpackDevice result;
  const bool is_pair = nb::isinstance<nb::tuple>(device) && nb::len(device) == 2;
  if (is_pair) {
    result.type = nb::cast<int>(nb::int_(device[0]));  // an enum or an int
    result.number = nb::cast<int>(nb::int_(device[1]));
    return result;
  }
  refuse_dlpack(base::ErrorKind::kType, owner,
                format("has device {}; expected a type and a number", nb::repr(device).c_str()));
}

ForeignArray read_dlpack(nb::handle owner, run::Stream& stream) {
  const std::optional<CUstream> theirs = stream_of(owner);
  const Request request = request_capsule(owner, stream_number(theirs, stream));
  check_version(owner, request.capsule);
  ForeignArray array;
  Writable writable;
  Readable readable;
  if (nb::try_cast(request.capsule, writable)) {
    array = describe(owner, std::move(writable));
  } else if (nb::try_cast(request.capsule, readable)) {
    array = describe(owner, std::move(readable));
    array.is_read_only = true;
  } else {
    refuse_dlpack(
        base::ErrorKind::kType, owner,
        format("is {}; expected a capsule with a tensor", nb::repr(request.capsule).c_str()));
  }
  array.stream = theirs;
  array.is_after_default = !theirs && !request.is_ordered;
  array.is_before_ours = !theirs && request.is_ordered;
  return array;
}

nb::object dlpack_capsule(const DeviceArray& array, const DlpackRequest& request) {
  const bool is_copied = request.copy.ptr() == Py_True;
  const DeviceArray exported = is_copied ? copy(array, run::current_stream(array.device())) : array;
  const std::optional<CUstream> consumer = consumer_stream(request.stream);
  auto* const leased = new Lease(exported);
  const nb::capsule lease(leased, [](void* owned) noexcept { delete static_cast<Lease*>(owned); });
  const nb::object exporter = exported.memory.buffer->is_read_only()
                                  ? make_exporter<nb::ro>(exported, lease)
                                  : make_exporter<>(exported, lease);
  nb::object capsule = exporter.attr("__dlpack__")("max_version"_a = request.max_version,
                                                   "dl_device"_a = request.dl_device);
  if (!consumer) return capsule;
  leased->stream = hooks().stream_object(reinterpret_cast<std::uintptr_t>(*consumer));
  const ReleasedGil release;
  leased->loan = exported.memory.buffer->lend(*consumer);
  return capsule;
}

nb::tuple dlpack_device_of(const DeviceArray& array) {
  return nb::make_tuple(kCuda, array.device()->ordinal());
}

}  // namespace numpy_plugin::ufunc
