// nvJitLink: device code of several parts in, one cubin or PTX out, in process, with no GPU and no
// driver needed. The library is opened with dlopen when first used.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "numpy_plugin/jit/nvrtc/device_code.hpp"

namespace numpy_plugin::jit {

// Where to look for libnvJitLink, best first; set by the bindings.
void set_nvjitlink_candidates(std::vector<std::string> paths);

// The library's path; empty where there is none.
std::string find_nvjitlink();

struct LinkOptions {
  std::string arch = "sm_90";
  // LTO-IR becomes code only here: it may then be contracted, flushed and approximated.
  bool fast_math = false;
  bool use_cache = true;
};

// A cubin, or one that the cache has of the same parts. A part that may have LTO-IR in it (a
// fatbin, an object, a library) needs another that is LTO-IR. Throws base::Error (kCompiler) with
// nvJitLink's log.
std::string link_to_cubin(std::span<const LinkedPart> parts, const LinkOptions& options);

// Likewise PTX, of LTO-IR.
std::string link_to_ptx(std::span<const LinkedPart> parts, const LinkOptions& options);

}  // namespace numpy_plugin::jit
