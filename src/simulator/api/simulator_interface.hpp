// C interface of the simulated driver beside the driver's own functions.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

enum NppSimulatorCheck : std::uint32_t {
  kNppCheckBounds = 1,
  kNppCheckAlignment = 2,
  kNppCheckUninitialized = 4,
  kNppCheckRaces = 8,
  kNppCheckBarriers = 16,
  kNppCheckAll = 31
};

// Faults count calls from when the device was added; 0: none.
struct NppSimulatorOptions {
  const char* arch;  // "sm_90"
  std::uint64_t memory_bytes;
  std::uint32_t checks;              // NppSimulatorCheck, or-ed
  std::uint64_t max_steps;           // warp instructions a block may take
  std::uint64_t failing_allocation;  // the n-th fails with CUDA_ERROR_OUT_OF_MEMORY
  std::uint64_t failing_launch;      // the n-th, when it runs, with CUDA_ERROR_LAUNCH_FAILED
  std::uint64_t lost_at_launch;  // at the n-th the device is lost: that and all later calls fail
  double copy_delay_seconds;     // each copy takes this much longer
};

struct NppSimulatorCounters {
  std::uint64_t n_launches, n_blocks, n_warps;
  std::uint64_t warp_instructions, lane_instructions;
  std::uint64_t lanes_by_class[15];
  std::uint64_t divergent_branches;
  std::uint64_t global_load_bytes, global_store_bytes, global_transactions;
};

// The new device's ordinal, or -1: npp_simulator_report() says why.
using NppSimulatorAddDevice = int(const NppSimulatorOptions* options);
// Its memory is given back; a call that names it afterwards is CUDA_ERROR_INVALID_DEVICE.
using NppSimulatorRemoveDevice = void(int ordinal);
// Sets the operation that messages of this thread name: "device_array at model.py:12". Empty:
// forget it.
using NppSimulatorSetOrigin = void(const char* text);
// Asked now and then by threads that wait for a kernel: whether it is to be cancelled. The call
// that waits then fails with CUDA_ERROR_LAUNCH_FAILED.
using NppSimulatorInterruptionTest = bool();
using NppSimulatorSetInterruptionTest = void(NppSimulatorInterruptionTest* test);
// Details of this thread's last call that failed, beyond its error; else
// empty. Valid until the thread's next call.
using NppSimulatorReport = const char*();
// All launches of the device so far.
using NppSimulatorReadCounters = void(int ordinal, NppSimulatorCounters* counters);
// Name of an entry of lanes_by_class: "global load"; nullptr past the last.
using NppSimulatorClassName = const char*(int index);
// Where nvJitLink's library is, which links LTO-IR: tried before the names that dlopen knows.
using NppSimulatorSetLinkerPath = void(const char* path);

}  // extern "C"
