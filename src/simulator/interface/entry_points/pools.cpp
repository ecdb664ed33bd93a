// Entry points: memory pools.
#include "simulator/interface/objects/pool.hpp"

#include "simulator/interface/objects/device.hpp"

using namespace numpy_plugin::sim;

namespace {

// The device of a location; throws CallError for locations that no pool can have.
std::shared_ptr<Device> find_place(const CUmemLocation& location) {
  require(location.type == CU_MEM_LOCATION_TYPE_DEVICE, CUDA_ERROR_NOT_SUPPORTED,
          "the simulator has pools of device memory only");
  return find_device(location.id);
}

}  // namespace

NPP_EXPORT CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* properties) {
  return answer([&] {
    require_pointer(pool);
    require_pointer(properties);
    require(properties->allocType == CU_MEM_ALLOCATION_TYPE_PINNED, CUDA_ERROR_INVALID_VALUE,
            "a pool's allocations are of type CU_MEM_ALLOCATION_TYPE_PINNED");
    require(properties->handleTypes == CU_MEM_HANDLE_TYPE_NONE, CUDA_ERROR_NOT_SUPPORTED,
            "simulated devices are of one process alone");
    *pool = make_pool(find_place(properties->location)->ordinal(), properties->maxSize);
  });
}

NPP_EXPORT CUresult cuMemPoolDestroy(CUmemoryPool handle) {
  return answer([&] {
    const auto pool = find_pool(handle);
    const bool is_default = find_device(pool->ordinal())->default_pool() == handle;
    require(!is_default, CUDA_ERROR_INVALID_VALUE, "a device's default pool can't be destroyed");
    destroy_pool(pool);
  });
}

NPP_EXPORT CUresult cuMemPoolSetAccess(CUmemoryPool handle, const CUmemAccessDesc* accesses,
                                       std::size_t n_accesses) {
  return answer([&] {
    const auto pool = find_pool(handle);
    if (n_accesses > 0) require_pointer(accesses);
    const std::vector<CUmemAccessDesc> wanted(accesses, accesses + n_accesses);
    for (const CUmemAccessDesc& access : wanted) {
      const int ordinal = find_place(access.location)->ordinal();
      const bool is_none = access.flags == CU_MEM_ACCESS_FLAGS_PROT_NONE;
      require(is_none || access.flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
              CUDA_ERROR_INVALID_VALUE, "access to a pool's memory is to read and write, or none");
      require(!is_none || ordinal != pool->ordinal(), CUDA_ERROR_INVALID_VALUE,
              "a pool's own device can't lose the access to it");
    }
    for (const CUmemAccessDesc& access : wanted) {
      pool->set_access(access.location.id, access.flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    }
  });
}

NPP_EXPORT CUresult cuMemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool pool,
                                       CUmemLocation* location) {
  return answer([&] {
    require_pointer(flags);
    require_pointer(location);
    const int ordinal = find_place(*location)->ordinal();
    *flags = find_pool(pool)->is_accessible_from(ordinal) ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
                                                          : CU_MEM_ACCESS_FLAGS_PROT_NONE;
  });
}

NPP_EXPORT CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute,
                                          void* value) {
  return answer([&] {
    require_pointer(value);
    const bool is_small = attribute <= CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES;
    const cuuint64_t number = is_small ? static_cast<cuuint64_t>(*static_cast<const int*>(value))
                                       : *static_cast<const cuuint64_t*>(value);
    find_pool(pool)->set_attribute(attribute, number);
  });
}

NPP_EXPORT CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute,
                                          void* value) {
  return answer([&] {
    require_pointer(value);
    const cuuint64_t number = find_pool(pool)->attribute(attribute);
    if (attribute <= CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES) {
      *static_cast<int*>(value) = static_cast<int>(number);
    } else {
      *static_cast<cuuint64_t*>(value) = number;
    }
  });
}

NPP_EXPORT CUresult cuMemPoolTrimTo(CUmemoryPool pool, std::size_t kept) {
  return answer([&] { find_pool(pool)->trim(kept); });
}
