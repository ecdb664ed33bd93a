// Bindings: the memory of devices, and allocators of other libraries.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>

#include <cstddef>
#include <span>
#include <string>
#include <tuple>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/run/device/current_device.hpp"
#include "numpy_plugin/run/memory/allocator.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"
#include "numpy_plugin/ufunc/arrays/device_array.hpp"
#include "numpy_plugin/ufunc/bindings/bindings.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

using DevicePointer = std::shared_ptr<run::Device>;

DevicePointer given_or_current(const DevicePointer& device) {
  return device != nullptr ? device : run::current_device();
}

std::tuple<std::size_t, std::size_t, std::size_t, std::size_t> memory_info(
    const DevicePointer& device) {
  const ReleasedGil release;
  const run::MemoryInfo info = run::memory_info(*given_or_current(device));
  return {info.free, info.total, info.used, info.reserved};
}

void trim(const DevicePointer& device, std::size_t n_kept_bytes) {
  const ReleasedGil release;
  run::trim_memory(*given_or_current(device), n_kept_bytes);
}

// The memory that a Python function returned: an object with the attribute ptr.
run::Allocation allocation_of(const nb::object& memory) {
  std::uintptr_t address = 0;
  const bool has_address = nb::hasattr(memory, "ptr") && nb::try_cast(memory.attr("ptr"), address);
  if (has_address && address != 0) return {address, keep_alive(memory)};
  throw base::Error(base::ErrorKind::kType, format("the allocator returned {}; expected an object "
                                                   "whose attribute ptr is the memory's address",
                                                   nb::repr(memory).c_str()));
}

std::shared_ptr<const run::Allocator> allocator_of(const nb::object& allocate) {
  if (allocate.is_none()) return nullptr;
  const std::shared_ptr<void> kept = keep_alive(allocate);
  return std::make_shared<const run::Allocator>(
      [kept](const run::Device& device, std::size_t n_bytes, CUstream stream) {
        const AcquiredGil acquired;
        const nb::handle function(static_cast<PyObject*>(kept.get()));
        return allocation_of(
            function(n_bytes, reinterpret_cast<std::uintptr_t>(stream), device.ordinal()));
      });
}

// The memory of a host array, which driver calls lock and unlock as a whole.
std::span<std::byte> memory_of(const nb::object& array) {
  if (!PyArray_Check(array.ptr()) || !PyArray_ISONESEGMENT(as_array(array))) {
    throw base::Error(
        base::ErrorKind::kType,
        "only a contiguous NumPy array can be page-locked, found " + type_name_of(array));
  }
  return {static_cast<std::byte*>(PyArray_DATA(as_array(array))),
          static_cast<std::size_t>(PyArray_NBYTES(as_array(array)))};
}

void lock_pages(const nb::object& array) {
  const std::span<std::byte> memory = memory_of(array);
  if (memory.empty()) return;
  const DevicePointer device = run::current_device();
  const run::CurrentContext current(*device);
  device->driver().check(
      device->driver().cuMemHostRegister(memory.data(), memory.size(), CU_MEMHOSTREGISTER_PORTABLE),
      format("to page-lock {} bytes of an array", memory.size()));
}

void unlock_pages(const nb::object& array) {
  const std::span<std::byte> memory = memory_of(array);
  if (memory.empty()) return;
  const DevicePointer device = run::current_device();
  const run::CurrentContext current(*device);
  device->driver().check(device->driver().cuMemHostUnregister(memory.data()),
                         "to unlock the pages of an array");
}

}  // namespace

void bind_memory(nb::module_& module) {
  module.def("memory_info", &memory_info, "device"_a.none(),
             "Free and total bytes of a device, bytes used by arrays and reserved by its pool.");
  module.def("trim", &trim, "device"_a.none(), "keep"_a,
             "Give unused memory of a device's pool back, except for some bytes.");
  module.def("lock_pages", &lock_pages, "array"_a,
             "Page-lock the memory of a host array, so that copies of it are asynchronous.");
  module.def("unlock_pages", &unlock_pages, "array"_a, "Undo what `lock_pages` did.");
  module.def(
      "set_allocator",
      [](const nb::object& allocate) { run::set_allocator(allocator_of(allocate)); },
      "allocate"_a.none(),
      nb::sig(
          "def set_allocator(allocate: typing.Callable[[int, int, int], object] | None) -> None"),
      "Set the function that allocates arrays, called with bytes, stream and device.");
}

}  // namespace numpy_plugin::ufunc
