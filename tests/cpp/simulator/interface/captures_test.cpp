// Stream capture: its state, what it refuses, and what invalidates it.
#include <thread>

#include "simulator/interface/graph_client.hpp"
#include "simulator/interface/kernels.hpp"

namespace numpy_plugin::sim {
namespace {

class InterfaceCaptures : public testing::Test {
 protected:
  static CUstream make_stream(unsigned flags = CU_STREAM_NON_BLOCKING) {
    CUstream stream = nullptr;
    EXPECT_CUDA(the_driver().cuStreamCreate(&stream, flags));
    return stream;
  }
  static CUevent make_event() {
    CUevent event = nullptr;
    EXPECT_CUDA(the_driver().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    return event;
  }
  CUresult fill(CUstream stream) { return the_driver().cuMemsetD32Async(data_, 1, 4, stream); }
  // Ends a capture that is expected to fail, and checks that the stream works again.
  void expect_end(CUstream stream, CUresult expected) {
    auto* graph = reinterpret_cast<CUgraph>(stream);
    EXPECT_EQ(the_driver().cuStreamEndCapture(stream, &graph), expected);
    EXPECT_EQ(graph, nullptr);
    EXPECT_EQ(capture_status(stream), CU_STREAM_CAPTURE_STATUS_NONE);
    EXPECT_CUDA(fill(stream));
    EXPECT_CUDA(the_driver().cuStreamSynchronize(stream));
  }
  // A call that breaks the capture of a stream.
  template <typename Call>
  void expect_invalidated(CUresult expected, const Call& call,
                          CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL) {
    ASSERT_CUDA(begin_capture(stream_, mode));
    EXPECT_EQ(call(), expected) << the_driver().report();
    EXPECT_NE(the_driver().report(), "");
    EXPECT_EQ(capture_status(stream_), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    EXPECT_EQ(fill(stream_), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    expect_end(stream_, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  }

  const SimulatedDevice device_;
  const CUstream stream_ = make_stream();
  const CUdeviceptr data_ = allocate(16);
};

TEST_F(InterfaceCaptures, BeginAndEnd) {
  EXPECT_EQ(capture_status(stream_), CU_STREAM_CAPTURE_STATUS_NONE);
  CUgraph graph = nullptr;
  EXPECT_EQ(the_driver().cuStreamEndCapture(stream_, &graph), CUDA_ERROR_ILLEGAL_STATE);
  ASSERT_CUDA(begin_capture(stream_));
  EXPECT_EQ(capture_status(stream_), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_EQ(begin_capture(stream_), CUDA_ERROR_ILLEGAL_STATE);
  EXPECT_EQ(capture_status(stream_), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_CUDA(the_driver().cuGraphDestroy(end_capture(stream_)));
  EXPECT_EQ(capture_status(stream_), CU_STREAM_CAPTURE_STATUS_NONE);
  EXPECT_EQ(begin_capture(stream_, static_cast<CUstreamCaptureMode>(3)), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(InterfaceCaptures, AreOfAnyStreamButTheLegacyOne) {
  EXPECT_EQ(begin_capture(nullptr), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(begin_capture(CU_STREAM_LEGACY), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  ASSERT_CUDA(begin_capture(CU_STREAM_PER_THREAD));
  ASSERT_CUDA(fill(CU_STREAM_PER_THREAD));
  EXPECT_EQ(node_types(end_capture(CU_STREAM_PER_THREAD)).size(), 1u);
}

TEST_F(InterfaceCaptures, SayWhereTheyAre) {
  using GetInfo = CUresult(CUstream, CUstreamCaptureStatus*, cuuint64_t*, CUgraph*,
                           const CUgraphNode**, std::size_t*);
  auto* const get_info = entry_point<GetInfo>("cuStreamGetCaptureInfo_v2");
  auto status = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
  cuuint64_t id = 0;
  ASSERT_CUDA(get_info(stream_, &status, &id, nullptr, nullptr, nullptr));
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_NONE);
  ASSERT_CUDA(begin_capture(stream_));
  ASSERT_CUDA(fill(stream_));
  ASSERT_CUDA(fill(stream_));
  CUgraph graph = nullptr;
  const CUgraphNode* last = nullptr;
  std::size_t n_last = 0;
  ASSERT_CUDA(get_info(stream_, &status, &id, &graph, &last, &n_last));
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  ASSERT_EQ(n_last, 1u);
  std::vector<CUgraphNode> nodes(2);
  std::size_t n_nodes = 2;
  ASSERT_CUDA(the_driver().cuGraphGetNodes(graph, nodes.data(), &n_nodes));
  EXPECT_EQ(*last, nodes[1]);
  EXPECT_EQ(end_capture(stream_), graph);
  const cuuint64_t before = id;
  ASSERT_CUDA(begin_capture(stream_));
  ASSERT_CUDA(get_info(stream_, &status, &id, nullptr, nullptr, nullptr));
  EXPECT_NE(id, before);
  EXPECT_EQ(get_info(stream_, nullptr, &id, nullptr, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  end_capture(stream_);
}

TEST_F(InterfaceCaptures, EndAsTheyBegan) {
  CUstream other = make_stream();
  CUevent event = make_event();
  ASSERT_CUDA(begin_capture(stream_));
  ASSERT_CUDA(the_driver().cuEventRecord(event, stream_));
  ASSERT_CUDA(the_driver().cuStreamWaitEvent(other, event, 0));
  CUgraph graph = nullptr;
  EXPECT_EQ(the_driver().cuStreamEndCapture(other, &graph), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  expect_end(stream_, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(capture_status(other), CU_STREAM_CAPTURE_STATUS_NONE);
}

TEST_F(InterfaceCaptures, EndInTheThreadThatBeganThem) {
  for (const auto mode : {CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, CU_STREAM_CAPTURE_MODE_RELAXED}) {
    ASSERT_CUDA(begin_capture(stream_, mode));
    CUgraph graph = nullptr;
    CUresult result = CUDA_SUCCESS;
    std::thread([&] { result = the_driver().cuStreamEndCapture(stream_, &graph); }).join();
    if (mode == CU_STREAM_CAPTURE_MODE_RELAXED) {
      EXPECT_EQ(result, CUDA_SUCCESS);
    } else {
      EXPECT_EQ(result, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
      EXPECT_NE(end_capture(stream_), nullptr);
    }
  }
}

TEST_F(InterfaceCaptures, EndJoined) {
  CUstream other = make_stream();
  CUevent event = make_event();
  ASSERT_CUDA(begin_capture(stream_));
  ASSERT_CUDA(fill(stream_));
  ASSERT_CUDA(the_driver().cuEventRecord(event, stream_));
  ASSERT_CUDA(the_driver().cuStreamWaitEvent(other, event, 0));
  ASSERT_CUDA(fill(other));
  expect_end(stream_, CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
  EXPECT_EQ(capture_status(other), CU_STREAM_CAPTURE_STATUS_NONE);
  ASSERT_CUDA(begin_capture(stream_));
  ASSERT_CUDA(fill(stream_));
  ASSERT_CUDA(the_driver().cuEventRecord(event, stream_));
  ASSERT_CUDA(the_driver().cuStreamWaitEvent(other, event, 0));
  EXPECT_NE(end_capture(stream_), nullptr);  // a fork without work needs no join
}

TEST_F(InterfaceCaptures, AreInvalidatedByQueriesOfTheStream) {
  expect_invalidated(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                     [&] { return the_driver().cuStreamSynchronize(stream_); });
  expect_invalidated(
      CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, [&] { return the_driver().cuStreamQuery(stream_); },
      CU_STREAM_CAPTURE_MODE_RELAXED);
  expect_invalidated(
      CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, [&] { return the_driver().cuCtxSynchronize(); },
      CU_STREAM_CAPTURE_MODE_RELAXED);
}

TEST_F(InterfaceCaptures, AreInvalidatedByQueriesOfTheirEvents) {
  CUevent event = make_event();
  for (const auto query : {the_driver().cuEventQuery, the_driver().cuEventSynchronize}) {
    expect_invalidated(
        CUDA_ERROR_CAPTURED_EVENT,
        [&] {
          EXPECT_CUDA(the_driver().cuEventRecord(event, stream_));
          return query(event);
        },
        CU_STREAM_CAPTURE_MODE_RELAXED);
    EXPECT_EQ(query(event), CUDA_ERROR_CAPTURED_EVENT);  // until it is recorded anew
    EXPECT_EQ(the_driver().cuStreamWaitEvent(stream_, event, 0), CUDA_ERROR_CAPTURED_EVENT);
    EXPECT_CUDA(the_driver().cuEventRecord(event, stream_));
    EXPECT_CUDA(the_driver().cuStreamSynchronize(stream_));
    EXPECT_CUDA(query(event));
  }
}

TEST_F(InterfaceCaptures, AreInvalidatedByUnsafeCalls) {
  int on_host = 0;
  void* pinned = nullptr;
  CUdeviceptr address = 0;
  CUmodule module = nullptr;
  CUstream other = make_stream();
  CUevent event = make_event();
  const auto expect = [&](const auto& call) {
    expect_invalidated(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, call);
    expect_invalidated(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, call,
                       CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  };
  expect([&] { return the_driver().cuMemAlloc(&address, 8); });
  expect([&] { return the_driver().cuMemFree(data_); });
  expect([&] { return the_driver().cuMemHostAlloc(&pinned, 8, 0); });
  expect([&] { return the_driver().cuMemHostRegister(&on_host, 4, 0); });
  expect([&] { return the_driver().cuMemcpyDtoH(&on_host, data_, 4); });
  expect([&] { return the_driver().cuMemcpyHtoD(data_, &on_host, 4); });
  expect([&] { return the_driver().cuModuleLoadData(&module, kStore.c_str()); });
  expect([&] { return the_driver().cuStreamSynchronize(other); });
  expect([&] { return the_driver().cuStreamQuery(other); });
  expect([&] { return the_driver().cuEventQuery(event); });
  EXPECT_EQ(pinned, nullptr);
}

TEST_F(InterfaceCaptures, OfTheRelaxedModeAllowUnsafeCalls) {
  int on_host = 0;
  CUdeviceptr address = 0;
  ASSERT_CUDA(begin_capture(stream_, CU_STREAM_CAPTURE_MODE_RELAXED));
  ASSERT_CUDA(fill(stream_));
  EXPECT_CUDA(the_driver().cuMemAlloc(&address, 4));
  EXPECT_CUDA(the_driver().cuMemcpyHtoD(address, &on_host, 4));
  EXPECT_CUDA(the_driver().cuMemFree(address));
  EXPECT_EQ(node_types(end_capture(stream_)).size(), 1u);
}

TEST_F(InterfaceCaptures, ConcernOtherThreadsInTheGlobalMode) {
  CUcontext context = device_.context();
  const auto allocate_elsewhere = [&](CUstreamCaptureMode thread_mode) {
    CUresult result = CUDA_SUCCESS;
    std::thread([&] {
      CUdeviceptr address = 0;
      EXPECT_CUDA(the_driver().cuCtxPushCurrent(context));
      EXPECT_CUDA(the_driver().cuThreadExchangeStreamCaptureMode(&thread_mode));
      result = the_driver().cuMemAlloc(&address, 4);
    }).join();
    return result;
  };
  ASSERT_CUDA(begin_capture(stream_));
  EXPECT_EQ(allocate_elsewhere(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), CUDA_SUCCESS);
  EXPECT_EQ(allocate_elsewhere(CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
  EXPECT_EQ(capture_status(stream_), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_EQ(allocate_elsewhere(CU_STREAM_CAPTURE_MODE_GLOBAL),
            CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  expect_end(stream_, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  ASSERT_CUDA(begin_capture(stream_, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  EXPECT_EQ(allocate_elsewhere(CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
  EXPECT_NE(end_capture(stream_), nullptr);
}

TEST_F(InterfaceCaptures, DoNotConcernWaitsForOtherDevices) {
  ASSERT_CUDA(begin_capture(stream_));
  {
    const SimulatedDevice other;
    EXPECT_CUDA(the_driver().cuCtxSynchronize());
    EXPECT_CUDA(the_driver().cuStreamSynchronize(nullptr));
    EXPECT_CUDA(the_driver().cuEventSynchronize(make_event()));
  }
  EXPECT_NE(end_capture(stream_), nullptr);
}

TEST_F(InterfaceCaptures, LetAThreadRelaxItsMode) {
  CUdeviceptr address = 0;
  auto mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  ASSERT_CUDA(begin_capture(stream_));
  ASSERT_CUDA(the_driver().cuThreadExchangeStreamCaptureMode(&mode));
  EXPECT_EQ(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
  EXPECT_CUDA(the_driver().cuMemAlloc(&address, 4));
  ASSERT_CUDA(the_driver().cuThreadExchangeStreamCaptureMode(&mode));
  EXPECT_EQ(mode, CU_STREAM_CAPTURE_MODE_RELAXED);
  EXPECT_NE(end_capture(stream_), nullptr);
  mode = static_cast<CUstreamCaptureMode>(3);
  EXPECT_EQ(the_driver().cuThreadExchangeStreamCaptureMode(&mode), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(InterfaceCaptures, OfBlockingStreamsLeaveNoUseOfTheLegacyStream) {
  CUstream blocking = make_stream(CU_STREAM_DEFAULT);
  int on_host = 0;
  const auto relaxed = CU_STREAM_CAPTURE_MODE_RELAXED;
  ASSERT_CUDA(begin_capture(blocking, relaxed));
  auto status = CU_STREAM_CAPTURE_STATUS_NONE;
  EXPECT_EQ(the_driver().cuStreamIsCapturing(nullptr, &status), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  EXPECT_EQ(capture_status(blocking), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_EQ(fill(nullptr), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  expect_end(blocking, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  ASSERT_CUDA(begin_capture(blocking, relaxed));
  EXPECT_EQ(the_driver().cuMemcpyDtoH(&on_host, data_, 4), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  expect_end(blocking, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  ASSERT_CUDA(begin_capture(blocking, relaxed));
  EXPECT_EQ(the_driver().cuStreamQuery(nullptr), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  expect_end(blocking, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST_F(InterfaceCaptures, OfOtherStreamsLeaveTheLegacyStreamAlone) {
  ASSERT_CUDA(begin_capture(stream_));
  EXPECT_CUDA(fill(nullptr));
  EXPECT_TRUE(node_types(end_capture(stream_)).empty());
}

TEST_F(InterfaceCaptures, AreIsolatedFromWorkOutside) {
  CUstream other = make_stream();
  CUevent event = make_event();
  ASSERT_CUDA(the_driver().cuEventRecord(event, other));
  expect_invalidated(CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
                     [&] { return the_driver().cuStreamWaitEvent(stream_, event, 0); });
  ASSERT_CUDA(begin_capture(stream_));
  ASSERT_CUDA(the_driver().cuStreamWaitEvent(stream_, event, CU_EVENT_WAIT_EXTERNAL));
  EXPECT_EQ(node_types(end_capture(stream_)), std::vector{CU_GRAPH_NODE_TYPE_WAIT_EVENT});
}

TEST_F(InterfaceCaptures, AreNotMerged) {
  CUstream other = make_stream();
  CUevent event = make_event();
  ASSERT_CUDA(begin_capture(other, CU_STREAM_CAPTURE_MODE_RELAXED));
  ASSERT_CUDA(the_driver().cuEventRecord(event, other));
  expect_invalidated(CUDA_ERROR_STREAM_CAPTURE_MERGE,
                     [&] { return the_driver().cuStreamWaitEvent(stream_, event, 0); });
  expect_end(other, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST_F(InterfaceCaptures, AreOverWhenTheirStreamIsDestroyed) {
  CUstream other = make_stream();
  ASSERT_CUDA(begin_capture(other));
  ASSERT_CUDA(the_driver().cuStreamDestroy(other));
  CUdeviceptr address = 0;
  EXPECT_CUDA(the_driver().cuMemAlloc(&address, 8));
  {
    const SimulatedDevice second;
    ASSERT_CUDA(begin_capture(make_stream()));
  }
  EXPECT_CUDA(the_driver().cuMemAlloc(&address, 8));
}

TEST_F(InterfaceCaptures, CheckWhatTheyCapture) {
  ASSERT_CUDA(begin_capture(stream_));
  EXPECT_EQ(the_driver().cuMemsetD32Async(data_ + 16, 1, 4, stream_), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(capture_status(stream_), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_TRUE(node_types(end_capture(stream_)).empty());
}

}  // namespace
}  // namespace numpy_plugin::sim
