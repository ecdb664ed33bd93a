// Parsing of ptxas's report and the cubin, valid and damaged.
#include "numpy_plugin/jit/nvrtc/nvrtc_program.hpp"

#include <gtest/gtest.h>

#include "jit/host/host_test_sources.hpp"
#include "jit/nvrtc/nvrtc_environment.hpp"
#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::jit {
namespace {

// The second kernel keeps 64 values live: with few registers they must spill.
constexpr const char* kTwoKernels = R"(
extern "C" __global__ void shares(float* a) {
  __shared__ float s[100];
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = s[99 - threadIdx.x];
}
extern "C" __global__ void spills(float* a, int n) {
  float t[64];
  for (int i = 0; i < 64; ++i) t[i] = a[i * n];
  for (int k = 0; k < n; ++k)
#pragma unroll
    for (int i = 0; i < 64; ++i) t[i] = t[i] * t[(i + 1) % 64] + t[(i * 7) % 64];
  for (int i = 0; i < 64; ++i) a[i * n] = t[i];
}
)";

NvrtcOutput compile_two_kernels(const std::string& arch) {
  return compile_program(nvrtc_library(),
                         make_source(emit::Target::kCuda, kTwoKernels, "spills", ""),
                         {"-arch=" + arch, "-maxrregcount=32", "--ptxas-options=-v"});
}

TEST(CubinTest, reads_what_real_kernels_need) {
  if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC; NUMPY_PLUGIN_TEST_NVRTC can name one";
  for (const char* arch : {"sm_75", "sm_90", "sm_120"}) {
    const NvrtcOutput output = compile_two_kernels(arch);
    const std::vector<KernelResources> kernels = read_resources(output.cubin, output.log);
    ASSERT_EQ(kernels.size(), 2u) << output.log;
    const bool is_swapped = kernels[0].name == "spills";
    const KernelResources& shares = kernels[is_swapped ? 1 : 0];
    const KernelResources& spills = kernels[is_swapped ? 0 : 1];
    EXPECT_EQ(shares.name, "shares");
    EXPECT_EQ(shares.shared_bytes, 400);
    EXPECT_EQ(shares.spill_store_bytes + shares.spill_load_bytes + shares.stack_bytes, 0);
    EXPECT_GT(shares.constant_bytes, 0) << "its argument is there";
    EXPECT_EQ(spills.name, "spills");
    EXPECT_EQ(spills.n_registers, 32);
    EXPECT_GT(spills.spill_store_bytes, 0);
    EXPECT_GT(spills.spill_load_bytes, 0);
    EXPECT_GT(spills.stack_bytes, 0);
    EXPECT_EQ(spills.shared_bytes, 0);
  }
}

TEST(CubinTest, reads_each_form_of_the_report) {
  const std::string log =
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'one' for 'sm_75'\n"
      "ptxas info    : Function properties for one\n"
      "ptxas         .     16 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads\n"
      "ptxas info    : Function properties for helper\n"
      "ptxas         .     99 bytes stack frame, 99 bytes spill stores, 99 bytes spill loads\n"
      "ptxas info    : Used 12 registers, used 1 barriers, 40 bytes cumulative stack size, 400 "
      "bytes smem, 364 bytes cmem[0]\n"
      "ptxas info    : Compiling entry function 'two' for 'sm_75'\n"
      "ptxas info    : Used 7 registers\n";
  const std::vector<KernelResources> kernels = read_resources("", log);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].name, "one");
  EXPECT_EQ(kernels[0].n_registers, 12);
  EXPECT_EQ(kernels[0].stack_bytes, 40);
  EXPECT_EQ(kernels[0].spill_store_bytes, 4);
  EXPECT_EQ(kernels[0].spill_load_bytes, 8);
  EXPECT_EQ(kernels[0].shared_bytes, 400);
  EXPECT_EQ(kernels[1].name, "two");
  EXPECT_EQ(kernels[1].n_registers, 7);
  EXPECT_EQ(kernels[1].stack_bytes, 0);
}

TEST(CubinTest, report_of_another_form_gives_nothing) {
  for (const char* log :
       {"", "Used 5 registers\n", "bytes stack frame, bytes spill stores",
        "Compiling entry function without quotes", "Function properties for \n"}) {
    EXPECT_TRUE(read_resources("", log).empty()) << log;
  }
  const auto kernels = read_resources("", "Compiling entry function 'open\nUsed x registers\n");
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].n_registers, 0);
}

TEST(CubinTest, damaged_cubin_is_read_within_its_bounds) {
  if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC; NUMPY_PLUGIN_TEST_NVRTC can name one";
  const NvrtcOutput output = compile_two_kernels("sm_90");
  const std::size_t n_bytes = output.cubin.size();
  for (std::size_t cut = 0; cut < n_bytes; cut += 1 + cut / 8) {
    const std::string part(output.cubin, 0, cut);
    EXPECT_EQ(read_resources(part, output.log).size(), 2u);
  }
  // Every field of the file header and the section headers, set to its maximum.
  for (std::size_t at = 16; at < n_bytes; at += at < 64 ? 1 : 61) {
    std::string changed = output.cubin;
    changed.replace(at, std::min<std::size_t>(8, n_bytes - at),
                    std::min<std::size_t>(8, n_bytes - at), '\xff');
    EXPECT_EQ(read_resources(changed, output.log).size(), 2u);
  }
}

TEST(CubinTest, packed_parts_come_back) {
  const NvrtcOutput output = {"ptx text", std::string("cu\0bin", 6), "", "log"};
  const std::string packed = pack_cubin(output);
  EXPECT_TRUE(packed.starts_with(output.cubin));
  const NvrtcOutput back = unpack_cubin(packed);
  EXPECT_EQ(back.ptx, output.ptx);
  EXPECT_EQ(back.cubin, output.cubin);
  EXPECT_EQ(back.log, output.log);
}

TEST(CubinTest, unpacking_other_bytes_breaks_a_rule_of_ours) {
  const std::string zeros(19, '0');
  for (const std::string& bytes : {std::string(), std::string("short"), std::string(40, 'x'),
                                   zeros + "9" + zeros + "9", zeros + "9" + std::string(20, '9')}) {
    EXPECT_THROW(unpack_cubin(bytes), base::Error) << bytes;
  }
}

}  // namespace
}  // namespace numpy_plugin::jit
