// Launches: passing of parameters, and launches that a device rejects.
#include "simulator/interface/client.hpp"
#include "simulator/interface/kernels.hpp"

namespace numpy_plugin::sim {
namespace {

class InterfaceLaunches : public testing::Test {
 protected:
  struct Shape {
    unsigned grid[3] = {1, 1, 1};
    unsigned block[3] = {1, 1, 1};
    unsigned shared_bytes = 0;
  };
  CUresult launch_shape(CUfunction function, const Shape& shape) {
    return the_driver().cuLaunchKernel(function, shape.grid[0], shape.grid[1], shape.grid[2],
                                       shape.block[0], shape.block[1], shape.block[2],
                                       shape.shared_bytes, nullptr, nullptr, nullptr);
  }
  CUfunction limited(const char* name) { return get_function(limits_, name); }
  int attribute(CUfunction function, CUfunction_attribute name) {
    int value = -1;
    EXPECT_CUDA(the_driver().cuFuncGetAttribute(&value, name, function));
    return value;
  }
  std::string report() { return the_driver().report(); }

 private:
  const SimulatedDevice device_;
  const CUmodule limits_ = load_ptx(kLimits);
};

TEST_F(InterfaceLaunches, TakeParametersByPointersOrInABuffer) {
  const CUfunction store = get_function(load_ptx(kStore), "store");
  struct {
    CUdeviceptr at;
    int value;
    int padding;
  } parameters = {allocate(4), 5, 0};
  ASSERT_CUDA(launch(store, 1, 1, {&parameters.at, &parameters.value}));
  EXPECT_EQ(to_host<int>(parameters.at, 1), std::vector<int>{5});
  const auto launch_buffer = [&](std::size_t n_bytes) {
    parameters.value = static_cast<int>(n_bytes);
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &parameters, CU_LAUNCH_PARAM_BUFFER_SIZE,
                     &n_bytes, CU_LAUNCH_PARAM_END};
    return the_driver().cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra);
  };
  for (const std::size_t n_bytes : {12u, 16u}) {
    ASSERT_CUDA(launch_buffer(n_bytes));
    EXPECT_EQ(to_host<int>(parameters.at, 1), std::vector<int>{static_cast<int>(n_bytes)});
  }
  for (const std::size_t n_bytes : {0u, 8u, 11u, 32u}) {
    EXPECT_EQ(launch_buffer(n_bytes), CUDA_ERROR_INVALID_VALUE);
    EXPECT_TRUE(contains(report(), "the kernel's parameters have 12")) << report();
  }
}

