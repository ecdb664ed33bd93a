// Cooperative launches: barriers of the whole grid, and grids that are too large for the device.
#include "simulator/interface/client.hpp"
#include "simulator/interface/kernels.hpp"

namespace numpy_plugin::sim {
namespace {

// sum_twice(int* parts, int* totals): each block stores its number to parts and, after a barrier of
// the grid as the headers of cooperative groups have it, adds up all parts to totals[block].
const std::string kSumOfGrid = with_header(R"(
.visible .entry sum_of_grid(.param .u64 parts, .param .u64 totals)
{
  .reg .pred %p<4>;
  .reg .b32 %r<16>;
  .reg .b64 %d<8>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %nctaid.x;
  mov.u32 %r3, %tid.x;
  ld.param.u64 %d1, [parts];
  ld.param.u64 %d2, [totals];
  mul.wide.u32 %d3, %r1, 4;
  add.s64 %d4, %d1, %d3;
  add.s64 %d5, %d2, %d3;
  st.global.u32 [%d4], %r1;

  mov.u32 %r4, %envreg1;
  mov.u32 %r5, %envreg2;
  mov.b64 %d6, {%r5, %r4};
  barrier.sync 0;
  setp.ne.u32 %p1, %r3, 0;
  @%p1 bra wait;
  setp.eq.u32 %p2, %r1, 0;
  sub.u32 %r6, 0x80000001, %r2;
  selp.u32 %r6, %r6, 1, %p2;
  atom.add.release.gpu.u32 %r7, [%d6+4], %r6;
spin:
  ld.acquire.gpu.u32 %r8, [%d6+4];
  xor.b32 %r9, %r7, %r8;
  setp.ge.s32 %p3, %r9, 0;
  @%p3 bra spin;
wait:
  barrier.sync 0;

  mov.u32 %r10, 0;
  mov.u32 %r11, 0;
more:
  ld.global.u32 %r12, [%d1];
  add.u32 %r10, %r10, %r12;
  add.s64 %d1, %d1, 4;
  add.u32 %r11, %r11, 1;
  setp.lt.u32 %p1, %r11, %r2;
  @%p1 bra more;
  st.global.u32 [%d5], %r10;
  ret;
}
)");

using LaunchCooperative = CUresult(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned,
                                   unsigned, unsigned, CUstream, void**);

class InterfaceCooperative : public testing::Test {
 protected:
  static NppSimulatorOptions options() {
    NppSimulatorOptions options = default_options();
    options.n_multiprocessors = 4;
    return options;
  }
  CUresult launch_all(CUfunction function, unsigned n_blocks, unsigned n_threads,
                      std::vector<void*> parameters = {}, CUstream stream = nullptr) {
    return launch_cooperative_(function, n_blocks, 1, 1, n_threads, 1, 1, 0, stream,
                               parameters.data());
  }
  CUfunction sum() { return get_function(load_ptx(kSumOfGrid), "sum_of_grid"); }
  std::vector<unsigned> expected_totals(unsigned n_blocks) {
    return std::vector<unsigned>(n_blocks, n_blocks * (n_blocks - 1) / 2);
  }

 private:
  const SimulatedDevice device_{options()};
  LaunchCooperative* const launch_cooperative_ =
      entry_point<LaunchCooperative>("cuLaunchCooperativeKernel");
};

TEST_F(InterfaceCooperative, AllBlocksRunAtOnce) {
  for (const unsigned n_blocks : {1u, 2u, 100u}) {  // more than other launches keep at once
    CUdeviceptr parts = to_device(std::vector<unsigned>(n_blocks, 77u));
    CUdeviceptr totals = allocate(n_blocks * 4);
    ASSERT_CUDA(launch_all(sum(), n_blocks, 64, {&parts, &totals}));
    EXPECT_EQ(to_host<unsigned>(totals, n_blocks), expected_totals(n_blocks)) << n_blocks;
  }
}

TEST_F(InterfaceCooperative, AreRequestedByAnAttributeToo) {
  constexpr unsigned kBlocks = 100;
  CUdeviceptr parts = allocate(kBlocks * 4);
  CUdeviceptr totals = allocate(kBlocks * 4);
  void* parameters[] = {&parts, &totals};
  CUlaunchAttribute attribute = {};
  attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  attribute.value.cooperative = 1;
  CUlaunchConfig config = {};
  config.gridDimX = kBlocks;
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.blockDimX = 32;
  config.attrs = &attribute;
  config.numAttrs = 1;
  auto* const launch_ex =
      entry_point<CUresult(const CUlaunchConfig*, CUfunction, void**, void**)>("cuLaunchKernelEx");
  ASSERT_CUDA(launch_ex(&config, sum(), parameters, nullptr));
  EXPECT_EQ(to_host<unsigned>(totals, kBlocks), expected_totals(kBlocks));
}

TEST_F(InterfaceCooperative, RepeatInGraphs) {
  constexpr unsigned kBlocks = 40;
  CUdeviceptr parts = allocate(kBlocks * 4);
  CUdeviceptr totals = allocate(kBlocks * 4);
  const CUfunction function = sum();
  CUstream stream = nullptr;
  ASSERT_CUDA(the_driver().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  ASSERT_CUDA(the_driver().cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  ASSERT_CUDA(launch_all(function, kBlocks, 32, {&parts, &totals}, stream));
  ASSERT_CUDA(launch_all(function, kBlocks, 32, {&totals, &parts}, stream));
  CUgraph graph = nullptr;
  ASSERT_CUDA(the_driver().cuStreamEndCapture(stream, &graph));
  CUgraphExec exec = nullptr;
  ASSERT_CUDA(the_driver().cuGraphInstantiateWithFlags(&exec, graph, 0));
  for (int repetition = 0; repetition < 2; ++repetition) {
    ASSERT_CUDA(the_driver().cuGraphLaunch(exec, stream));
    ASSERT_CUDA(the_driver().cuStreamSynchronize(stream));
    EXPECT_EQ(to_host<unsigned>(parts, kBlocks), expected_totals(kBlocks));
  }
}

TEST_F(InterfaceCooperative, HaveAsManyBlocksAsAreResident) {
  CUdeviceptr parts = allocate(4096);
  CUdeviceptr totals = allocate(4096);
  int per_multiprocessor = 0;
  const CUfunction function = sum();
  ASSERT_CUDA(the_driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor,
                                                                       function, 1024, 0));
  const unsigned most = 4 * static_cast<unsigned>(per_multiprocessor);
  ASSERT_EQ(most, 8u);
  EXPECT_CUDA(launch_all(function, most, 1024, {&parts, &totals}));
  EXPECT_EQ(launch_all(function, most + 1, 1024, {&parts, &totals}),
            CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  EXPECT_EQ(std::string(the_driver().report()),
            "launch of kernel 'sum_of_grid': a cooperative launch of 9 blocks; at once the device "
            "runs 8, 2 on each of 4 multiprocessors");
}

TEST_F(InterfaceCooperative, OtherLaunchesHaveNoWorkspace) {
  CUdeviceptr parts = allocate(4);
  CUdeviceptr totals = allocate(4);
  ASSERT_CUDA(launch(sum(), 1, 32, {&parts, &totals}));
  EXPECT_EQ(the_driver().cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

}  // namespace
}  // namespace numpy_plugin::sim
