// Kinds of device code in files: PTX, cubins, objects, LTO-IR, fatbins, libraries. They are
// detected by content rather than by file name.
#pragma once

#include <string>
#include <string_view>

namespace numpy_plugin::jit {

enum class CodeKind { kPtx, kCubin, kObject, kLtoIr, kFatbin, kLibrary, kUnknown };

CodeKind code_kind(std::string_view bytes);

// "PTX", "a cubin", ...
std::string_view describe(CodeKind kind);

// One input of a link: its bytes, and its name in messages.
struct LinkedPart {
  std::string name;
  std::string_view bytes;
};

}  // namespace numpy_plugin::jit
