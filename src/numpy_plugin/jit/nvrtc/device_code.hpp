// Code for the device as files of it are: PTX, cubins, objects, LTO-IR, fatbins, libraries. What
// the bytes are says more than what a file is called.
#pragma once

#include <string>
#include <string_view>

namespace numpy_plugin::jit {

enum class CodeKind { kPtx, kCubin, kObject, kLtoIr, kFatbin, kLibrary, kUnknown };

CodeKind code_kind(std::string_view bytes);

// "PTX", "a cubin", ...
std::string_view describe(CodeKind kind);

// One part of a link: what messages call it, and its bytes.
struct LinkedPart {
  std::string name;
  std::string_view bytes;
};

}  // namespace numpy_plugin::jit
