// C++ types of parameters, from compilers' mangled names.
#include "numpy_plugin/jit/nvrtc/ptx_signature.hpp"

#include <gtest/gtest.h>

namespace numpy_plugin::jit {
namespace {

using Texts = std::vector<std::string>;

constexpr char kTwoParameters[] = ".entry f(.param .u64 p, .param .u32 n) { ret; }";

TEST(ParameterTypesTest, AreSplitAtTheirCommasAlone) {
  EXPECT_EQ(split_parameter_types("void (float*, int)"), (Texts{"float*", "int"}));
  EXPECT_EQ(split_parameter_types("void (*)(float const*)"), (Texts{"float const*"}));
  EXPECT_EQ(split_parameter_types("void (pair<int, float>, void (*)(int, int), long)"),
            (Texts{"pair<int, float>", "void (*)(int, int)", "long"}));
  EXPECT_EQ(split_parameter_types("void ()"), Texts{});
  EXPECT_EQ(split_parameter_types("no function"), Texts{});
}

TEST(ParameterTypesTest, AreReadFromALoweredName) {
  KernelSignature kernel = read_kernel_signatures(kTwoParameters).front();
  set_parameter_types(kernel, "_Z15npp_kernel_typeIFvPKfiEE");
  EXPECT_EQ(kernel.parameters[0].cpp_type, "float const*");
  EXPECT_TRUE(kernel.parameters[0].is_pointer);
  EXPECT_EQ(kernel.parameters[1].cpp_type, "int");
  EXPECT_FALSE(kernel.parameters[1].is_pointer);
}

TEST(ParameterTypesTest, AreLeftOutWhereTheyDoNotFit) {
  KernelSignature kernel = read_kernel_signatures(".entry f(.param .u64 p)").front();
  for (const char* name : {"", "_Z15npp_kernel_typeIFvPKfiEE", "_Z5otherIFvPfEE", "f"}) {
    set_parameter_types(kernel, name);
    EXPECT_EQ(kernel.parameters[0].cpp_type, "") << name;
  }
}

TEST(ParameterTypesTest, AreNumPysWhereItHasThem) {
  EXPECT_EQ(scalar_type("unsigned int")->kind, 'u');
  EXPECT_EQ(scalar_type("long long")->n_bytes, 8u);
  EXPECT_FALSE(scalar_type("float2").has_value());
  EXPECT_EQ(pointed_type("double const volatile*")->n_bytes, 8u);
  EXPECT_FALSE(pointed_type("void*").has_value());
  EXPECT_FALSE(pointed_type("float**").has_value());
  EXPECT_FALSE(pointed_type("float").has_value());
}

}  // namespace
}  // namespace numpy_plugin::jit