TEST_F(InterfaceLaunches, RefuseParametersThatAreMissing) {
  const CUfunction store = get_function(load_ptx(kStore), "store");
  EXPECT_EQ(launch_shape(store, {}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(report(), "launch of kernel 'store': no parameters are given; the kernel has 2");
  CUdeviceptr address = allocate(4);
  EXPECT_EQ(launch(store, 1, 1, {&address, nullptr}), CUDA_ERROR_INVALID_VALUE);
  int value = 0;
  void* pointers[] = {&address, &value};
  void* extra[] = {CU_LAUNCH_PARAM_END};
  EXPECT_EQ(the_driver().cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, nullptr, pointers, extra),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch(nullptr, 1, 1, {}), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(InterfaceLaunches, RefuseDimensionsThatNoDeviceHas) {
  const CUfunction function = limited("with_shared");
  EXPECT_CUDA(launch_shape(function, {}));
  const auto refuse = [&](const Shape& shape, const std::string& part) {
    EXPECT_EQ(launch_shape(function, shape), CUDA_ERROR_INVALID_VALUE);
    EXPECT_TRUE(contains(report(), part)) << report();
  };
  refuse({{0, 1, 1}, {1, 1, 1}}, "the grid is (0, 1, 1); dimension x can be 1 to 2147483647");
  refuse({{1, 65536, 1}, {1, 1, 1}}, "dimension y can be 1 to 65535");
  refuse({{1, 1, 65536}, {1, 1, 1}}, "dimension z can be 1 to 65535");
  refuse({{1u << 31, 1, 1}, {1, 1, 1}}, "dimension x");
  refuse({{1, 1, 1}, {1, 0, 1}}, "the block is (1, 0, 1); dimension y can be 1 to 1024");
  refuse({{1, 1, 1}, {1025, 1, 1}}, "dimension x can be 1 to 1024");
  refuse({{1, 1, 1}, {1, 1, 65}}, "dimension z can be 1 to 64");
  refuse({{1, 1, 1}, {32, 33, 1}}, "has 1056 threads; the device allows 1024");
}

TEST_F(InterfaceLaunches, RefuseBlocksThatTheKernelWasNotCompiledFor) {
  EXPECT_CUDA(launch_shape(limited("at_most_64"), {{1, 1, 1}, {8, 8, 1}}));
  EXPECT_EQ(launch_shape(limited("at_most_64"), {{1, 1, 1}, {65, 1, 1}}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_TRUE(contains(report(), "compiled for at most 64")) << report();
  EXPECT_CUDA(launch_shape(limited("exactly_32"), {{1, 1, 1}, {32, 1, 1}}));
  EXPECT_EQ(launch_shape(limited("exactly_32"), {{1, 1, 1}, {16, 2, 1}}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_TRUE(contains(report(), "compiled for (32, 1, 1)")) << report();
}

TEST_F(InterfaceLaunches, RefuseSharedMemoryBeyondWhatIsAllowed) {
  const CUfunction function = limited("with_shared");
  constexpr unsigned kAllowed = 47 * 1024;  // in addition to 1 KiB of static memory
  EXPECT_CUDA(launch_shape(function, {{1, 1, 1}, {1, 1, 1}, kAllowed}));
  EXPECT_EQ(launch_shape(function, {{1, 1, 1}, {1, 1, 1}, kAllowed + 1}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_TRUE(contains(report(), "48128 are allowed besides 1024 bytes of static")) << report();
  constexpr auto kMost = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
  EXPECT_EQ(the_driver().cuFuncSetAttribute(function, kMost, 227 * 1024), CUDA_ERROR_INVALID_VALUE);
  EXPECT_TRUE(contains(report(), "a block can have 231424")) << report();
  ASSERT_CUDA(the_driver().cuFuncSetAttribute(function, kMost, 226 * 1024));
  EXPECT_CUDA(launch_shape(function, {{1, 1, 1}, {1, 1, 1}, 226 * 1024}));
  EXPECT_CUDA(the_driver().cuCtxSynchronize());
}

TEST_F(InterfaceLaunches, KnowWhatAFunctionNeeds) {
  const CUfunction function = limited("with_shared");
  EXPECT_EQ(attribute(function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES), 1024);
  EXPECT_EQ(attribute(function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 1024);
  EXPECT_EQ(attribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES), 47 * 1024);
  EXPECT_GE(attribute(function, CU_FUNC_ATTRIBUTE_NUM_REGS), 1);
  EXPECT_EQ(attribute(function, CU_FUNC_ATTRIBUTE_PTX_VERSION), 75);
  EXPECT_EQ(attribute(function, CU_FUNC_ATTRIBUTE_BINARY_VERSION), 90);
  EXPECT_EQ(attribute(limited("at_most_64"), CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 64);
  EXPECT_EQ(attribute(function, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES), 0);
  const std::string constants = ".const .b8 a[20]; .const .align 8 .b8 b[8]; .global .u32 c;\n";
  const CUmodule module = load_ptx(with_header(constants + ".visible .entry k() { ret; }\n"));
  EXPECT_EQ(attribute(get_function(module, "k"), CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES), 28);
  int value = 0;
  EXPECT_EQ(the_driver().cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX, function),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(the_driver().cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_NUM_REGS, 3),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(InterfaceLaunches, FitOnAMultiprocessor) {
  const auto n_blocks = [&](const char* name, int n_threads, std::size_t shared_bytes) {
    int count = -1;
    EXPECT_CUDA(the_driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(&count, limited(name),
                                                                         n_threads, shared_bytes));
    return count;
  };
  EXPECT_EQ(n_blocks("exactly_32", 32, 0), 32);  // the maximum number of blocks
  EXPECT_EQ(n_blocks("with_shared", 1024, 0), 2);
  EXPECT_EQ(n_blocks("with_shared", 32, 46 * 1024), 4);  // 48 KiB each, with the system's, of 228
  EXPECT_EQ(n_blocks("at_most_64", 96, 0), 0);
  int grid = 0;
  int block = 0;
  ASSERT_CUDA(the_driver().cuOccupancyMaxPotentialBlockSize(&grid, &block, limited("with_shared"),
                                                            nullptr, 0, 0));
  EXPECT_EQ(block, 1024);
  EXPECT_EQ(grid, 2 * 132);
  ASSERT_CUDA(the_driver().cuOccupancyMaxPotentialBlockSize(&grid, &block, limited("with_shared"),
                                                            nullptr, 0, 300));
  EXPECT_EQ(block, 256);
  EXPECT_EQ(grid, 8 * 132);
  EXPECT_EQ(
      the_driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(&grid, limited("with_shared"), 0, 0),
      CUDA_ERROR_INVALID_VALUE);
}

// Registers are allocated eight at a time: 65536 / 384 is 170, and 168 leave room for a block.
TEST_F(InterfaceLaunches, FitWithAsManyRegistersAsTheirBlocksPermit) {
  std::string text = ".visible .entry k() .maxntid 384, 1, 1 {\n  .reg .b32 %r<300>;\n";
  for (int number = 0; number < 300; ++number) {
    text += "  mov.u32 %r" + std::to_string(number) + ", 0;\n";
  }
  const CUfunction function = get_function(load_ptx(with_header(text + "  ret;\n}\n")), "k");
  int n_blocks = 0;
  EXPECT_EQ(attribute(function, CU_FUNC_ATTRIBUTE_NUM_REGS), 168);
  EXPECT_CUDA(
      the_driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(&n_blocks, function, 384, 0));
  EXPECT_EQ(n_blocks, 1);
}

TEST_F(InterfaceLaunches, HaveClustersOfOneBlock) {
  const std::string kernel = ".visible .entry k() .reqnctapercluster ";
  EXPECT_CUDA(launch(get_function(load_ptx(with_header(kernel + "1, 1, 1 { ret; }", "sm_90")), "k"),
                     4, 1, {}));
  EXPECT_EQ(launch(get_function(load_ptx(with_header(kernel + "1, 2, 1 { ret; }", "sm_90")), "k"),
                   4, 1, {}),
            CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_TRUE(contains(report(), "clusters of (1, 2, 1) blocks")) << report();
}

TEST_F(InterfaceLaunches, WithAttributesAreTheSame) {
  const CUfunction store = get_function(load_ptx(kStore), "store");
  CUdeviceptr address = allocate(4);
  int value = 9;
  void* parameters[] = {&address, &value};
  CUlaunchAttribute attribute = {};
  attribute.id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
  CUlaunchConfig config = {};
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = config.blockDimY = config.blockDimZ = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  ASSERT_CUDA(the_driver().cuLaunchKernelEx(&config, store, parameters, nullptr));
  EXPECT_EQ(to_host<int>(address, 1), std::vector<int>{9});
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim = {2, 1, 1};
  EXPECT_EQ(the_driver().cuLaunchKernelEx(&config, store, parameters, nullptr),
            CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(report(),
            "launch of kernel 'store': clusters of (2, 1, 1) blocks; the simulator has clusters "
            "of one block");
  attribute.value.clusterDim = {4, 4, 2};
  EXPECT_EQ(the_driver().cuLaunchKernelEx(&config, store, parameters, nullptr),
            CUDA_ERROR_INVALID_CLUSTER_SIZE);
  attribute.value.clusterDim = {1, 1, 1};
  EXPECT_CUDA(the_driver().cuLaunchKernelEx(&config, store, parameters, nullptr));
}

TEST_F(InterfaceLaunches, AreOfOneDevice) {
  const CUfunction function = limited("exactly_32");
  const SimulatedDevice other;
  EXPECT_EQ(launch(function, 1, 32, {}), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_TRUE(contains(report(), "different contexts")) << report();
}

}  // namespace
}  // namespace numpy_plugin::sim
