// Entry points: attributes of pointers.
#include <functional>
#include <optional>

#include "simulator/interface/objects/context.hpp"
#include "simulator/interface/objects/host_memory.hpp"
#include "simulator/interface/objects/pool.hpp"

using namespace numpy_plugin::sim;

namespace {

// The allocation that contains an address.
struct Pointer {
  std::uint64_t address = 0;
  std::uint64_t begin = 0;
  std::uint64_t n_bytes = 0;
  CUcontext context = nullptr;
  int ordinal = 0;
  bool is_host = false;  // which the host can access
  bool is_managed = false;
};

std::optional<Pointer> find_pointer(std::uint64_t address) {
  if (const auto block = host_memory().find(address)) {
    const auto context = contexts().find_if_any(block->context);
    const int ordinal = context == nullptr ? 0 : context->device().ordinal();
    const bool is_managed = block->kind == HostBlock::Kind::kManaged;
    return Pointer{address, block->begin,     block->n_bytes, block->context,
                   ordinal, /*is_host=*/true, is_managed};
  }
  for (const auto& context : contexts().all()) {
    if (const auto extent = context->memory().find(address)) {
      return Pointer{address,
                     extent->begin,
                     extent->end - extent->begin,
                     context->handle(),
                     context->device().ordinal(),
                     /*is_host=*/false,
                     /*is_managed=*/false};
    }
  }
  return std::nullopt;
}

CUmemoryPool pool_handle_of(const Pointer& pointer) {
  const auto pool = pointer.is_host ? nullptr : find_pool_of(pointer.begin);
  return pool == nullptr ? nullptr : pool->handle();
}

template <typename Value>
void store(void* to, Value value) {
  *static_cast<Value*>(to) = value;
}

void read_attribute(const Pointer& pointer, CUpointer_attribute attribute, void* to) {
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return store(to, pointer.context);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return store<unsigned>(
          to, pointer.is_host && !pointer.is_managed ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return store<CUdeviceptr>(to, pointer.address);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      require(pointer.is_host, CUDA_ERROR_INVALID_VALUE, "the host has no address for it");
      return store(to, reinterpret_cast<void*>(pointer.address));
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      return store<unsigned long long>(to, pointer.begin);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return store(to, pointer.is_managed);
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
      return store(to, false);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return store(to, pointer.ordinal);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return store<CUdeviceptr>(to, pointer.begin);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      return store<std::size_t>(to, pointer.n_bytes);
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return store(to, true);
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
      return store<unsigned long long>(to, 0);
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      return store<unsigned>(to, CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE);
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      return store(to, pool_handle_of(pointer));
    default:
      throw CallError(CUDA_ERROR_INVALID_VALUE, "an address has no such attribute");
  }
}

// Defaults of cuPointerGetAttributes for missing values.
void clear_attribute(CUpointer_attribute attribute, void* to) {
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return store(to, false);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      return store<unsigned>(to, 0);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return store(to, -2);  // CUDA's value for memory unknown to all devices
    default:
      return store<std::uint64_t>(to, 0);
  }
}

}  // namespace

NPP_EXPORT CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute,
                                          CUdeviceptr address) {
  return answer([&] {
    require_pointer(value);
    const auto pointer = find_pointer(address);
    require(pointer.has_value(), CUDA_ERROR_INVALID_VALUE, "no allocation is around the address");
    read_attribute(*pointer, attribute, value);
  });
}

NPP_EXPORT CUresult cuPointerGetAttributes(unsigned n_attributes, CUpointer_attribute* attributes,
                                           void** values, CUdeviceptr address) {
  return answer([&] {
    require_pointer(attributes);
    require_pointer(values);
    const auto pointer = find_pointer(address);
    for (unsigned index = 0; index < n_attributes; ++index) {
      clear_attribute(attributes[index], values[index]);
      const bool is_host_address = attributes[index] == CU_POINTER_ATTRIBUTE_HOST_POINTER;
      if (!pointer || (is_host_address && !pointer->is_host)) continue;
      read_attribute(*pointer, attributes[index], values[index]);
    }
  });
}

NPP_EXPORT CUresult cuMemGetAddressRange_v2(CUdeviceptr* begin, std::size_t* n_bytes,
                                            CUdeviceptr address) {
  return answer([&] {
    current_context();
    const auto pointer = find_pointer(address);
    require(pointer.has_value(), CUDA_ERROR_NOT_FOUND, "no allocation is around the address");
    if (begin != nullptr) *begin = pointer->begin;
    if (n_bytes != nullptr) *n_bytes = pointer->n_bytes;
  });
}
