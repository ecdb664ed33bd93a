// Contexts: the current one, and errors without one.
#include <thread>

#include "simulator/interface/client.hpp"

namespace numpy_plugin::sim {
namespace {

TEST(InterfaceContexts, AreOnePrimaryOneOfADevice) {
  const SimulatedDevice device;
  CUcontext again = nullptr;
  ASSERT_CUDA(the_driver().cuDevicePrimaryCtxRetain(&again, device.ordinal()));
  EXPECT_EQ(again, device.context());
  unsigned flags = 1;
  int is_active = 0;
  ASSERT_CUDA(the_driver().cuDevicePrimaryCtxGetState(device.ordinal(), &flags, &is_active));
  EXPECT_EQ(is_active, 1);
  EXPECT_CUDA(the_driver().cuDevicePrimaryCtxRelease(device.ordinal()));
  EXPECT_CUDA(the_driver().cuCtxSynchronize());
}

TEST(InterfaceContexts, EndWhenReleasedByAll) {
  const SimulatedDevice device;
  const CUdeviceptr address = allocate(100);
  CUstream stream = nullptr;
  ASSERT_CUDA(the_driver().cuStreamCreate(&stream, 0));
  ASSERT_CUDA(the_driver().cuDevicePrimaryCtxRelease(device.ordinal()));
  unsigned flags = 0;
  int is_active = 1;
  ASSERT_CUDA(the_driver().cuDevicePrimaryCtxGetState(device.ordinal(), &flags, &is_active));
  EXPECT_EQ(is_active, 0);
  EXPECT_EQ(the_driver().cuMemFree(address), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(the_driver().cuStreamSynchronize(stream), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(the_driver().cuStreamDestroy(stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(the_driver().cuDevicePrimaryCtxRelease(device.ordinal()), CUDA_ERROR_INVALID_CONTEXT);
  CUcontext anew = nullptr;
  ASSERT_CUDA(the_driver().cuDevicePrimaryCtxRetain(&anew, device.ordinal()));
  EXPECT_NE(anew, device.context());
}

TEST(InterfaceContexts, EndWithTheirOneUse) {
  const SimulatedDevice device;
  CUcontext made = nullptr;
  ASSERT_CUDA(entry_point<CUresult(CUcontext*, unsigned, CUdevice)>("cuCtxCreate_v2")(
      &made, 0, device.ordinal()));
  auto* const detach = entry_point<CUresult(CUcontext)>("cuCtxDetach");
  ASSERT_CUDA(detach(made));
  CUcontext current = nullptr;
  ASSERT_CUDA(the_driver().cuCtxGetCurrent(&current));
  EXPECT_EQ(current, device.context());
  EXPECT_NE(detach(made), CUDA_SUCCESS);
}

TEST(InterfaceContexts, ArePushedAndPopped) {
  const SimulatedDevice first;
  const SimulatedDevice second;
  CUcontext context = nullptr;
  ASSERT_CUDA(the_driver().cuCtxGetCurrent(&context));
  EXPECT_EQ(context, second.context());
  ASSERT_CUDA(the_driver().cuCtxPushCurrent(first.context()));
  CUdevice ordinal = -1;
  ASSERT_CUDA(the_driver().cuCtxGetDevice(&ordinal));
  EXPECT_EQ(ordinal, first.ordinal());
  ASSERT_CUDA(the_driver().cuCtxPopCurrent(&context));
  EXPECT_EQ(context, first.context());
  ASSERT_CUDA(the_driver().cuCtxSetCurrent(first.context()));
  ASSERT_CUDA(the_driver().cuCtxGetCurrent(&context));
  EXPECT_EQ(context, first.context());
  ASSERT_CUDA(the_driver().cuCtxPopCurrent(nullptr));
  ASSERT_CUDA(the_driver().cuCtxGetCurrent(&context));
  EXPECT_EQ(context, first.context());  // set instead of the second, which is gone
  ASSERT_CUDA(the_driver().cuCtxPushCurrent(second.context()));
}

TEST(InterfaceContexts, AreCurrentInOneThread) {
  const SimulatedDevice device;
  CUcontext context = device.context();
  CUresult popped = CUDA_SUCCESS;
  std::thread([&] {
    CUcontext nobody = nullptr;
    the_driver().cuCtxGetCurrent(&context);
    popped = the_driver().cuCtxPopCurrent(&nobody);
  }).join();
  EXPECT_EQ(context, nullptr);
  EXPECT_EQ(popped, CUDA_ERROR_INVALID_CONTEXT);
}

TEST(InterfaceContexts, AreNeededForMostCalls) {
  std::thread([] {
    CUdeviceptr address = 0;
    CUstream stream = nullptr;
    CUmodule module = nullptr;
    int byte = 0;
    EXPECT_EQ(the_driver().cuMemAlloc(&address, 8), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(the_driver().report(), "the thread has no current context");
    EXPECT_EQ(the_driver().cuMemcpyHtoD(4096, &byte, 1), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(the_driver().cuStreamCreate(&stream, 0), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(the_driver().cuModuleLoadData(&module, ".version 8.0"), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(the_driver().cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(the_driver().cuCtxPushCurrent(nullptr), CUDA_ERROR_INVALID_CONTEXT);
  }).join();
}

TEST(InterfaceContexts, HaveLimits) {
  const SimulatedDevice device;
  std::size_t value = 0;
  ASSERT_CUDA(the_driver().cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
  EXPECT_EQ(value, 1024u);
  ASSERT_CUDA(the_driver().cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
  ASSERT_CUDA(the_driver().cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
  EXPECT_EQ(value, 4096u);
  EXPECT_EQ(the_driver().cuCtxSetLimit(CU_LIMIT_MAX, 1), CUDA_ERROR_UNSUPPORTED_LIMIT);
  int least = 1;
  int greatest = 1;
  ASSERT_CUDA(the_driver().cuCtxGetStreamPriorityRange(&least, &greatest));
  EXPECT_EQ(least, 0);
  EXPECT_LT(greatest, least);
}

}  // namespace
}  // namespace numpy_plugin::sim
