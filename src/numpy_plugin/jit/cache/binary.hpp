// Results of compilation as plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace numpy_plugin::jit {

// A shared object as bytes, ready to be loaded from memory.
struct SharedObjectCode {
  std::string bytes;
  bool from_cache = false;
};

// Resources of one device kernel, read from its cubin.
struct KernelResources {
  std::string name;
  int n_registers = 0;
  int spill_store_bytes = 0;
  int spill_load_bytes = 0;
  int stack_bytes = 0;
  int shared_bytes = 0;
  int constant_bytes = 0;
};

struct CudaBinary {
  std::string arch;  // "sm_90"
  std::string ptx;
  std::string cubin;
  std::vector<KernelResources> resources;
  bool from_cache = false;
};

}  // namespace numpy_plugin::jit
