#include "numpy_plugin/jit/nvrtc/nvjitlink.hpp"

#include <elf.h>

#include <cstring>
#include <iterator>

namespace numpy_plugin::jit {
namespace {

struct KindRow {
  CodeKind kind;
  std::string_view magic;
  std::string_view text;
};

constexpr KindRow kKinds[] = {
    {CodeKind::kFatbin, "\x50\xed\x55\xba", "a fatbin"},
    {CodeKind::kLtoIr,
     "\xed"
     "CN\x7f",
     "LTO-IR"},
    {CodeKind::kLibrary, "!<arch>\n", "a library"},
    {CodeKind::kCubin, "", "a cubin"},
    {CodeKind::kObject, "", "an object"},
    {CodeKind::kPtx, "", "PTX"},
    {CodeKind::kUnknown, "", "not device code"},
};

// Device code, or a host object with device code in one of its sections.
CodeKind elf_kind(std::string_view bytes) {
  constexpr unsigned kCuda = 190;  // EM_CUDA
  Elf64_Ehdr header;
  if (bytes.size() < sizeof header) return CodeKind::kUnknown;
  std::memcpy(&header, bytes.data(), sizeof header);
  return header.e_machine == kCuda ? CodeKind::kCubin : CodeKind::kObject;
}

}  // namespace

CodeKind code_kind(std::string_view bytes) {
  if (bytes.starts_with(std::string_view(ELFMAG, SELFMAG))) return elf_kind(bytes);
  for (const KindRow& row : kKinds) {
    if (!row.magic.empty() && bytes.starts_with(row.magic)) return row.kind;
  }
  const bool is_ptx = bytes.find(".version") != std::string_view::npos &&
                      bytes.find(".target") != std::string_view::npos;
  return is_ptx ? CodeKind::kPtx : CodeKind::kUnknown;
}

std::string_view describe(CodeKind kind) {
  for (const KindRow& row : kKinds) {
    if (row.kind == kind) return row.text;
  }
  return std::prev(std::end(kKinds))->text;
}

}  // namespace numpy_plugin::jit
