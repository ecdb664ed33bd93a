// Entry points: fills. Those without a stream are synchronous work of the legacy stream, as the
// host may access pinned memory next.
#include "simulator/interface/work/transfer.hpp"

using namespace numpy_plugin::sim;

namespace {

CUresult fill(const Fill& fill, CUstream stream, Waiting waiting,
              const std::source_location& entry_point = std::source_location::current()) {
  return answer(entry_point,
                [&] { fill_in_order(fill, find_stream(stream, current_context()), waiting); });
}

}  // namespace

#define NPP_FILLS(bits, Element)                                                                  \
  NPP_EXPORT CUresult cuMemsetD##bits##Async(CUdeviceptr address, Element element,                \
                                             std::size_t count, CUstream stream) {                \
    return fill({address, 0, element, sizeof(Element), count, 1}, stream, Waiting::kNo);          \
  }                                                                                               \
  NPP_EXPORT CUresult cuMemsetD##bits##_v2(CUdeviceptr address, Element element,                  \
                                           std::size_t count) {                                   \
    return fill({address, 0, element, sizeof(Element), count, 1}, nullptr, Waiting::kYes);        \
  }                                                                                               \
  NPP_EXPORT CUresult cuMemsetD2D##bits##Async(CUdeviceptr address, std::size_t pitch,            \
                                               Element element, std::size_t width,                \
                                               std::size_t height, CUstream stream) {             \
    return fill({address, pitch, element, sizeof(Element), width, height}, stream, Waiting::kNo); \
  }                                                                                               \
  NPP_EXPORT CUresult cuMemsetD2D##bits##_v2(CUdeviceptr address, std::size_t pitch,              \
                                             Element element, std::size_t width,                  \
                                             std::size_t height) {                                \
    return fill({address, pitch, element, sizeof(Element), width, height}, nullptr,               \
                Waiting::kYes);                                                                   \
  }

NPP_FILLS(8, unsigned char)
NPP_FILLS(16, unsigned short)
NPP_FILLS(32, unsigned)
