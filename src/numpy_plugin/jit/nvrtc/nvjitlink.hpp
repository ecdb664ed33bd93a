// Device code of files, and nvJitLink, which links it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/base/fast_math.hpp"
#include "numpy_plugin/jit/toolkit/toolkit.hpp"
#include "numpy_plugin/signature/signature.hpp"

namespace numpy_plugin::jit {

// Kinds of device code in files: PTX, cubins, objects, LTO-IR, fatbins, libraries. They are
// detected by content rather than by file name.

enum class CodeKind { kPtx, kCubin, kObject, kLtoIr, kFatbin, kLibrary, kUnknown };

CodeKind code_kind(std::string_view bytes);

// "PTX", "a cubin", ...
std::string_view describe(CodeKind kind);

// One input of a link: its bytes, and its name in messages.
struct LinkedPart {
  std::string name;
  std::string_view bytes;
};

// nvJitLink: links device code into one cubin or PTX in process, without a GPU or a driver. The
// library is opened with dlopen at first use.

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

// Checks functions of linked code against their declarations, where the code is readable.

// Throws base::Error (kValue) for anything but device code.
void check_device_code(const LinkedPart& part);

// Searches the PTX among the parts for the function. Throws base::Error: kSignature where its types
// differ, kValue where all parts are PTX and none defines it.
void check_linked_function(const std::string& name, const declare::TypeSignature& signature,
                           const std::vector<LinkedPart>& parts);

}  // namespace numpy_plugin::jit
