// Pinned and registered host memory.
#include "simulator/interface/objects/host_memory.hpp"

#include <cstdlib>

#include "simulator/interface/objects/context.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr std::size_t kPageBytes = 4096;

}  // namespace

void* HostMemory::allocate(HostBlock block) {
  const std::size_t n_pages = (block.n_bytes + kPageBytes - 1) / kPageBytes;
  require(n_pages <= SIZE_MAX / kPageBytes - 1, CUDA_ERROR_OUT_OF_MEMORY);
  void* const data = std::aligned_alloc(kPageBytes, n_pages * kPageBytes);
  require(data != nullptr, CUDA_ERROR_OUT_OF_MEMORY, "the host is out of memory");
  block.begin = reinterpret_cast<std::uint64_t>(data);
  const std::lock_guard lock(mutex_);
  insert(block);
  return data;
}

void HostMemory::add(const HostBlock& block) {
  const std::lock_guard lock(mutex_);
  const auto next = blocks_.lower_bound(block.begin);
  const bool is_free = find_around(block.begin) == nullptr &&
                       (next == blocks_.end() || next->first - block.begin >= block.n_bytes);
  require(is_free, CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  insert(block);
}

void HostMemory::insert(const HostBlock& block) {
  blocks_.emplace(block.begin, block);
  for (const auto& context : contexts().all()) {
    context->memory().add_host(host_pointer(block.begin), block.n_bytes, block.origin);
  }
}

void HostMemory::remove(const void* data, HostBlock::Kind kind) {
  const bool is_registered = kind == HostBlock::Kind::kRegistered;
  const auto address = reinterpret_cast<std::uint64_t>(data);
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.find(address);
  if (found == blocks_.end() || found->second.kind != kind) {
    throw CallError(
        is_registered ? CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED : CUDA_ERROR_INVALID_VALUE,
        "no such block of the host's memory begins there");
  }
  for (const auto& context : contexts().all()) context->memory().free(address);
  blocks_.erase(found);
  if (!is_registered) std::free(host_pointer(address));
}

const HostBlock* HostMemory::find_around(std::uint64_t address) const {
  auto next = blocks_.upper_bound(address);
  if (next == blocks_.begin()) return nullptr;
  --next;
  return address - next->first < next->second.n_bytes ? &next->second : nullptr;
}

std::optional<HostBlock> HostMemory::find(std::uint64_t address) const {
  const std::lock_guard lock(mutex_);
  const HostBlock* const block = find_around(address);
  return block == nullptr ? std::nullopt : std::optional(*block);
}

CUcontext HostMemory::admit(const std::shared_ptr<Context>& context) {
  const std::lock_guard lock(mutex_);
  for (const auto& [begin, block] : blocks_) {
    context->memory().add_host(host_pointer(begin), block.n_bytes, block.origin);
  }
  return contexts().add(context);
}

HostMemory& host_memory() {
  static HostMemory& memory = *new HostMemory;
  return memory;
}

}  // namespace numpy_plugin::sim
