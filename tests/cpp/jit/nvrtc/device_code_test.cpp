#include "numpy_plugin/jit/nvrtc/nvjitlink.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace numpy_plugin::jit {
namespace {

std::string elf(unsigned machine) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_machine = static_cast<Elf64_Half>(machine);
  return {reinterpret_cast<const char*>(&header), sizeof header};
}

TEST(device_code_test, the_bytes_say_what_they_are) {
  EXPECT_EQ(code_kind("//\n.version 9.0\n.target sm_90\n"), CodeKind::kPtx);
  EXPECT_EQ(code_kind(elf(190)), CodeKind::kCubin);
  EXPECT_EQ(code_kind(elf(EM_X86_64)), CodeKind::kObject);
  EXPECT_EQ(code_kind("!<arch>\nbar.o"), CodeKind::kLibrary);
  EXPECT_EQ(code_kind("\x50\xed\x55\xba..."), CodeKind::kFatbin);
  EXPECT_EQ(code_kind("\xed"
                      "CN\x7f..."),
            CodeKind::kLtoIr);
}

TEST(device_code_test, other_bytes_are_no_code) {
  EXPECT_EQ(code_kind(""), CodeKind::kUnknown);
  EXPECT_EQ(code_kind("int bar(int x) { return x; }"), CodeKind::kUnknown);
  EXPECT_EQ(code_kind(elf(190).substr(0, 10)), CodeKind::kUnknown);
}

}  // namespace
}  // namespace numpy_plugin::jit
