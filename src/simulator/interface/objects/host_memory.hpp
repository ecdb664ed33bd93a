// Host memory accessible to devices: pinned, registered or managed. One instance per process, as
// all devices share the host's addresses.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace numpy_plugin::sim {

class Context;

struct HostBlock {
  std::uint64_t begin = 0;
  std::uint64_t n_bytes = 0;
  unsigned flags = 0;
  CUcontext context = nullptr;  // in which it was created
  enum class Kind { kPinned, kRegistered, kManaged };
  Kind kind = Kind::kPinned;  // registered: owned by the client, not freed here
  std::string origin;
};

class HostMemory {
 public:
  void* allocate(HostBlock block);   // sets its address
  void add(const HostBlock& block);  // registered; throws CallError where it overlaps another
  // Throws CallError where no such block begins. Its users must have finished.
  void remove(const void* data, HostBlock::Kind kind);
  std::optional<HostBlock> find(std::uint64_t address) const;
  // Gives a new context its handle; its memory knows all current and later blocks.
  CUcontext admit(const std::shared_ptr<Context>& context);

 private:
  void insert(const HostBlock& block);
  const HostBlock* find_around(std::uint64_t address) const;

  mutable std::mutex mutex_;
  std::map<std::uint64_t, HostBlock> blocks_;  // by address
};

HostMemory& host_memory();

inline void* host_pointer(std::uint64_t address) { return reinterpret_cast<void*>(address); }

}  // namespace numpy_plugin::sim
