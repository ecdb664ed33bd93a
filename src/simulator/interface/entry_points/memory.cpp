// Entry points: device memory, synchronous and stream-ordered, and host memory.
#include "simulator/device/describe.hpp"
#include "simulator/interface/objects/context.hpp"
#include "simulator/interface/objects/host_memory.hpp"
#include "simulator/interface/objects/pool.hpp"

using namespace numpy_plugin::sim;

namespace {

std::uint64_t allocate(const std::shared_ptr<Context>& context, std::size_t n_bytes,
                       const char* entry_point) {
  require(n_bytes > 0, CUDA_ERROR_INVALID_VALUE, "an allocation of 0 bytes");
  require(!context->device().is_allocation_failing(), CUDA_ERROR_OUT_OF_MEMORY);
  Memory& memory = context->memory();
  auto address = memory.allocate(n_bytes, origin_text(entry_point));
  if (!address) {
    context->synchronize();  // pending stream-ordered frees
    address = memory.allocate(n_bytes, origin_text(entry_point));
  }
  if (!address) {
    throw CallError(CUDA_ERROR_OUT_OF_MEMORY, std::to_string(n_bytes) + " bytes asked for; " +
                                                  std::to_string(memory.used_bytes()) + " of " +
                                                  std::to_string(memory.capacity_bytes()) +
                                                  " bytes are in use");
  }
  return *address;
}

void allocate_in_order(CUdeviceptr* address, std::size_t n_bytes, CUmemoryPool pool_handle,
                       CUstream stream_handle) {
  require_pointer(address);
  const auto stream = find_stream(stream_handle, current_context());
  const auto context = stream->context();
  if (pool_handle == nullptr) pool_handle = context->device().default_pool();
  const auto pool = pools().find(pool_handle);
  require(pool->ordinal() == context->device().ordinal(), CUDA_ERROR_INVALID_VALUE,
          "the pool and the stream are of different devices");
  *address = allocate(context, n_bytes, "cuMemAllocAsync");
  pool->add(*address, n_bytes);
}

// The context of the allocation that begins at an address; needs no current context.
std::shared_ptr<Context> find_owner(CUdeviceptr address) {
  std::string place;
  for (const auto& context : contexts().all()) {
    if (host_memory().find(address)) break;
    const auto extent = context->memory().find(address);
    if (extent && extent->begin == address) {
      context->require_device();
      return context;
    }
    const auto nearest = context->memory().nearest(address);
    const bool was_around = nearest && nearest->extent.holds(address, 1);
    if (was_around || (nearest && place.empty())) place = place_text(context->memory(), address, 1);
  }
  throw CallError(CUDA_ERROR_INVALID_VALUE,
                  "no allocation begins at " + address_text(address) + ", which is " + place);
}

// Waits for all work that may use host memory, on any device.
void synchronize_all() {
  for (const auto& context : contexts().all()) context->synchronize();
}

}  // namespace

NPP_EXPORT CUresult cuMemAlloc_v2(CUdeviceptr* address, std::size_t n_bytes) {
  return answer([&] {
    require_pointer(address);
    *address = allocate(current_context(), n_bytes, "cuMemAlloc");
  });
}

NPP_EXPORT CUresult cuMemFree_v2(CUdeviceptr address) {
  return answer([&] {
    if (address == 0) return;
    const auto context = find_owner(address);
    context->synchronize();
    if (const auto pool = find_pool_of(address)) pool->forget(address);
    context->memory().free(address);
  });
}

NPP_EXPORT CUresult cuMemAllocAsync(CUdeviceptr* address, std::size_t n_bytes, CUstream stream) {
  return answer([&] { allocate_in_order(address, n_bytes, nullptr, stream); });
}

NPP_EXPORT CUresult cuMemAllocFromPoolAsync(CUdeviceptr* address, std::size_t n_bytes,
                                            CUmemoryPool pool, CUstream stream) {
  return answer([&] {
    require(pool != nullptr, CUDA_ERROR_INVALID_VALUE, "the pool is null");
    allocate_in_order(address, n_bytes, pool, stream);
  });
}

