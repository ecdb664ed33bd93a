// LTO-IR to PTX, by nvJitLink, which is opened when it is first needed.
#pragma once

#include <string>
#include <vector>

namespace numpy_plugin::sim {

struct LinkInput {
  std::string name;
  std::string bytes;
};

void set_nvjitlink_path(const std::string& path);

// One PTX text for an architecture ("sm_90"), of the kernels and what they call: a function that
// other PTX alone calls is not in it. Throws CallError with nvJitLink's log, or where nvJitLink was
// not found.
std::string link_lto_ir(const std::vector<LinkInput>& inputs, const std::string& architecture);

}  // namespace numpy_plugin::sim
