// Entry points: device memory, synchronous and stream-ordered, and host memory.
#include <algorithm>

#include "simulator/device/memory.hpp"
#include "simulator/interface/objects/capture.hpp"
#include "simulator/interface/objects/host_memory.hpp"
#include "simulator/interface/objects/pool.hpp"

using namespace numpy_plugin::sim;

namespace {

constexpr std::size_t kPitch = 512;  // of which the lengths of rows are multiples, as on GPUs

using Allocate = std::optional<std::uint64_t> (Memory::*)(std::uint64_t, const std::string&);

// `how`: Memory::allocate or Memory::reserve. The pools' reserves yield to it; before it fails,
// they are released.
std::uint64_t allocate(const std::shared_ptr<Context>& context, std::size_t n_bytes,
                       const char* entry_point, Allocate how = &Memory::allocate) {
  require(n_bytes > 0, CUDA_ERROR_INVALID_VALUE, "an allocation of 0 bytes");
  const int ordinal = context->device().ordinal();
  if (context->device().is_allocation_failing()) {
    limit_reserves(ordinal, 0);
    throw CallError(CUDA_ERROR_OUT_OF_MEMORY);
  }
  Memory& memory = context->memory();
  auto address = (memory.*how)(n_bytes, origin_text(entry_point));
  if (!address) {
    context->synchronize();  // pending stream-ordered frees
    address = (memory.*how)(n_bytes, origin_text(entry_point));
  }
  limit_reserves(ordinal, address ? memory.capacity_bytes() - memory.used_bytes() : 0);
  if (!address) {
    throw CallError(CUDA_ERROR_OUT_OF_MEMORY,
                    numpy_plugin::format("{} bytes asked for; {} of {} bytes are in use", n_bytes,
                                         memory.used_bytes(), memory.capacity_bytes()));
  }
  return *address;
}

// The address and memory of an allocation by a graph, which keeps them between its launches.
class GraphMemory {
 public:
  GraphMemory(std::shared_ptr<Context> context, std::size_t n_bytes)
      : context_(std::move(context)),
        address_(allocate(context_, n_bytes, "cuMemAllocAsync", &Memory::reserve)),
        n_bytes_(n_bytes) {}
  ~GraphMemory() { context_->memory().end_reservation(address_); }
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;

  std::uint64_t address() const { return address_; }
  Task open() const {
    context_->device().graph_pool()->add(address_, n_bytes_);
    return {[context = context_, address = address_] { context->memory().open(address); }, false};
  }

 private:
  const std::shared_ptr<Context> context_;
  const std::uint64_t address_;
  const std::uint64_t n_bytes_;
};

std::uint64_t capture_allocation(const std::shared_ptr<Stream>& stream, std::size_t n_bytes) {
  const auto memory = std::make_shared<GraphMemory>(stream->context(), n_bytes);
  submit(stream, {.kind = CU_GRAPH_NODE_TYPE_MEM_ALLOC,
                  .task = [memory](const auto&) { return memory->open(); },
                  .allocated = memory->address()});
  return memory->address();
}

void allocate_in_order(CUdeviceptr* address, std::size_t n_bytes, CUmemoryPool pool_handle,
                       CUstream stream_handle) {
  require_pointer(address);
  const auto stream = find_stream(stream_handle, current_context());
  const auto context = stream->context();
  if (pool_handle == nullptr) pool_handle = context->device().current_pool();
  const auto pool = find_pool(pool_handle);
  require(pool->ordinal() == context->device().ordinal(), CUDA_ERROR_INVALID_VALUE,
          "the pool and the stream are of different devices");
  if (is_capturing(stream)) {
    *address = capture_allocation(stream, n_bytes);
    return;
  }
  pool->require_room(n_bytes);
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
                  numpy_plugin::format("no allocation begins at {}, which is {}",
                                       address_text(address), place));
}

// Only memory that graphs allocate can be freed by a graph.
void capture_free(const std::shared_ptr<Stream>& stream, CUdeviceptr address) {
  for (const auto& context : contexts().all()) {
    if (!context->memory().is_reserved(address)) continue;
    const auto free = [context, address](const auto&) {
      context->device().graph_pool()->forget(address);
      return free_task(context, address);
    };
    return submit(stream, {.kind = CU_GRAPH_NODE_TYPE_MEM_FREE, .task = free, .freed = address});
  }
  throw CallError(CUDA_ERROR_INVALID_VALUE, "a graph frees only what a graph has allocated");
}

// Waits for all work that may use host memory, on any device.
void synchronize_all() {
  for (const auto& context : contexts().all()) context->synchronize();
}

bool is_managed(CUdeviceptr address) {
  const auto block = host_memory().find(address);
  return block && block->kind == HostBlock::Kind::kManaged;
}

void free_managed(CUdeviceptr address) {
  require_safe();
  synchronize_all();
  host_memory().remove(host_pointer(address), HostBlock::Kind::kManaged);
}

}  // namespace

NPP_EXPORT CUresult cuMemAlloc_v2(CUdeviceptr* address, std::size_t n_bytes) {
  return answer([&] {
    require_pointer(address);
    require_safe();
    *address = allocate(current_context(), n_bytes, "cuMemAlloc");
  });
}

