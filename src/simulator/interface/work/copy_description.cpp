#include "simulator/interface/work/transfer.hpp"

namespace numpy_plugin::sim {
namespace {

using Kind = CopyEnd::Kind;

// One end of a copy.
struct Described {
  CUmemorytype type;
  const void* host;
  CUdeviceptr device;
  std::size_t pitch;
  std::size_t height;  // rows from one slice to the next; 0: no slices
  std::size_t x;       // bytes
  std::size_t y;
  std::size_t z;
};

constexpr std::size_t kMostPitch = INT32_MAX;

Kind kind_of(CUmemorytype type) {
  require(type != CU_MEMORYTYPE_ARRAY, CUDA_ERROR_NOT_SUPPORTED,
          "the simulator has no CUDA arrays");
  require(
      type == CU_MEMORYTYPE_HOST || type == CU_MEMORYTYPE_DEVICE || type == CU_MEMORYTYPE_UNIFIED,
      CUDA_ERROR_INVALID_VALUE, "there is no such type of memory");
  return type == CU_MEMORYTYPE_HOST     ? Kind::kHost
         : type == CU_MEMORYTYPE_DEVICE ? Kind::kDevice
                                        : Kind::kAny;
}

CopyEnd end_of(const Described& part, const Copy& size) {
  const Kind kind = kind_of(part.type);
  const bool has_slices = size.depth > 1 || part.z > 0;
  const bool has_rows = size.height > 1 || part.y > 0 || has_slices;
  require(!has_rows || (part.pitch >= size.width && part.pitch - size.width >= part.x),
          CUDA_ERROR_INVALID_VALUE, "a row of a copy is longer than its pitch");
  require(part.pitch <= kMostPitch, CUDA_ERROR_INVALID_VALUE,
          "a pitch of a copy is longer than CU_DEVICE_ATTRIBUTE_MAX_PITCH");
  require(!has_slices || (part.height >= size.height && part.height - size.height >= part.y),
          CUDA_ERROR_INVALID_VALUE, "a slice of a copy has more rows than its height");
  const std::uint64_t base =
      kind == Kind::kHost ? reinterpret_cast<std::uint64_t>(part.host) : part.device;
  const std::uint64_t slice = part.pitch * part.height;
  return {kind, base + part.z * slice + part.y * part.pitch + part.x, part.pitch, slice};
}

Copy copy_of(const Described& to, const Described& from, Copy size) {
  size.to = end_of(to, size);
  size.from = end_of(from, size);
  return size;
}

}  // namespace

Copy describe_copy(const CUDA_MEMCPY2D& copy) {
  const Described to{copy.dstMemoryType,
                     copy.dstHost,
                     copy.dstDevice,
                     copy.dstPitch,
                     0,
                     copy.dstXInBytes,
                     copy.dstY,
                     0};
  const Described from{copy.srcMemoryType,
                       copy.srcHost,
                       copy.srcDevice,
                       copy.srcPitch,
                       0,
                       copy.srcXInBytes,
                       copy.srcY,
                       0};
  return copy_of(to, from,
                 {.to = {}, .from = {}, .width = copy.WidthInBytes, .height = copy.Height});
}

Copy describe_copy(const CUDA_MEMCPY3D& copy) {
  const Described to{copy.dstMemoryType, copy.dstHost,     copy.dstDevice, copy.dstPitch,
                     copy.dstHeight,     copy.dstXInBytes, copy.dstY,      copy.dstZ};
  const Described from{copy.srcMemoryType, copy.srcHost,     copy.srcDevice, copy.srcPitch,
                       copy.srcHeight,     copy.srcXInBytes, copy.srcY,      copy.srcZ};
  return copy_of(to, from,
                 {.to = {},
                  .from = {},
                  .width = copy.WidthInBytes,
                  .height = copy.Height,
                  .depth = copy.Depth});
}

}  // namespace numpy_plugin::sim
