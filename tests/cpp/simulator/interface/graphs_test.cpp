// Graphs made by capture: what becomes a node, and what a launch does.
#include <algorithm>
#include <thread>

#include "simulator/interface/graph_client.hpp"
#include "simulator/interface/kernels.hpp"

namespace numpy_plugin::sim {
namespace {

class InterfaceGraphs : public testing::Test {
 protected:
  void SetUp() override {
    stream_ = make_stream();
    add_one_ = get_function(load_ptx(kAddOne), "add_one");
  }
  static CUstream make_stream() {
    CUstream stream = nullptr;
    EXPECT_CUDA(the_driver().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    return stream;
  }
  static CUevent make_event() {
    CUevent event = nullptr;
    EXPECT_CUDA(the_driver().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    return event;
  }
  void add_one(CUdeviceptr data, unsigned n, CUstream stream) {
    EXPECT_CUDA(launch(add_one_, (n + 31) / 32, 32, {&data, &n}, stream));
  }
  void launch_graph(CUgraphExec exec) { EXPECT_CUDA(the_driver().cuGraphLaunch(exec, stream_)); }
  CUresult finish() { return the_driver().cuStreamSynchronize(stream_); }

  const SimulatedDevice device_;
  CUstream stream_ = nullptr;
  CUfunction add_one_ = nullptr;
};

TEST_F(InterfaceGraphs, RunWhatWasCapturedAtEachLaunch) {
  CUdeviceptr data = to_device(std::vector<int>(64));
  ASSERT_CUDA(begin_capture(stream_));
  add_one(data, 64, stream_);
  add_one(data, 32, stream_);
  const CUgraph graph = end_capture(stream_);
  const CUgraphExec exec = instantiate(graph);
  ASSERT_CUDA(the_driver().cuGraphDestroy(graph));  // the executable form is independent of it
  EXPECT_EQ(to_host<int>(data, 64), std::vector<int>(64, 0));
  for (int number = 0; number < 3; ++number) launch_graph(exec);
  ASSERT_CUDA(finish());
  std::vector<int> expected(64, 3);
  std::fill_n(expected.begin(), 32, 6);
  EXPECT_EQ(to_host<int>(data, 64), expected);
  ASSERT_CUDA(the_driver().cuGraphExecDestroy(exec));
  EXPECT_EQ(the_driver().cuGraphLaunch(exec, stream_), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(the_driver().cuGraphDestroy(graph), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(InterfaceGraphs, HaveANodeForEachKindOfWork) {
  const CUdeviceptr data = allocate(64);
  std::vector<int> sent(16, 3);  // pageable: read at each launch
  int* received = nullptr;
  ASSERT_CUDA(the_driver().cuMemHostAlloc(reinterpret_cast<void**>(&received), 64, 0));
  int n_calls = 0;
  ASSERT_CUDA(begin_capture(stream_));
  ASSERT_CUDA(the_driver().cuMemsetD32Async(data, 7, 16, stream_));
  ASSERT_CUDA(the_driver().cuMemcpyHtoDAsync(data, sent.data(), 32, stream_));
  add_one(data, 16, stream_);
  ASSERT_CUDA(the_driver().cuMemcpyDtoHAsync(received, data, 64, stream_));
  ASSERT_CUDA(the_driver().cuLaunchHostFunc(
      stream_, [](void* count) { ++*static_cast<int*>(count); }, &n_calls));
  const CUgraph graph = end_capture(stream_);
  EXPECT_EQ(node_types(graph), (std::vector{CU_GRAPH_NODE_TYPE_MEMSET, CU_GRAPH_NODE_TYPE_MEMCPY,
                                            CU_GRAPH_NODE_TYPE_KERNEL, CU_GRAPH_NODE_TYPE_MEMCPY,
                                            CU_GRAPH_NODE_TYPE_HOST}));
  const CUgraphExec exec = instantiate(graph);
  for (int value : {3, 40}) {
    std::fill(sent.begin(), sent.end(), value);
    launch_graph(exec);
    ASSERT_CUDA(finish());
    std::vector<int> expected(16, 8);
    std::fill_n(expected.begin(), 8, value + 1);
    EXPECT_EQ(std::vector<int>(received, received + 16), expected);
  }
  EXPECT_EQ(n_calls, 2);
  EXPECT_CUDA(the_driver().cuMemFreeHost(received));
}

TEST_F(InterfaceGraphs, KeepTheParametersOfTheCapture) {
  const CUfunction store = get_function(load_ptx(kStore), "store");
  CUdeviceptr at = to_device(std::vector<int>{0});
  int value = 5;
  ASSERT_CUDA(begin_capture(stream_));
  ASSERT_CUDA(launch(store, 1, 1, {&at, &value}, stream_));
  value = 6;
  launch_graph(instantiate(end_capture(stream_)));
  ASSERT_CUDA(finish());
  EXPECT_EQ(to_host<int>(at, 1), std::vector<int>{5});
}

TEST_F(InterfaceGraphs, IncludeStreamsThatForkAndJoin) {
  CUdeviceptr first = to_device(std::vector<int>(8));
  CUdeviceptr second = to_device(std::vector<int>(8));
  CUstream other = make_stream();
  CUevent fork = make_event();
  CUevent join = make_event();
  ASSERT_CUDA(begin_capture(stream_));
  ASSERT_CUDA(the_driver().cuMemsetD32Async(first, 10, 8, stream_));
  ASSERT_CUDA(the_driver().cuEventRecord(fork, stream_));
  ASSERT_CUDA(the_driver().cuStreamWaitEvent(other, fork, 0));
  EXPECT_EQ(capture_status(other), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  ASSERT_CUDA(the_driver().cuMemcpyDtoDAsync(second, first, 32, other));
  add_one(second, 8, other);
  ASSERT_CUDA(the_driver().cuEventRecord(join, other));
  ASSERT_CUDA(the_driver().cuStreamWaitEvent(stream_, join, 0));
  add_one(second, 8, stream_);
  const CUgraph graph = end_capture(stream_);
  EXPECT_EQ(capture_status(other), CU_STREAM_CAPTURE_STATUS_NONE);
  EXPECT_EQ(node_types(graph),  // events are dependencies, not nodes
            (std::vector{CU_GRAPH_NODE_TYPE_MEMSET, CU_GRAPH_NODE_TYPE_MEMCPY,
                         CU_GRAPH_NODE_TYPE_KERNEL, CU_GRAPH_NODE_TYPE_KERNEL}));
  launch_graph(instantiate(graph));
  ASSERT_CUDA(finish());
  EXPECT_EQ(to_host<int>(second, 8), std::vector<int>(8, 12));
}

TEST_F(InterfaceGraphs, AreLaunchedInTheOrderOfTheStream) {
  CUdeviceptr data = to_device(std::vector<int>(4));
  ASSERT_CUDA(begin_capture(stream_));
  add_one(data, 4, stream_);
  const CUgraphExec exec = instantiate(end_capture(stream_));
  Gate gate;
  gate.hold(stream_);
  ASSERT_CUDA(the_driver().cuMemsetD32Async(data, 100, 4, stream_));
  launch_graph(exec);
  ASSERT_CUDA(the_driver().cuMemsetD32Async(data, 0, 2, stream_));
  EXPECT_EQ(the_driver().cuStreamQuery(stream_), CUDA_ERROR_NOT_READY);
  gate.open();
  ASSERT_CUDA(finish());
  EXPECT_EQ(to_host<int>(data, 4), (std::vector<int>{0, 0, 101, 101}));
}

TEST_F(InterfaceGraphs, AreNotLaunchedBesideThemselves) {
  CUdeviceptr data = to_device(std::vector<int>(4));
  ASSERT_CUDA(begin_capture(stream_));
  add_one(data, 4, stream_);
  const CUgraphExec exec = instantiate(end_capture(stream_));
  CUstream other = make_stream();
  Gate gate;
  gate.hold(stream_);
  launch_graph(exec);
  ASSERT_CUDA(the_driver().cuGraphLaunch(exec, other));
  EXPECT_EQ(the_driver().cuStreamQuery(other), CUDA_ERROR_NOT_READY);
  gate.open();
  ASSERT_CUDA(the_driver().cuStreamSynchronize(other));
  EXPECT_EQ(to_host<int>(data, 4), std::vector<int>(4, 2));
}

TEST_F(InterfaceGraphs, AreNodesOfGraphsThatAreCaptured) {
  CUdeviceptr data = to_device(std::vector<int>(4));
  ASSERT_CUDA(begin_capture(stream_));
  add_one(data, 4, stream_);
  const CUgraphExec inner = instantiate(end_capture(stream_));
  ASSERT_CUDA(begin_capture(stream_));
  launch_graph(inner);
  launch_graph(inner);
  const CUgraph outer = end_capture(stream_);
  EXPECT_EQ(node_types(outer), std::vector(2, CU_GRAPH_NODE_TYPE_GRAPH));
  EXPECT_EQ(to_host<int>(data, 4), std::vector<int>(4, 0));
  launch_graph(instantiate(outer));
  ASSERT_CUDA(finish());
  EXPECT_EQ(to_host<int>(data, 4), std::vector<int>(4, 2));
}

TEST_F(InterfaceGraphs, OfNothingCanBeLaunched) {
  ASSERT_CUDA(begin_capture(stream_));
  const CUgraph graph = end_capture(stream_);
  EXPECT_TRUE(node_types(graph).empty());
  launch_graph(instantiate(graph));
  EXPECT_CUDA(finish());
}

TEST_F(InterfaceGraphs, GiveOutAsManyNodesAsThereIsRoomFor) {
  const CUdeviceptr data = allocate(4);
  ASSERT_CUDA(begin_capture(stream_));
  for (int number = 0; number < 3; ++number) {
    ASSERT_CUDA(the_driver().cuMemsetD32Async(data, 1, 1, stream_));
  }
  const CUgraph graph = end_capture(stream_);
  std::vector<CUgraphNode> nodes(5, reinterpret_cast<CUgraphNode>(graph));
  std::size_t n_nodes = 2;
  ASSERT_CUDA(the_driver().cuGraphGetNodes(graph, nodes.data(), &n_nodes));
  EXPECT_EQ(n_nodes, 2u);
  EXPECT_EQ(nodes[2], reinterpret_cast<CUgraphNode>(graph));
  n_nodes = 5;
  ASSERT_CUDA(the_driver().cuGraphGetNodes(graph, nodes.data(), &n_nodes));
  EXPECT_EQ(n_nodes, 3u);
  EXPECT_EQ(nodes[4], nullptr);
}

TEST_F(InterfaceGraphs, ReportFaultsAsLaunchesDo) {
  CUdeviceptr data = to_device(std::vector<int>(32));
  CUdeviceptr beyond = allocate(4) + 4;
  const CUfunction store = get_function(load_ptx(kStore), "store");
  int value = 1;
  ASSERT_CUDA(begin_capture(stream_));
  add_one(data, 32, stream_);
  ASSERT_CUDA(launch(store, 1, 1, {&beyond, &value}, stream_));
  add_one(data, 32, stream_);
  const CUgraphExec exec = instantiate(end_capture(stream_));
  launch_graph(exec);
  EXPECT_EQ(finish(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_TRUE(contains(the_driver().report(), "store")) << the_driver().report();
  EXPECT_CUDA(finish());
  EXPECT_EQ(to_host<int>(data, 32), std::vector<int>(32, 1));  // what follows a fault is skipped
}

TEST_F(InterfaceGraphs, ReportUseOfFreedAndUninitializedMemory) {
  const CUdeviceptr data = to_device(std::vector<int>(4));
  const CUdeviceptr unwritten = allocate(16);
  ASSERT_CUDA(begin_capture(stream_));
  add_one(data, 4, stream_);
  const CUgraphExec exec = instantiate(end_capture(stream_));
  ASSERT_CUDA(the_driver().cuMemFree(data));
  launch_graph(exec);
  EXPECT_EQ(finish(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_TRUE(contains(the_driver().report(), "which was freed")) << the_driver().report();
  ASSERT_CUDA(begin_capture(stream_));
  add_one(unwritten, 4, stream_);
  launch_graph(instantiate(end_capture(stream_)));
  EXPECT_NE(finish(), CUDA_SUCCESS);
  EXPECT_TRUE(contains(the_driver().report(), "never written")) << the_driver().report();
}

TEST_F(InterfaceGraphs, AreInstantiatedAsTheyAre) {
  using GetInfo = CUresult(CUstream, CUstreamCaptureStatus*, cuuint64_t*, CUgraph*,
                           const CUgraphNode**, std::size_t*);
  CUdeviceptr data = to_device(std::vector<int>(4));
  ASSERT_CUDA(begin_capture(stream_));
  add_one(data, 4, stream_);
  CUgraph graph = nullptr;
  auto status = CU_STREAM_CAPTURE_STATUS_NONE;
  ASSERT_CUDA(entry_point<GetInfo>("cuStreamGetCaptureInfo_v2")(stream_, &status, nullptr, &graph,
                                                                nullptr, nullptr));
  const CUgraphExec exec = instantiate(graph);
  add_one(data, 4, stream_);  // after the executable form was made
  ASSERT_CUDA(the_driver().cuGraphDestroy(end_capture(stream_)));
  launch_graph(exec);
  ASSERT_CUDA(finish());
  EXPECT_EQ(to_host<int>(data, 4), std::vector<int>(4, 1));
}

TEST_F(InterfaceGraphs, RecordAndAwaitExternalEvents) {
  auto* const record = entry_point<CUresult(CUevent, CUstream, unsigned)>("cuEventRecordWithFlags");
  CUdeviceptr data = to_device(std::vector<int>(4));
  CUevent begin = make_event();
  CUevent end = make_event();
  ASSERT_CUDA(begin_capture(stream_));
  ASSERT_CUDA(the_driver().cuStreamWaitEvent(stream_, begin, CU_EVENT_WAIT_EXTERNAL));
  add_one(data, 4, stream_);
  ASSERT_CUDA(record(end, stream_, CU_EVENT_RECORD_EXTERNAL));
  const CUgraph graph = end_capture(stream_);
  EXPECT_EQ(node_types(graph),
            (std::vector{CU_GRAPH_NODE_TYPE_WAIT_EVENT, CU_GRAPH_NODE_TYPE_KERNEL,
                         CU_GRAPH_NODE_TYPE_EVENT_RECORD}));
  EXPECT_CUDA(the_driver().cuEventQuery(end));  // neither recorded nor captured
  CUstream other = make_stream();
  Gate gate;
  gate.hold(other);
  ASSERT_CUDA(the_driver().cuEventRecord(begin, other));
  launch_graph(instantiate(graph));
  EXPECT_EQ(the_driver().cuEventQuery(end), CUDA_ERROR_NOT_READY);
  gate.open();
  ASSERT_CUDA(the_driver().cuEventSynchronize(end));
  EXPECT_EQ(to_host<int>(data, 4), std::vector<int>(4, 1));
  EXPECT_EQ(record(end, stream_, 2), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(InterfaceGraphs, CountTheirLaunches) {
  CUdeviceptr data = to_device(std::vector<int>(4));
  ASSERT_CUDA(begin_capture(stream_));
  add_one(data, 4, stream_);
  add_one(data, 4, stream_);
  const CUgraphExec exec = instantiate(end_capture(stream_));
  launch_graph(exec);
  launch_graph(exec);
  ASSERT_CUDA(finish());
  NppSimulatorCounters counters = {};
  the_simulator().read_counters(device_.ordinal(), &counters);
  EXPECT_EQ(counters.n_launches, 4u);
}

TEST_F(InterfaceGraphs, AreMadeAndLaunchedByManyThreads) {
  CUdeviceptr shared = to_device(std::vector<int>(32));
  ASSERT_CUDA(begin_capture(stream_));
  add_one(shared, 32, stream_);
  const CUgraphExec exec = instantiate(end_capture(stream_));
  constexpr int kLaunches = 5;
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number) {
    threads.emplace_back([&] {
      EXPECT_CUDA(the_driver().cuCtxPushCurrent(device_.context()));
      CUstream stream = make_stream();
      CUdeviceptr data = 0;
      EXPECT_CUDA(begin_capture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
      EXPECT_CUDA(the_driver().cuMemAllocAsync(&data, 128, stream));
      EXPECT_CUDA(the_driver().cuMemsetD32Async(data, 0, 32, stream));
      add_one(data, 32, stream);
      EXPECT_CUDA(the_driver().cuMemFreeAsync(data, stream));
      const CUgraph graph = end_capture(stream);
      const CUgraphExec own = instantiate(graph);
      for (int repetition = 0; repetition < kLaunches; ++repetition) {
        EXPECT_CUDA(the_driver().cuGraphLaunch(own, stream));
        EXPECT_CUDA(the_driver().cuGraphLaunch(exec, stream));
      }
      EXPECT_CUDA(the_driver().cuGraphExecDestroy(own));  // while it runs
      EXPECT_CUDA(the_driver().cuGraphDestroy(graph));
      EXPECT_CUDA(the_driver().cuStreamSynchronize(stream));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(to_host<int>(shared, 32), std::vector<int>(32, 4 * kLaunches));
}

TEST_F(InterfaceGraphs, RefuseFlagsThatTheSimulatorHasNot) {
  ASSERT_CUDA(begin_capture(stream_));
  const CUgraph graph = end_capture(stream_);
  CUgraphExec exec = nullptr;
  EXPECT_EQ(the_driver().cuGraphInstantiateWithFlags(&exec, graph,
                                                     CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH),
            CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(exec, nullptr);
  EXPECT_CUDA(
      entry_point<CUresult(CUgraphExec, CUstream)>("cuGraphUpload")(instantiate(graph), stream_));
}

}  // namespace
}  // namespace numpy_plugin::sim
