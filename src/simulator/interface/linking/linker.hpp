// Links inputs to one image: cuLink's and nvJitLink's work.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "simulator/interface/driver/architecture.hpp"

namespace numpy_plugin::sim {

// NVIDIA's nvJitLink, which is opened lazily: links LTO-IR to PTX.

struct LinkInput {
  std::string name;
  std::string bytes;
};

void set_nvjitlink_path(const std::string& path);

// One PTX text with the kernels and their callees: a function called only from other PTX is
// omitted. `options` are nvJitLink's: "-arch=sm_90", "-lto". Throws CallError with nvJitLink's log,
// or where nvJitLink is missing.
std::string link_lto_ir(const std::vector<LinkInput>& inputs,
                        const std::vector<std::string>& options);

// nvJitLink's own results, an nvJitLinkResult each: of its version, and of options, which it checks
// as it begins to link. Throw CallError where it is missing.
int nvjitlink_version(unsigned* major, unsigned* minor);
int check_nvjitlink_options(const std::vector<std::string>& options);

// A stand-in for libcudadevrt, a library of machine code that programs link for barriers of grids.

// PTX of cudaCGGetIntrinsicHandle and cudaCGSynchronize, which other compilers than nvcc call. The
// barrier is that of cooperative groups: a word of the launch's workspace, whose address %envreg1
// and %envreg2 have, that the first block moves across half of its range. Launches that are not
// cooperative have no workspace: the handle is 0, and cudaCGSynchronize returns
// cudaErrorInvalidValue.
extern const std::string_view kDeviceRuntime;

// Whether an input is libcudadevrt.a.
bool is_device_runtime(std::string_view bytes);

class Linker {
 public:
  // LTO-IR is linked with nvJitLink's `options`.
  Linker(const Architecture& architecture, std::vector<std::string> options)
      : architecture_(&architecture), options_(std::move(options)) {}

  // Detects the type by the bytes' magic number. Throws CallError where the input is invalid.
  void add(std::string_view bytes, const char* name);

  // Throws CallError where inputs don't fit together, or there are none.
  void complete();

  // After complete(): what cuModuleLoadData takes, and the PTX that LTO-IR was linked to.
  const std::string& image() const { return image_; }
  const std::string& linked_ptx() const { return linked_ptx_; }

 private:
  const Architecture* architecture_;
  std::vector<std::string> options_;
  std::vector<std::string> texts_;
  std::vector<LinkInput> lto_ir_;
  std::string image_;
  std::string linked_ptx_;
};

}  // namespace numpy_plugin::sim
