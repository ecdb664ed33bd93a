#include "numpy_plugin/jit/nvrtc/nvjitlink.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "jit/nvrtc/nvrtc_environment.hpp"

namespace numpy_plugin::jit {
namespace {

constexpr std::string_view kHead = ".version 8.0\n.target sm_90\n.address_size 64\n";

std::string callee() {
  return std::string(kHead) +
         ".visible .func (.param .b32 r) bar(.param .b32 x) {\n  .reg .b32 %r<2>;\n"
         "  ld.param.b32 %r1, [x];\n  st.param.b32 [r], %r1;\n  ret;\n}\n";
}

std::string caller() {
  return std::string(kHead) +
         ".extern .func (.param .b32 r) bar(.param .b32 x);\n"
         ".visible .entry kernel(.param .u64 out) {\n  .reg .b32 %r<2>;\n  .reg .b64 %d<3>;\n"
         "  ld.param.u64 %d1, [out];\n  mov.b32 %r1, 7;\n  {\n  .param .b32 a;\n  .param .b32 b;\n"
         "  st.param.b32 [a], %r1;\n  call.uni (b), bar, (a);\n  ld.param.b32 %r1, [b];\n  }\n"
         "  st.global.b32 [%d1], %r1;\n  ret;\n}\n";
}

class nvjitlink_test : public testing::Test {
 protected:
  void SetUp() override {
    use_packages_of(nvrtc_paths());
    if (find_nvjitlink().empty()) GTEST_SKIP() << "nvJitLink is not installed";
  }
};

TEST_F(nvjitlink_test, links_parts_to_a_cubin) {
  const std::string first = caller(), second = callee();
  const std::vector<LinkedPart> parts = {{"the kernel", first}, {"bar.ptx", second}};
  EXPECT_EQ(code_kind(link_to_cubin(parts, {})), CodeKind::kCubin);
}

TEST_F(nvjitlink_test, names_what_is_missing) {
  const std::string first = caller();
  const std::vector<LinkedPart> parts = {{"the kernel", first}};
  try {
    link_to_cubin(parts, {});
    FAIL() << "linked without the function";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kCompiler);
    EXPECT_NE(std::string(error.what()).find("'bar'"), std::string::npos) << error.what();
  }
}

TEST_F(nvjitlink_test, names_the_part_it_cannot_read) {
  const std::string wrong = std::string(kHead) + ".visible .func nonsense {";
  const std::vector<LinkedPart> parts = {{"bar.ptx", wrong}};
  try {
    link_to_cubin(parts, {});
    FAIL() << "linked what is no PTX";
  } catch (const base::Error& error) {
    EXPECT_NE(std::string(error.what()).find("bar.ptx"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace numpy_plugin::jit
