#include "numpy_plugin/ufunc/object/call_hook.hpp"

#include <algorithm>
#include <cstring>

#include "numpy_plugin/system/pages.hpp"
#include "numpy_plugin/system/settings.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

constexpr const char* kCapsuleName = "mem_handler";  // as NEP 49 prescribes
// Operands and results from which on the pool is used; smaller blocks stay mapped in malloc().
constexpr npy_intp kManyElements = npy_intp{1} << 20;
constexpr std::size_t kLeastBytes = std::size_t{8} << 20;

std::size_t kept_bytes() {
  static const std::uint64_t limit = system::setting_bytes(system::Setting::kKeptMemory);
  return static_cast<std::size_t>(limit);
}

// Leaked on purpose: arrays may outlive static objects.
system::PagePool& pool() {
  static auto* const made = new system::PagePool(kept_bytes());
  return *made;
}

const PyDataMemAllocator& numpys_allocator() {
  static const auto* const handler = static_cast<const PyDataMem_Handler*>(
      PyCapsule_GetPointer(PyDataMem_DefaultHandler, kCapsuleName));
  return handler->allocator;
}

void* allocate(void*, std::size_t n_bytes) noexcept {
  if (n_bytes >= kLeastBytes) {
    if (void* const block = pool().allocate(n_bytes)) return block;
  }
  const PyDataMemAllocator& numpys = numpys_allocator();
  return numpys.malloc(numpys.ctx, n_bytes);
}

void* allocate_zeros(void*, std::size_t n_elements, std::size_t n_bytes) noexcept {
  const PyDataMemAllocator& numpys = numpys_allocator();
  return numpys.calloc(numpys.ctx, n_elements, n_bytes);
}

void free_memory(void*, void* memory, std::size_t n_bytes) noexcept {
  if (pool().free(memory)) return;
  const PyDataMemAllocator& numpys = numpys_allocator();
  numpys.free(numpys.ctx, memory, n_bytes);
}

void* reallocate(void* context, void* memory, std::size_t n_bytes) noexcept {
  const std::size_t n_old = pool().size_of(memory);
  if (n_old == 0) {
    const PyDataMemAllocator& numpys = numpys_allocator();
    return numpys.realloc(numpys.ctx, memory, n_bytes);
  }
  void* const moved = allocate(context, n_bytes);
  if (moved == nullptr) return nullptr;
  std::memcpy(moved, memory, std::min(n_old, n_bytes));
  pool().free(memory);
  return moved;
}

nb::object make_handler() {
  static PyDataMem_Handler handler = {
      "numpy_plugin", 1, {nullptr, allocate, allocate_zeros, reallocate, free_memory}};
  nb::object capsule = nb::steal(PyCapsule_New(&handler, kCapsuleName, nullptr));
  if (!capsule.is_valid()) throw nb::python_error();
  return capsule;
}

PyObject* our_handler() {
  static PyObject* const handler = make_handler().release().ptr();
  return handler;
}

bool has_many_elements(const GivenArguments& given) {
  return std::any_of(given.values, given.values + given.n_positional, [](PyObject* value) {
    return PyArray_Check(value) && PyArray_SIZE(as_array(value)) >= kManyElements;
  });
}

bool has_numpys_handler() {
  const nb::object current = nb::steal(PyDataMem_GetHandler());
  if (!current.is_valid()) throw nb::python_error();
  return current.ptr() == PyDataMem_DefaultHandler;
}

}  // namespace

ResultMemoryScope::ResultMemoryScope(const GivenArguments& given) {
  if (!has_many_elements(given) || kept_bytes() == 0 || !has_numpys_handler()) return;
  before_ = nb::steal(PyDataMem_SetHandler(our_handler()));
  if (!before_.is_valid()) throw nb::python_error();
}

ResultMemoryScope::~ResultMemoryScope() {
  if (!before_.is_valid()) return;
  const nb::error_scope call_error;
  const nb::object ours = nb::steal(PyDataMem_SetHandler(before_.ptr()));
  if (!ours.is_valid()) PyErr_Clear();
}

}  // namespace numpy_plugin::ufunc
