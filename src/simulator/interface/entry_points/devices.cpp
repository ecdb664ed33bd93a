// Entry points: devices and their attributes.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "simulator/interface/objects/device.hpp"
#include "simulator/interface/objects/pool.hpp"

using namespace numpy_plugin::sim;

namespace {

void copy_text(const std::string& text, char* to, int n_bytes) {
  require_pointer(to);
  require(n_bytes > 0, CUDA_ERROR_INVALID_VALUE);
  const std::size_t n_copied = std::min(text.size(), static_cast<std::size_t>(n_bytes) - 1);
  std::memcpy(to, text.data(), n_copied);
  to[n_copied] = '\0';
}

}  // namespace

NPP_EXPORT CUresult cuDeviceGetCount(int* count) {
  return answer([&] {
    require_pointer(count);
    *count = count_devices();
  });
}

NPP_EXPORT CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return answer([&] {
    require_pointer(device);
    *device = find_device(ordinal)->ordinal();
  });
}

NPP_EXPORT CUresult cuDeviceGetName(char* name, int n_bytes, CUdevice device) {
  return answer([&] { copy_text(find_device(device)->name(), name, n_bytes); });
}

NPP_EXPORT CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) {
  return answer([&] {
    require_pointer(uuid);
    find_device(device);
    std::memset(uuid, 0, sizeof *uuid);
    std::snprintf(uuid->bytes, sizeof uuid->bytes, "npp simulator%02x",
                  static_cast<unsigned>(device) & 0xff);
  });
}

#undef cuDeviceGetUuid
NPP_EXPORT CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  return cuDeviceGetUuid_v2(uuid, device);
}

NPP_EXPORT CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute,
                                         CUdevice device) {
  return answer([&] {
    require_pointer(value);
    *value = device_attribute(find_device(device)->architecture(), device, attribute);
  });
}

NPP_EXPORT CUresult cuDeviceTotalMem_v2(std::size_t* n_bytes, CUdevice device) {
  return answer([&] {
    require_pointer(n_bytes);
    *n_bytes = find_device(device)->options().memory_bytes;
  });
}

NPP_EXPORT CUresult cuDeviceGetPCIBusId(char* text, int n_bytes, CUdevice device) {
  return answer([&] {
    find_device(device);
    char id[16];  // domain:bus:device.function
    std::snprintf(id, sizeof id, "%04x:%02x:00.0", kPciDomain, device & 0xff);
    copy_text(id, text, n_bytes);
  });
}

NPP_EXPORT CUresult cuDeviceCanAccessPeer(int* can_access, CUdevice device, CUdevice peer) {
  return answer([&] {
    require_pointer(can_access);
    find_device(device);
    find_device(peer);
    *can_access = device == peer ? 0 : 1;
  });
}

NPP_EXPORT CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) {
  return answer([&] {
    require_pointer(pool);
    *pool = find_device(device)->default_pool();
  });
}

NPP_EXPORT CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice device) {
  return answer([&] {
    require_pointer(pool);
    *pool = find_device(device)->current_pool();
  });
}

NPP_EXPORT CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
  return answer([&] {
    require(find_pool(pool)->ordinal() == find_device(device)->ordinal(), CUDA_ERROR_INVALID_VALUE,
            "the pool is of another device");
    find_device(device)->set_current_pool(pool);
  });
}
