// Links LTO-IR to PTX by nvJitLink, which is opened lazily.
#pragma once

#include <string>
#include <vector>

namespace numpy_plugin::sim {

struct LinkInput {
  std::string name;
  std::string bytes;
};

void set_nvjitlink_path(const std::string& path);

// One PTX text for an architecture ("sm_90") with the kernels and their callees: a function called
// only from other PTX is omitted. Throws CallError with nvJitLink's log, or where nvJitLink is
// missing.
std::string link_lto_ir(const std::vector<LinkInput>& inputs, const std::string& architecture);

}  // namespace numpy_plugin::sim