NPP_EXPORT CUresult cuMemAllocPitch_v2(CUdeviceptr* address, std::size_t* pitch, std::size_t width,
                                       std::size_t height, unsigned element_bytes) {
  return answer([&] {
    require_pointer(address);
    require_pointer(pitch);
    require(element_bytes == 4 || element_bytes == 8 || element_bytes == 16,
            CUDA_ERROR_INVALID_VALUE, "elements of rows have 4, 8 or 16 bytes");
    require_safe();
    const std::size_t row = (width + kPitch - 1) / kPitch * kPitch;
    *address = allocate(current_context(), row * height, "cuMemAllocPitch");
    *pitch = row;
  });
}

NPP_EXPORT CUresult cuMemFree_v2(CUdeviceptr address) {
  return answer([&] {
    if (address == 0) return;
    if (is_managed(address)) return free_managed(address);
    const auto context = find_owner(address);
    require_safe();
    context->synchronize();
    forget_in_pool(address);
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
    if (is_capturing(stream)) return capture_free(stream, address);
    const auto owner = find_owner(address);
    require(forget_in_pool(address), CUDA_ERROR_INVALID_VALUE,
            "the memory was not allocated in stream order, or it is freed already");
    stream->context()->submit(stream, free_task(owner, address));
  });
}

NPP_EXPORT CUresult cuMemGetInfo_v2(std::size_t* n_free, std::size_t* n_total) {
  return answer([&] {
    const auto context = current_context();
    const Memory& memory = context->memory();
    const std::uint64_t unused = memory.capacity_bytes() - memory.used_bytes();
    const std::uint64_t reserves = reserves_of(context->device().ordinal());
    if (n_free != nullptr) *n_free = unused - std::min(unused, reserves);
    if (n_total != nullptr) *n_total = memory.capacity_bytes();
  });
}

NPP_EXPORT CUresult cuMemHostAlloc(void** data, std::size_t n_bytes, unsigned flags) {
  return answer([&] {
    require_pointer(data);
    require(n_bytes > 0, CUDA_ERROR_INVALID_VALUE, "an allocation of 0 bytes");
    require_safe();
    HostBlock block;
    block.context = current_context()->handle();
    block.n_bytes = n_bytes;
    block.flags = flags;
    block.origin = origin_text("cuMemHostAlloc");
    *data = host_memory().allocate(block);
  });
}

NPP_EXPORT CUresult cuMemAllocManaged(CUdeviceptr* address, std::size_t n_bytes, unsigned flags) {
  return answer([&] {
    require_pointer(address);
    require(n_bytes > 0, CUDA_ERROR_INVALID_VALUE, "an allocation of 0 bytes");
    require(flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST, CUDA_ERROR_INVALID_VALUE,
            "managed memory is attached to the host, or to all");
    const auto context = current_context();
    require_safe();
    require(!context->device().is_allocation_failing(), CUDA_ERROR_OUT_OF_MEMORY);
    HostBlock block;
    block.context = context->handle();
    block.n_bytes = n_bytes;
    block.flags = flags;
    block.kind = HostBlock::Kind::kManaged;
    block.origin = origin_text("cuMemAllocManaged");
    *address = reinterpret_cast<CUdeviceptr>(host_memory().allocate(block));
  });
}

NPP_EXPORT CUresult cuMemAllocHost_v2(void** data, std::size_t n_bytes) {
  return cuMemHostAlloc(data, n_bytes, 0);
}

NPP_EXPORT CUresult cuMemFreeHost(void* data) {
  return answer([&] {
    require_safe();
    synchronize_all();
    host_memory().remove(data, HostBlock::Kind::kPinned);
  });
}

NPP_EXPORT CUresult cuMemHostRegister_v2(void* data, std::size_t n_bytes, unsigned flags) {
  return answer([&] {
    require_pointer(data);
    require(n_bytes > 0, CUDA_ERROR_INVALID_VALUE, "a registration of 0 bytes");
    require_safe();
    HostBlock block;
    block.context = current_context()->handle();
    block.begin = reinterpret_cast<std::uint64_t>(data);
    block.n_bytes = n_bytes;
    block.flags = flags;
    block.kind = HostBlock::Kind::kRegistered;
    block.origin = origin_text("cuMemHostRegister");
    host_memory().add(block);
  });
}

NPP_EXPORT CUresult cuMemHostUnregister(void* data) {
  return answer([&] {
    require_safe();
    synchronize_all();
    host_memory().remove(data, HostBlock::Kind::kRegistered);
  });
}

NPP_EXPORT CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* address, void* data, unsigned flags) {
  return answer([&] {
    require_pointer(address);
    require(flags == 0, CUDA_ERROR_INVALID_VALUE);
    current_context();
    const auto host_address = reinterpret_cast<std::uint64_t>(data);
    const bool is_mapped = host_memory().find(host_address) && !is_managed(host_address);
    require(is_mapped, CUDA_ERROR_INVALID_VALUE, "the memory is neither pinned nor registered");
    *address = host_address;
  });
}
