// nvJitLink: device code of several parts in, one cubin out, in process, with no GPU and no driver
// needed. The library is opened with dlopen when first used.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "numpy_plugin/jit/device_code.hpp"

namespace numpy_plugin::jit {

// Where to look for libnvJitLink, best first; set by the bindings.
void set_nvjitlink_candidates(std::vector<std::string> paths);

// The library's path; empty where there is none.
std::string find_nvjitlink();

// A cubin for an architecture ("sm_90"). Throws base::Error (kCompiler) with nvJitLink's log.
std::string link_to_cubin(std::span<const LinkedPart> parts, const std::string& arch);

}  // namespace numpy_plugin::jit
