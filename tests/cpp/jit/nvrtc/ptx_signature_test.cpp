// Kernels and parameters as NVRTC writes them for several architectures.
#include "numpy_plugin/jit/nvrtc/ptx_signature.hpp"

#include <gtest/gtest.h>

#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::jit {
namespace {

constexpr char kText[] = R"(
// .entry in_a_comment_is_no_kernel
.version 9.0
.target sm_90
.address_size 64
.visible .entry increment(
	.param .u64 increment_param_0, // the array
	.param .u32 increment_param_1
)
{
	ret;
}
.visible .entry _Z5scaleIfEvPT_S0_(
	.param .u64 .ptr .align 1 p0,
	.param .f32 p1
)
.maxntid 128, 1, 1
{ ret; }
.func helper(.param .u64 x) { ret; }
.entry record(.param .u8 a, .param .align 8 .b8 b[20], .param .u16 c) { ret; }
.entry nothing() { ret; }
)";

TEST(PtxSignatureTest, FindsKernelsAndTheirParameters) {
  const std::vector<KernelSignature> kernels = read_kernel_signatures(kText);
  ASSERT_EQ(kernels.size(), 4u);
  EXPECT_EQ(kernels[0].name, "increment");
  ASSERT_EQ(kernels[0].parameters.size(), 2u);
  EXPECT_EQ(kernels[0].parameters[0].type, "u64");
  EXPECT_FALSE(kernels[0].parameters[0].is_pointer);
  EXPECT_EQ(kernels[0].parameters[1].type, "u32");
  EXPECT_EQ(kernels[0].parameters[1].offset, 8u);
  EXPECT_EQ(kernels[0].n_argument_bytes(), 12u);
  EXPECT_EQ(kernels[3].name, "nothing");
  EXPECT_EQ(kernels[3].n_argument_bytes(), 0u);
}

TEST(PtxSignatureTest, TellsPointersFromTheAlignmentOfWhatTheyPointTo) {
  const KernelParameter pointer = read_kernel_signatures(kText)[1].parameters[0];
  EXPECT_TRUE(pointer.is_pointer);
  EXPECT_EQ(pointer.alignment, 8u);
}

TEST(PtxSignatureTest, PlacesStructs) {
  const std::vector<KernelParameter> parameters = read_kernel_signatures(kText)[2].parameters;
  ASSERT_EQ(parameters.size(), 3u);
  EXPECT_EQ(parameters[1].n_bytes, 20u);
  EXPECT_EQ(parameters[1].alignment, 8u);
  EXPECT_EQ(parameters[1].offset, 8u);
  EXPECT_EQ(parameters[2].offset, 28u);
  EXPECT_EQ(parameter_text(parameters[0]), "u8");
  EXPECT_EQ(parameter_text(parameters[1]), "20 bytes");
}

TEST(PtxSignatureTest, RefusesWhatItCannotRead) {
  for (const char* text : {".entry f(.param", ".entry f(.reg .u32 x)", ".entry f(.param .u64 x[n])",
                           ".entry f(.param name)", ".entry f(.param .align x .b8 p[4])"}) {
    EXPECT_THROW(read_kernel_signatures(text), base::Error) << text;
  }
}

TEST(PtxSignatureTest, NamesKernelsForPeople) {
  EXPECT_EQ(demangled("_Z5scaleIfEvPT_S0_"), "void scale<float>(float*, float)");
  EXPECT_EQ(demangled("increment"), "increment");
}

}  // namespace
}  // namespace numpy_plugin::jit
