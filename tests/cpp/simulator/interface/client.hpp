// A client of the simulated driver: opens the library like other programs, and has its own device
// in each test.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/load/driver.hpp"

namespace numpy_plugin::sim {

inline const load::Simulator& the_simulator() {
  static const load::Simulator simulator = [] {
    ::unsetenv("CUDA_VISIBLE_DEVICES");
    ::unsetenv("NUMPY_PLUGIN_SIMULATED_DEVICES");
    load::set_simulator_path(NPP_SIMULATOR);
    const load::Simulator found = load::find_simulator();
    NPP_ASSERT(found.driver != nullptr, found.reason);
    return found;
  }();
  return simulator;
}

inline const load::Driver& the_driver() { return *the_simulator().driver; }

// An entry point missing in the package's table.
template <typename Function>
Function* entry_point(const char* symbol) {
  void* const library = ::dlopen(NPP_SIMULATOR, RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Function*>(::dlsym(library, symbol));
}

inline NppSimulatorOptions default_options() {
  NppSimulatorOptions options = {};
  options.arch = "sm_90";
  options.memory_bytes = std::uint64_t{1} << 20;
  options.checks = kNppCheckAll;
  options.max_steps = std::uint64_t{1} << 24;
  return options;
}

#define EXPECT_CUDA(expression) EXPECT_EQ(expression, CUDA_SUCCESS) << the_driver().report()
#define ASSERT_CUDA(expression) ASSERT_EQ(expression, CUDA_SUCCESS) << the_driver().report()

// A device with a context that is current in the thread that created it.
class SimulatedDevice {
 public:
  explicit SimulatedDevice(const NppSimulatorOptions& options = default_options())
      : ordinal_(the_simulator().add_device(&options)) {
    EXPECT_GE(ordinal_, 0) << the_driver().report();
    EXPECT_CUDA(the_driver().cuDevicePrimaryCtxRetain(&context_, ordinal_));
    EXPECT_CUDA(the_driver().cuCtxPushCurrent(context_));
  }
  ~SimulatedDevice() {
    CUcontext popped = nullptr;
    the_driver().cuCtxPopCurrent(&popped);
    the_simulator().remove_device(ordinal_);
  }
  SimulatedDevice(const SimulatedDevice&) = delete;
  SimulatedDevice& operator=(const SimulatedDevice&) = delete;

  int ordinal() const { return ordinal_; }
  CUcontext context() const { return context_; }

 private:
  int ordinal_;
  CUcontext context_ = nullptr;
};

inline CUdeviceptr allocate(std::size_t n_bytes) {
  CUdeviceptr address = 0;
  EXPECT_CUDA(the_driver().cuMemAlloc(&address, n_bytes));
  return address;
}

template <typename Element>
CUdeviceptr to_device(const std::vector<Element>& elements) {
  const CUdeviceptr address = allocate(elements.size() * sizeof(Element));
  EXPECT_CUDA(
      the_driver().cuMemcpyHtoD(address, elements.data(), elements.size() * sizeof(Element)));
  return address;
}

template <typename Element>
std::vector<Element> to_host(CUdeviceptr address, std::size_t count) {
  std::vector<Element> elements(count);
  EXPECT_CUDA(the_driver().cuMemcpyDtoH(elements.data(), address, count * sizeof(Element)));
  return elements;
}

inline CUmodule load_ptx(const std::string& text) {
  CUmodule module = nullptr;
  EXPECT_CUDA(the_driver().cuModuleLoadData(&module, text.c_str()));
  return module;
}

inline CUfunction get_function(CUmodule module, const char* name) {
  CUfunction function = nullptr;
  EXPECT_CUDA(the_driver().cuModuleGetFunction(&function, module, name));
  return function;
}

inline CUresult launch(CUfunction function, unsigned grid, unsigned block,
                       std::vector<void*> parameters, CUstream stream = nullptr,
                       unsigned shared_bytes = 0) {
  return the_driver().cuLaunchKernel(function, grid, 1, 1, block, 1, 1, shared_bytes, stream,
                                     parameters.data(), nullptr);
}

// Blocks a stream until it is opened.
class Gate {
 public:
  void hold(CUstream stream) {
    EXPECT_CUDA(the_driver().cuLaunchHostFunc(
        stream, [](void* gate) { static_cast<Gate*>(gate)->wait(); }, this));
  }
  void open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }

 private:
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_open_; });
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_ = false;
};

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace numpy_plugin::sim
