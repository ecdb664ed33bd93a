// nvJitLink: links device code into one cubin or PTX in process, without a GPU or a driver. The
// library is opened with dlopen at first use.
#pragma once

#include <span>
#include <string>

#include "numpy_plugin/base/fast_math.hpp"
#include "numpy_plugin/jit/nvrtc/device_code.hpp"
#include "numpy_plugin/jit/toolkit/architecture.hpp"

namespace numpy_plugin::jit {

// The path of the library for a driver of a version (0: any); empty where there is none.
std::string find_nvjitlink(int driver_version = 0);

struct LinkOptions {
  CodeTarget target;
  base::FastMath fast_math = {};  // applies to LTO-IR, whose code is generated only here
  bool use_cache = true;
};

// Returns a cubin, from the cache where it has one of the same parts. A part that may contain
// LTO-IR (a fatbin, an object, a library) needs another that is LTO-IR. Throws base::Error
// (kCompiler) with nvJitLink's log.
std::string link_to_cubin(std::span<const LinkedPart> parts, const LinkOptions& options);

// Links LTO-IR to PTX. Throws likewise.
std::string link_to_ptx(std::span<const LinkedPart> parts, const LinkOptions& options);

}  // namespace numpy_plugin::jit
