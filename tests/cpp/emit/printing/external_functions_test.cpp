// C++ functions that kernels call: namespaces, includes, and the code available for each target.
#include "numpy_plugin/emit/printing/user_code.hpp"

#include <gtest/gtest.h>

#include "kernel/kernel_builder.hpp"
#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::emit::test {
namespace {

using declare::DeclaredCode;
using declare::DeviceCode;
using declare::ExternalFunction;

ExternalFunction with_body(const std::string& name, const std::string& preamble) {
  ExternalFunction function;
  function.name = name;
  function.signature = signature("dd->d");
  function.body = {"return x + y;", {"x", "y"}, {}};
  function.preamble = preamble;
  return function;
}

ExternalFunction declared(DeclaredCode code, declare::DeviceCodes linked = {}) {
  ExternalFunction function;
  function.name = "bar";
  function.signature = signature("i->i");
  function.declared = std::make_shared<const DeclaredCode>(std::move(code));
  function.linked = std::move(linked);
  return function;
}

// A program whose only kernel calls these functions, as printed.
ExternalFunctions printed(std::vector<ExternalFunction> functions, Target target) {
  Program result;
  result.name = "kernel";
  declare::TypedKernel kernel;
  std::get<declare::PythonKernel>(kernel.body).external_functions = std::move(functions);
  result.kernels = {kernel};
  return print_external_functions(result, target);
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

using Names = std::vector<std::vector<std::string>>;

TEST(external_functions_test, bodies_with_one_preamble_share_a_namespace) {
  const ExternalFunctions functions =
      printed({with_body("f", "int a();"), with_body("g", "int a();"), with_body("h", "int b();")},
              Target::kCpu);
  EXPECT_EQ(functions.names, (Names{{"npp_external_0::f_0::call", "npp_external_0::g_1::call",
                                     "npp_external_1::h_2::call"}}));
  EXPECT_EQ(count(functions.text, "int a();"), 1u);
}

TEST(external_functions_test, includes_stand_before_the_namespace) {
  const std::string text =
      printed({with_body("f", "  # include <cmath>\nint a();")}, Target::kCpu).text;
  EXPECT_LT(text.find("include <cmath>"), text.find("namespace npp_external_0"));
  EXPECT_GT(text.find("int a();"), text.find("namespace npp_external_0"));
  // Line numbers are unchanged.
  EXPECT_NE(text.find("#line 1 \"<preamble of 'f'>\"\n\nint a();"), std::string::npos) << text;
}

TEST(external_functions_test, each_target_has_its_own_code) {
  const ExternalFunction function = declared(
      {"int bar(int x) { return 1; }", "bar.cu", "int bar(int x) { return 2; }", "bar.c", ""});
  EXPECT_NE(printed({function}, Target::kCpu).text.find("return 2;"), std::string::npos);
  EXPECT_NE(printed({function}, Target::kCuda).text.find("return 1;"), std::string::npos);
  EXPECT_NE(printed({function}, Target::kCuda).text.find("#line 1 \"bar.cu\""), std::string::npos);
}

TEST(external_functions_test, a_library_is_called_through_a_pointer) {
  const ExternalFunctions functions =
      printed({declared({"", "", "", "", "/lib/libbar.so"})}, Target::kCpu);
  ASSERT_EQ(functions.library_functions.size(), 1u);
  EXPECT_EQ(functions.library_functions[0].library, "/lib/libbar.so");
  EXPECT_EQ(functions.library_functions[0].name, "bar");
  EXPECT_NE(functions.text.find(functions.library_functions[0].pointer), std::string::npos);
}

TEST(external_functions_test, linked_code_is_declared_and_kept_once) {
  const auto code = std::make_shared<const DeviceCode>(DeviceCode{"bar.ptx", "PTX"});
  const ExternalFunctions functions =
      printed({declared({}, {code}), declared({}, {code})}, Target::kCuda);
  EXPECT_EQ(functions.linked.size(), 1u);
  EXPECT_NE(functions.text.find("extern \"C\" __device__ npp::int32 bar(npp::int32);"),
            std::string::npos);
}

TEST(external_functions_test, missing_code_is_said_on_the_cpu_and_thrown_for_devices) {
  EXPECT_TRUE(printed({declared({})}, Target::kCpu)
                  .missing.starts_with("'bar' has no code for the CPU\n  hint: "));
  EXPECT_THROW(printed({declared({})}, Target::kCuda), base::Error);
}

}  // namespace
}  // namespace numpy_plugin::emit::test
