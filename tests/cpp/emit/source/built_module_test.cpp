// The table of a built module: names, texts and pointers.
#include "numpy_plugin/emit/source/emit.hpp"

#include <gtest/gtest.h>

#include "emit/source/example_programs.hpp"

namespace numpy_plugin::emit::test {
namespace {

BuiltModule example_module() {
  BuiltModule module;
  module.name = "waves";
  module.levels = {"x86-64", "x86-64-v3"};
  BuiltUfunc ufunc;
  for (const Example& each : examples()) {
    if (each.name == "two_kernels") ufunc.kernels = each.program.kernels;
  }
  ufunc.entry_points = {"npp_loop_0", "npp_loop_1", "npp_loop_2"};
  ufunc.name = "wave";
  ufunc.doc = "quoted: \"\\\n\xc3\xa9";
  ufunc.identity = "0";
  module.ufuncs = {ufunc};
  return module;
}

bool has(const Source& source, std::string_view text) {
  return source.text.find(text) != std::string::npos;
}

TEST(BuiltModule, loops_have_a_function_for_each_level) {
  const Source source = emit_built_module(example_module());
  EXPECT_EQ(source.entry_points, std::vector<std::string>{"PyInit_waves"});
  EXPECT_TRUE(has(source, "functions_0_1[] = {npp_loop_1_of_0_0, npp_loop_1_of_0_1};"));
  EXPECT_TRUE(has(source, "dtypes_0_1[] = {\"float64\""));
  EXPECT_TRUE(has(source, "drivers[] = {&npp_driver_of_0_0, &npp_driver_of_0_1};"));
  EXPECT_TRUE(has(source, "levels[] = {\"x86-64\", \"x86-64-v3\"};"));
}

TEST(BuiltModule, texts_of_any_bytes_are_literals) {
  const Source source = emit_built_module(example_module());
  EXPECT_TRUE(has(source, R"("quoted: \042\134\012"
"\303\251")"));
}

TEST(BuiltModule, device_data_is_included_where_there_is_some) {
  BuiltModule module = example_module();
  EXPECT_FALSE(has(emit_built_module(module), "incbin"));
  module.device_file = "/directory/of \"data\"";
  EXPECT_TRUE(has(emit_built_module(module), R"(.incbin " "\042/directory/of)"));
  EXPECT_TRUE(has(emit_built_module(module), "npp_device_data, npp_device_data_end"));
}

}  // namespace
}  // namespace numpy_plugin::emit::test
