// A libcuda.so.1 for tests of the way that real devices take: it forwards to the simulated driver,
// but is none to the product, which therefore gives it machine code. It counts all calls, knows
// what was created and not destroyed, and fails calls on request. Machine code is taken like a
// GPU's driver takes it and not executed; PTX, which a GPU newer than NVRTC gets, is executed.
//
// $COUNTING_DRIVER configures it, words separated by spaces: version=12080, capability=90,
// devices=2, memory=1048576 (bytes).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "numpy_plugin/load/cuda_functions.hpp"

namespace counting_driver {

struct Settings {
  int version = 13000;
  int capability = 90;
  int n_devices = 1;
  unsigned long long memory_bytes = 1ull << 30;
};
const Settings& settings();

// A function of the simulated driver; aborts where it has none of this name.
void* simulated(const char* symbol);

template <class Function>
Function* simulated(const char* symbol, Function*) {
  return reinterpret_cast<Function*>(simulated(symbol));
}

// A function of this driver instead of the simulated one's; nullptr: that one's is called.
void* replacement(const std::string& symbol);

// An exported function: calls of it take little time, so that those of the product can be timed.
struct EntryPoint {
  const char* symbol;
  int* n_objects;  // that a successful call changes; null: none
  int change;
};
EntryPoint make_entry_point(const char* symbol);

// Notes a call; the result with which it fails by request, else CUDA_SUCCESS.
CUresult begin_call(const EntryPoint& point);
// Notes objects that a successful call created or destroyed.
void end_call(const EntryPoint& point, CUresult result);

}  // namespace counting_driver

// Called by tests. Texts are valid until the next call.
extern "C" {
void counting_driver_reset();         // forgets the calls so far
const char* counting_driver_calls();  // their names, one a line
const char* counting_driver_leaks();  // "2 streams\n1 event\n": created and not destroyed
// The n-th call of a function from now on, and all later ones until a reset with `count` 0, fails.
void counting_driver_fail(const char* symbol, int n, int count, int result);
}
