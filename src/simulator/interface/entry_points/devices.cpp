// Entry points: initialization, devices and their attributes.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include "simulator/device/visible_devices.hpp"
#include "simulator/handlers/handlers.hpp"
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

NPP_EXPORT CUresult cuInit(unsigned flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  begin_call();
  try {
    const std::string reason = why_no_handlers();
    require(reason.empty(), CUDA_ERROR_NOT_SUPPORTED, reason.c_str());
    set_initialized();
    require_ready();
    require(count_devices() > 0, CUDA_ERROR_NO_DEVICE);
    return CUDA_SUCCESS;
  } catch (...) {
    return fail_call();
  }
}

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
    const std::array<char, 16> bytes = device_uuid(find_device(device)->number());
    std::memcpy(uuid->bytes, bytes.data(), bytes.size());
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
    const std::shared_ptr<Device> found = find_device(device);
    *value = device_attribute(found->architecture(), found->number(), attribute);
  });
}

NPP_EXPORT CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  return answer([&] {
    require_pointer(major);
    require_pointer(minor);
    const int number = find_device(device)->architecture().number();
    *major = number / 10;
    *minor = number % 10;
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
    const int number = find_device(device)->number();
    char id[16];  // domain:bus:device.function
    std::snprintf(id, sizeof id, "%04x:%02x:00.0", kPciDomain, number & 0xff);
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
