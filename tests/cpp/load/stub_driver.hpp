// A CUDA driver for tests: the entry points in use, over host memory. Its configuration and
// recorded calls are in one struct.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace numpy_plugin {

struct StubLaunch {
  std::string kernel;
  unsigned grid = 0;
  unsigned block = 0;
  std::vector<unsigned char> arguments;
};

struct StubState {
  // Configuration.
  int version = 13000;
  int init_result = 0;
  int n_devices = 1;
  int failing_allocation = 0;  // the number of the next allocation that fails; 0: none
  int copy_to_host_result = 0;
  int launch_result = 0;
  void (*kernel)(const StubLaunch& launch) = nullptr;  // runs at each launch

  // Recorded state.
  int n_contexts = 0;  // retained
  int n_pushed = 0;
  int n_modules = 0;
  int n_buffers = 0;  // allocated and not freed
  std::size_t n_bytes = 0;
  int n_streams = 0;  // created and not destroyed
  int n_events = 0;
  int n_waits = 0;   // of streams for events
  int n_copies = 0;  // submitted to streams
  int n_fills = 0;
  std::vector<std::string> images;
  std::vector<StubLaunch> launches;
};

// Exported by the stub under this name.
using StubStateFunction = StubState*();

}  // namespace numpy_plugin
