// Streams and events: work is asynchronous, ordered, and can be waited for.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <thread>

#include "simulator/interface/client.hpp"
#include "simulator/interface/kernels.hpp"

namespace numpy_plugin::sim {
namespace {

class InterfaceStreams : public testing::Test {
 protected:
  CUstream make_stream(unsigned flags = CU_STREAM_DEFAULT) {
    CUstream stream = nullptr;
    EXPECT_CUDA(the_driver().cuStreamCreate(&stream, flags));
    return stream;
  }
  CUevent make_event(unsigned flags = 0) {
    CUevent event = nullptr;
    EXPECT_CUDA(the_driver().cuEventCreate(&event, flags));
    return event;
  }
  // Records the number when its turn in the stream has come.
  void note(CUstream stream, int number) {
    notes_.push_back(std::make_unique<Note>(Note{this, number}));
    EXPECT_CUDA(the_driver().cuLaunchHostFunc(
        stream,
        [](void* data) {
          const auto* const it = static_cast<Note*>(data);
          const std::lock_guard lock(it->test->mutex_);
          it->test->order_.push_back(it->number);
        },
        notes_.back().get()));
  }
  std::vector<int> order() {
    const std::lock_guard lock(mutex_);
    return order_;
  }

 private:
  struct Note {
    InterfaceStreams* test;
    int number;
  };
  std::mutex mutex_;
  std::vector<int> order_;
  std::vector<std::unique_ptr<Note>> notes_;
  const SimulatedDevice device_;  // its work ends before the notes are destroyed
};

TEST_F(InterfaceStreams, AreNotReadyWhileTheyWork) {
  CUstream stream = make_stream(CU_STREAM_NON_BLOCKING);
  EXPECT_CUDA(the_driver().cuStreamQuery(stream));
  Gate gate;
  gate.hold(stream);
  EXPECT_EQ(the_driver().cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
  gate.open();
  ASSERT_CUDA(the_driver().cuStreamSynchronize(stream));
  EXPECT_CUDA(the_driver().cuStreamQuery(stream));
}

TEST_F(InterfaceStreams, RunKernelsInOrder) {
  CUstream stream = make_stream();
  CUdeviceptr data = to_device(std::vector<int>(100));
  unsigned n = 100;
  const CUfunction add_one = get_function(load_ptx(kAddOne), "add_one");
  for (int repetition = 0; repetition < 20; ++repetition) {
    ASSERT_CUDA(launch(add_one, 4, 32, {&data, &n}, stream));
  }
  EXPECT_EQ(to_host<int>(data, 100), std::vector<int>(100, 20));
}

TEST_F(InterfaceStreams, OfTheirOwnDoNotWaitForOneAnother) {
  CUstream held = make_stream();
  CUstream free = make_stream();
  Gate gate;
  gate.hold(held);
  note(held, 1);
  note(free, 2);
  ASSERT_CUDA(the_driver().cuStreamSynchronize(free));
  gate.open();
  ASSERT_CUDA(the_driver().cuCtxSynchronize());
  EXPECT_EQ(order(), (std::vector<int>{2, 1}));
}

TEST_F(InterfaceStreams, BlockTheLegacyStreamAndAreBlockedByIt) {
  CUstream blocking = make_stream();
  CUstream other = make_stream();
  Gate gate;
  gate.hold(blocking);
  note(blocking, 1);
  note(nullptr, 2);
  note(other, 3);
  EXPECT_EQ(the_driver().cuStreamQuery(other), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(the_driver().cuStreamQuery(nullptr), CUDA_ERROR_NOT_READY);
  gate.open();
  ASSERT_CUDA(the_driver().cuStreamSynchronize(other));
  EXPECT_EQ(order(), (std::vector<int>{1, 2, 3}));
}

TEST_F(InterfaceStreams, ThatDoNotBlockPassTheLegacyStream) {
  CUstream free = make_stream(CU_STREAM_NON_BLOCKING);
  Gate gate;
  gate.hold(nullptr);
  note(nullptr, 1);
  note(free, 2);
  ASSERT_CUDA(the_driver().cuStreamSynchronize(free));
  gate.open();
  ASSERT_CUDA(the_driver().cuStreamSynchronize(CU_STREAM_LEGACY));
  EXPECT_EQ(order(), (std::vector<int>{2, 1}));
}

TEST_F(InterfaceStreams, AreWaitedForByTheLegacyStreamEvenIdle) {
  CUstream blocking = make_stream();
  Gate gate;
  gate.hold(blocking);
  note(blocking, 1);
  EXPECT_EQ(the_driver().cuStreamQuery(nullptr), CUDA_ERROR_NOT_READY);
  std::thread opener([&] { gate.open(); });
  ASSERT_CUDA(the_driver().cuStreamSynchronize(nullptr));
  opener.join();
  EXPECT_EQ(order(), std::vector<int>{1});
}

TEST_F(InterfaceStreams, OfAThreadAreItsOwn) {
  CUcontext context = nullptr;
  ASSERT_CUDA(the_driver().cuCtxGetCurrent(&context));
  Gate gate;
  gate.hold(CU_STREAM_PER_THREAD);
  note(CU_STREAM_PER_THREAD, 1);
  std::thread([&] {
    ASSERT_CUDA(the_driver().cuCtxPushCurrent(context));
    note(CU_STREAM_PER_THREAD, 2);
    ASSERT_CUDA(the_driver().cuStreamSynchronize(CU_STREAM_PER_THREAD));
  }).join();
  gate.open();
  ASSERT_CUDA(the_driver().cuStreamSynchronize(CU_STREAM_PER_THREAD));
  EXPECT_EQ(order(), (std::vector<int>{2, 1}));
}

TEST_F(InterfaceStreams, WaitForEventsOfOthers) {
  CUstream first = make_stream();
  CUstream second = make_stream();
  CUevent event = make_event();
  ASSERT_CUDA(the_driver().cuStreamWaitEvent(second, event, 0));  // never recorded: no wait
  Gate gate;
  gate.hold(first);
  note(first, 1);
  ASSERT_CUDA(the_driver().cuEventRecord(event, first));
  ASSERT_CUDA(the_driver().cuStreamWaitEvent(second, event, 0));
  note(second, 2);
  EXPECT_EQ(the_driver().cuStreamQuery(second), CUDA_ERROR_NOT_READY);
  gate.open();
  ASSERT_CUDA(the_driver().cuStreamSynchronize(second));
  EXPECT_EQ(order(), (std::vector<int>{1, 2}));
}

TEST_F(InterfaceStreams, DoWhatTheyHaveWhenDestroyed) {
  CUstream stream = make_stream();
  Gate gate;
  gate.hold(stream);
  note(stream, 1);
  ASSERT_CUDA(the_driver().cuStreamDestroy(stream));
  EXPECT_EQ(the_driver().cuStreamDestroy(stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(the_driver().cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE);
  gate.open();
  ASSERT_CUDA(the_driver().cuCtxSynchronize());
  EXPECT_EQ(order(), std::vector<int>{1});
}

// Number of threads in this process.
std::ptrdiff_t count_threads() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

TEST_F(InterfaceStreams, EndTheirThreadsWhenDestroyed) {
  constexpr std::ptrdiff_t kStreams = 16;  // more than previous tests may have left
  std::vector<CUstream> streams;
  for (int number = 0; number < kStreams; ++number) {
    streams.push_back(make_stream());
    note(streams.back(), number);
  }
  ASSERT_CUDA(the_driver().cuCtxSynchronize());
  const std::ptrdiff_t most = count_threads();
  EXPECT_GT(most, kStreams);
  for (CUstream stream : streams) ASSERT_CUDA(the_driver().cuStreamDestroy(stream));
  for (int tries = 0; tries < 500 && count_threads() > most - kStreams; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_LE(count_threads(), most - kStreams);
}

TEST_F(InterfaceStreams, SayWhatTheyAre) {
  CUcontext current = nullptr;
  ASSERT_CUDA(the_driver().cuCtxGetCurrent(&current));
  CUstream stream = nullptr;
  ASSERT_CUDA(the_driver().cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, -99));
  CUcontext context = nullptr;
  unsigned flags = 0;
  int priority = 0;
  auto capture = CU_STREAM_CAPTURE_STATUS_ACTIVE;
  ASSERT_CUDA(the_driver().cuStreamGetCtx(stream, &context));
  ASSERT_CUDA(the_driver().cuStreamGetFlags(stream, &flags));
  ASSERT_CUDA(the_driver().cuStreamGetPriority(stream, &priority));
  ASSERT_CUDA(the_driver().cuStreamIsCapturing(stream, &capture));
  EXPECT_EQ(context, current);
  EXPECT_EQ(flags, unsigned{CU_STREAM_NON_BLOCKING});
  EXPECT_EQ(priority, -5);
  EXPECT_EQ(capture, CU_STREAM_CAPTURE_STATUS_NONE);
  EXPECT_EQ(the_driver().cuStreamCreate(&stream, 8), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(InterfaceStreams, LetFunctionsOfTheHostNotCallTheDriver) {
  std::atomic<int> result = -1;
  ASSERT_CUDA(the_driver().cuLaunchHostFunc(
      nullptr,
      [](void* data) { *static_cast<std::atomic<int>*>(data) = the_driver().cuCtxSynchronize(); },
      &result));
  ASSERT_CUDA(the_driver().cuCtxSynchronize());
  EXPECT_EQ(result, CUDA_ERROR_NOT_PERMITTED);
}

TEST_F(InterfaceStreams, GiveEventsTheirTimes) {
  CUstream stream = make_stream();
  CUevent before = make_event();
  CUevent after = make_event();
  EXPECT_CUDA(the_driver().cuEventQuery(before));
  EXPECT_CUDA(the_driver().cuEventSynchronize(before));
  float milliseconds = -1;
  EXPECT_EQ(the_driver().cuEventElapsedTime(&milliseconds, before, after),
            CUDA_ERROR_INVALID_HANDLE);
  ASSERT_CUDA(the_driver().cuEventRecord(before, stream));
  Gate gate;
  gate.hold(stream);
  ASSERT_CUDA(the_driver().cuEventRecord(after, stream));
  EXPECT_EQ(the_driver().cuEventQuery(after), CUDA_ERROR_NOT_READY);
  ASSERT_CUDA(the_driver().cuEventSynchronize(before));
  EXPECT_EQ(the_driver().cuEventElapsedTime(&milliseconds, before, after), CUDA_ERROR_NOT_READY);
  gate.open();
  ASSERT_CUDA(the_driver().cuEventSynchronize(after));
  ASSERT_CUDA(the_driver().cuEventElapsedTime(&milliseconds, before, after));
  EXPECT_GE(milliseconds, 0);
}

TEST_F(InterfaceStreams, RefuseEventsThatCanNotBe) {
  CUevent event = nullptr;
  EXPECT_EQ(the_driver().cuEventCreate(&event, 64), CUDA_ERROR_INVALID_VALUE);
  CUevent untimed = make_event(CU_EVENT_DISABLE_TIMING);
  ASSERT_CUDA(the_driver().cuEventRecord(untimed, nullptr));
  ASSERT_CUDA(the_driver().cuEventSynchronize(untimed));
  float milliseconds = 0;
  EXPECT_EQ(the_driver().cuEventElapsedTime(&milliseconds, untimed, untimed),
            CUDA_ERROR_INVALID_HANDLE);
  ASSERT_CUDA(the_driver().cuEventDestroy(untimed));
  EXPECT_EQ(the_driver().cuEventRecord(untimed, nullptr), CUDA_ERROR_INVALID_HANDLE);
  const SimulatedDevice other;
  CUevent of_other = make_event();
  CUstream here = make_stream();
  ASSERT_CUDA(the_driver().cuCtxPopCurrent(nullptr));
  CUstream there = make_stream();
  EXPECT_EQ(the_driver().cuEventRecord(of_other, there), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_CUDA(the_driver().cuEventRecord(of_other, here));
  ASSERT_CUDA(the_driver().cuCtxPushCurrent(other.context()));
}

TEST_F(InterfaceStreams, ServeManyThreads) {
  CUcontext context = nullptr;
  ASSERT_CUDA(the_driver().cuCtxGetCurrent(&context));
  const CUfunction add_one = get_function(load_ptx(kAddOne), "add_one");
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number) {
    threads.emplace_back([&, number] {
      EXPECT_CUDA(the_driver().cuCtxPushCurrent(context));
      CUstream stream = number % 2 == 0 ? CU_STREAM_PER_THREAD : make_stream();
      unsigned n = 1000;
      for (int repetition = 0; repetition < 10; ++repetition) {
        const std::vector<int> sent(n, 10 * number);
        std::vector<int> received(n);
        CUdeviceptr data = 0;
        EXPECT_CUDA(the_driver().cuMemAllocAsync(&data, n * sizeof(int), stream));
        EXPECT_CUDA(the_driver().cuMemcpyHtoDAsync(data, sent.data(), n * sizeof(int), stream));
        EXPECT_CUDA(launch(add_one, 8, 128, {&data, &n}, stream));
        EXPECT_CUDA(the_driver().cuMemcpyDtoHAsync(received.data(), data, n * sizeof(int), stream));
        EXPECT_CUDA(the_driver().cuMemFreeAsync(data, stream));
        EXPECT_EQ(received, std::vector<int>(n, 10 * number + 1));
      }
      EXPECT_CUDA(the_driver().cuStreamSynchronize(stream));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace numpy_plugin::sim
