#include "numpy_plugin/jit/nvrtc/nvjitlink.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::jit {
namespace {

constexpr std::string_view kPtx = R"(
.version 9.0
.target sm_90
.extern .func (.param .b64 r) elsewhere(.param .b64 x);
.visible .func (.param .b32 r) bar(.param .b32 x, .param .b32 y) { ret; }
.visible .func nothing(.param .b64 x) { ret; }
.visible .func (.param .b64 r) _Z3bazd(.param .b64 x) { ret; }
)";

struct Outcome {
  std::optional<base::ErrorKind> kind;
  std::string text;
};

Outcome check(const std::string& name, const std::string& signature,
              std::string_view bytes = kPtx) {
  const auto declared = declare::parse_type_signatures({signature}, std::nullopt).front();
  try {
    check_linked_function(name, declared, {{"bar.ptx", bytes}});
  } catch (const base::Error& error) {
    return {error.kind(), error.what()};
  }
  return {};
}

TEST(ptx_function_test, takes_a_function_with_the_declared_types) {
  EXPECT_EQ(check("bar", "int32(int32, float32)").text, "");
  // Parameters below 4 bytes are widened.
  EXPECT_EQ(check("bar", "bool(int8, uint16)").text, "");
}

TEST(ptx_function_test, refuses_other_types) {
  EXPECT_EQ(check("bar", "int64(int32, int32)").text,
            "'bar' is declared as int64(int32, int32); in bar.ptx it takes (b32, b32) and returns "
            "b32");
  EXPECT_EQ(check("bar", "int32(int32)").kind, base::ErrorKind::kSignature);
  EXPECT_EQ(check("nothing", "int32(int64)").text,
            "'nothing' is declared as int32(int64); in bar.ptx it takes (b64) and returns nothing");
}

TEST(ptx_function_test, says_what_there_is_instead) {
  EXPECT_EQ(check("bat", "int32(int32, int32)").text,
            "bar.ptx has no function 'bat'; there is bar, nothing, baz(double)\n"
            "  hint: did you mean 'bar'?");
  EXPECT_EQ(check("baz", "float64(float64)").text,
            "bar.ptx has no function 'baz'; there is bar, nothing, baz(double)\n"
            "  hint: put extern \"C\" before baz(double)");
  EXPECT_EQ(check("elsewhere", "int64(int64)").kind, base::ErrorKind::kValue);
}

TEST(ptx_function_test, leaves_to_the_linker_what_it_cannot_read) {
  EXPECT_EQ(check("bar", "int32(int32)", "!<arch>\n").text, "");
}

TEST(ptx_function_test, refuses_what_is_no_code) {
  EXPECT_THROW(check_device_code({"bar.txt", "int bar;"}), base::Error);
  EXPECT_NO_THROW(check_device_code({"bar.ptx", kPtx}));
}

}  // namespace
}  // namespace numpy_plugin::jit
