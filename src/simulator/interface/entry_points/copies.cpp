// Entry points: copies.
#include "simulator/device/memory.hpp"
#include "simulator/interface/objects/capture.hpp"
#include "simulator/interface/work/transfer.hpp"

using namespace numpy_plugin::sim;

namespace {

using Kind = CopyEnd::Kind;

CopyEnd device_end(CUdeviceptr address) { return {Kind::kDevice, address, 0}; }
CopyEnd host_end(const void* data) {
  return {Kind::kHost, reinterpret_cast<std::uint64_t>(data), 0};
}
CopyEnd any_end(CUdeviceptr address) { return {Kind::kAny, address, 0}; }

CUresult copy_now(const CopyEnd& to, const CopyEnd& from, std::size_t n_bytes,
                  const std::source_location& entry_point = std::source_location::current()) {
  return answer(entry_point, [&] {
    copy_in_order({to, from, n_bytes, 1}, current_context()->legacy_stream(), Waiting::kYes);
  });
}

CUresult copy_later(const CopyEnd& to, const CopyEnd& from, std::size_t n_bytes, CUstream stream,
                    const std::source_location& entry_point = std::source_location::current()) {
  return answer(entry_point, [&] {
    copy_in_order({to, from, n_bytes, 1}, find_stream(stream, current_context()), Waiting::kNo);
  });
}

// The context of one end of a copy between contexts, which the client names.
std::shared_ptr<Context> require_end(const char* what, CUcontext handle, CUdeviceptr address) {
  auto context = contexts().find(handle);
  if (!context->memory().find_reserved(address)) {
    throw CallError(
        CUDA_ERROR_INVALID_VALUE,
        numpy_plugin::format(
            "{} of a copy between contexts is {}, which is not of the context given for it", what,
            address_text(address)));
  }
  return context;
}

template <typename Description>
CUresult copy_rows(const Description* description, CUstream stream, Waiting waiting,
                   const std::source_location& entry_point = std::source_location::current()) {
  return answer(entry_point, [&] {
    require_pointer(description);
    copy_in_order(describe_copy(*description), find_stream(stream, current_context()), waiting);
  });
}

}  // namespace

NPP_EXPORT CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, std::size_t n_bytes) {
  return copy_now(device_end(to), host_end(from), n_bytes);
}

NPP_EXPORT CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, std::size_t n_bytes) {
  return copy_now(host_end(to), device_end(from), n_bytes);
}

NPP_EXPORT CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, std::size_t n_bytes) {
  return copy_now(device_end(to), device_end(from), n_bytes);
}

NPP_EXPORT CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, std::size_t n_bytes) {
  return copy_now(any_end(to), any_end(from), n_bytes);
}

NPP_EXPORT CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, std::size_t n_bytes,
                                  CUstream stream) {
  return copy_later(any_end(to), any_end(from), n_bytes, stream);
}

NPP_EXPORT CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t n_bytes,
                                         CUstream stream) {
  return copy_later(device_end(to), host_end(from), n_bytes, stream);
}

NPP_EXPORT CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t n_bytes,
                                         CUstream stream) {
  return copy_later(host_end(to), device_end(from), n_bytes, stream);
}

NPP_EXPORT CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t n_bytes,
                                         CUstream stream) {
  return copy_later(device_end(to), device_end(from), n_bytes, stream);
}

NPP_EXPORT CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                                      CUcontext from_context, std::size_t n_bytes,
                                      CUstream stream) {
  return answer([&] {
    require_end("the target", to_context, to);
    require_end("the source", from_context, from);
    copy_in_order({device_end(to), device_end(from), n_bytes, 1},
                  find_stream(stream, current_context()), Waiting::kNo);
  });
}

// Ordered with all work of both contexts and the current one.
NPP_EXPORT CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                                 CUcontext from_context, std::size_t n_bytes) {
  return answer([&] {
    const auto current = current_context();
    const auto target = require_end("the target", to_context, to);
    const auto source = require_end("the source", from_context, from);
    for (const auto& context : {target, source}) {
      require_observable(context);
      context->synchronize();
    }
    copy_in_order({device_end(to), device_end(from), n_bytes, 1}, current->legacy_stream(),
                  Waiting::kYes);
  });
}

NPP_EXPORT CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D* rows) {
  return copy_rows(rows, nullptr, Waiting::kYes);
}

NPP_EXPORT CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* rows, CUstream stream) {
  return copy_rows(rows, stream, Waiting::kNo);
}

NPP_EXPORT CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D* rows) {
  return copy_rows(rows, nullptr, Waiting::kYes);
}

NPP_EXPORT CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D* slices) {
  return copy_rows(slices, nullptr, Waiting::kYes);
}

NPP_EXPORT CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* slices, CUstream stream) {
  return copy_rows(slices, stream, Waiting::kNo);
}