NPP_EXPORT CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream_handle) {
  return answer([&] {
    const auto stream = find_stream(stream_handle, current_context());
    const auto owner = find_owner(address);
    const auto pool = find_pool_of(address);
    require(pool != nullptr && pool->forget(address), CUDA_ERROR_INVALID_VALUE,
            "the memory was not allocated in stream order, or it is freed already");
    const auto free = [owner, address] { owner->memory().free(address); };
    stream->context()->submit(stream, {free, false});
  });
}

NPP_EXPORT CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute,
                                          void* value) {
  return answer([&] {
    require_pointer(value);
    const bool is_small = attribute <= CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES;
    const cuuint64_t number = is_small ? static_cast<cuuint64_t>(*static_cast<const int*>(value))
                                       : *static_cast<const cuuint64_t*>(value);
    pools().find(pool)->set_attribute(attribute, number);
  });
}

NPP_EXPORT CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute,
                                          void* value) {
  return answer([&] {
    require_pointer(value);
    const cuuint64_t number = pools().find(pool)->attribute(attribute);
    if (attribute <= CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES) {
      *static_cast<int*>(value) = static_cast<int>(number);
    } else {
      *static_cast<cuuint64_t*>(value) = number;
    }
  });
}

NPP_EXPORT CUresult cuMemPoolTrimTo(CUmemoryPool pool, std::size_t) {
  return answer([&] { pools().find(pool); });  // pools hold no reserve
}

NPP_EXPORT CUresult cuMemGetInfo_v2(std::size_t* n_free, std::size_t* n_total) {
  return answer([&] {
    const auto context = current_context();
    const Memory& memory = context->memory();
    if (n_free != nullptr) *n_free = memory.capacity_bytes() - memory.used_bytes();
    if (n_total != nullptr) *n_total = memory.capacity_bytes();
  });
}

NPP_EXPORT CUresult cuMemHostAlloc(void** data, std::size_t n_bytes, unsigned flags) {
  return answer([&] {
    require_pointer(data);
    require(n_bytes > 0, CUDA_ERROR_INVALID_VALUE, "an allocation of 0 bytes");
    HostBlock block;
    block.context = current_context()->handle();
    block.n_bytes = n_bytes;
    block.flags = flags;
    block.origin = origin_text("cuMemHostAlloc");
    *data = host_memory().allocate(block);
  });
}

NPP_EXPORT CUresult cuMemAllocHost_v2(void** data, std::size_t n_bytes) {
  return cuMemHostAlloc(data, n_bytes, 0);
}

NPP_EXPORT CUresult cuMemFreeHost(void* data) {
  return answer([&] {
    synchronize_all();
    host_memory().remove(data, false);
  });
}

NPP_EXPORT CUresult cuMemHostRegister_v2(void* data, std::size_t n_bytes, unsigned flags) {
  return answer([&] {
    require_pointer(data);
    require(n_bytes > 0, CUDA_ERROR_INVALID_VALUE, "a registration of 0 bytes");
    HostBlock block;
    block.context = current_context()->handle();
    block.begin = reinterpret_cast<std::uint64_t>(data);
    block.n_bytes = n_bytes;
    block.flags = flags;
    block.is_registered = true;
    block.origin = origin_text("cuMemHostRegister");
    host_memory().add(block);
  });
}

NPP_EXPORT CUresult cuMemHostUnregister(void* data) {
  return answer([&] {
    synchronize_all();
    host_memory().remove(data, true);
  });
}

NPP_EXPORT CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* address, void* data, unsigned flags) {
  return answer([&] {
    require_pointer(address);
    require(flags == 0, CUDA_ERROR_INVALID_VALUE);
    current_context();
    const auto host_address = reinterpret_cast<std::uint64_t>(data);
    require(host_memory().find(host_address).has_value(), CUDA_ERROR_INVALID_VALUE,
            "the memory is neither pinned nor registered");
    *address = host_address;
  });
}
