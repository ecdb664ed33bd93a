// NVIDIA's nvJitLink, which is opened lazily: links LTO-IR to PTX.
#pragma once

#include <string>
#include <vector>

namespace numpy_plugin::sim {

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

}  // namespace numpy_plugin::sim
