// Memory of the host that devices reach: pinned or registered. One for the process, as all devices
// share the host's addresses.
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
  CUcontext context = nullptr;  // it was made in
  bool is_registered = false;   // is the client's, not ours to free
  std::string origin;
};

class HostMemory {
 public:
  void* allocate(HostBlock block);   // sets where it begins
  void add(const HostBlock& block);  // registered; throws CallError where it overlaps another
  // Throws CallError where no such block begins there. What uses it must be done.
  void remove(const void* data, bool is_registered);
  std::optional<HostBlock> find(std::uint64_t address) const;
  // Gives a new context its handle; all blocks, then and later, are known to its memory.
  CUcontext admit(const std::shared_ptr<Context>& context);

 private:
  void insert(const HostBlock& block);
  const HostBlock* find_around(std::uint64_t address) const;

  mutable std::mutex mutex_;
  std::map<std::uint64_t, HostBlock> blocks_;  // by where they begin
};

HostMemory& host_memory();

inline void* host_pointer(std::uint64_t address) { return reinterpret_cast<void*>(address); }

}  // namespace numpy_plugin::sim
