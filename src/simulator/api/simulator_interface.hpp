// C interface of the simulated driver, in addition to the driver API.
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

// Injected faults: calls are counted from the device's creation; 0: none.
struct NppSimulatorOptions {
  const char* arch;  // "sm_90"
  std::uint64_t memory_bytes;
  std::uint32_t checks;              // NppSimulatorCheck, or-ed
  std::uint64_t max_steps;           // limit of warp instructions per block
  std::uint64_t failing_allocation;  // the n-th fails with CUDA_ERROR_OUT_OF_MEMORY
  std::uint64_t failing_launch;      // the n-th, at execution, with CUDA_ERROR_LAUNCH_FAILED
  std::uint64_t lost_at_launch;      // the n-th loses the device: it and all later calls fail
  double copy_delay_seconds;         // added to the duration of each copy
  std::uint32_t n_multiprocessors;   // that the device reports; 0: the architecture's
};

struct NppSimulatorCounters {
  std::uint64_t n_launches, n_blocks, n_warps;
  std::uint64_t warp_instructions, lane_instructions;
  std::uint64_t lanes_by_class[15];
  std::uint64_t divergent_branches;
  std::uint64_t global_load_bytes, global_store_bytes, global_transactions;
};

// The number of devices that the environment shows this process, ordinals 0 to n - 1.
using NppSimulatorCountDevices = int();
// The new device's ordinal, or -1: npp_simulator_report() gives the reason.
using NppSimulatorAddDevice = int(const NppSimulatorOptions* options);
// Frees the device's memory; later calls that name it return CUDA_ERROR_INVALID_DEVICE.
using NppSimulatorRemoveDevice = void(int ordinal);
// Begins the report of a launch that fails by injection, which is no fault of its kernel.
inline constexpr char kNppInjectedFault[] = "injected fault: ";
// Sets the operation named in this thread's messages: "device_array at model.py:12". Empty: clears
// it.
using NppSimulatorSetOrigin = void(const char* text);
// Text that code is compiled from, under the file name in its line information.
struct NppSimulatorSource {
  const char* label;         // "<source of 'saxpy'>"
  const char* file;          // in messages: "model.py"
  std::uint32_t first_line;  // of the text in that file
  const char* text;          // lines, each ended by a line feed
};
// The declaration that code was generated from.
struct NppSimulatorDeclaration {
  const char* file;    // in messages: "model.py"
  std::uint32_t line;  // in that file; 0: there is none
  const char* text;    // of the line
};
// Describes the code that this thread's next cuModuleLoadData loads: the kernel's name in messages
// (empty: the entry's own), the sources of its lines, and the declaration that is named for lines
// in none of them. null: those are named as they are.
using NppSimulatorDescribeCode = void(const char* name, const NppSimulatorSource* sources,
                                      std::uint32_t n_sources,
                                      const NppSimulatorDeclaration* declaration);
// Called periodically by threads that wait for a kernel: true cancels it. The waiting call then
// fails with CUDA_ERROR_LAUNCH_FAILED.
using NppSimulatorInterruptionTest = bool();
using NppSimulatorSetInterruptionTest = void(NppSimulatorInterruptionTest* test);
// Details of this thread's last failed call, beyond its error; else empty. Valid until the thread's
// next call.
using NppSimulatorReport = const char*();
// Counters of all launches of the device so far.
using NppSimulatorReadCounters = void(int ordinal, NppSimulatorCounters* counters);
// Begins a profile of the device's launches, which has none yet, or ends it.
using NppSimulatorSetProfiled = void(int ordinal, bool is_profiled);
// A kernel's instructions that come from one source line, and what they did. Texts are valid during
// the visit.
struct NppSimulatorLine {
  const char* kernel;
  const char* file;    // empty: the PTX
  std::uint32_t line;  // in that file
  const char* text;    // of the line; empty: unknown
  std::uint64_t warp_instructions, lane_instructions, divergent_branches;
  std::uint64_t global_requests, global_sectors, global_bytes;   // of warps; 32 bytes each
  std::uint64_t shared_requests, shared_passes, bank_conflicts;  // passes over the banks
};
using NppSimulatorVisitLine = void(void* context, const NppSimulatorLine* line);
// Visits the lines of the profile in the order of kernels, files and lines.
using NppSimulatorReadProfile = void(int ordinal, NppSimulatorVisitLine* visit, void* context);
// Name of an entry of lanes_by_class: "global load"; nullptr beyond the last.
using NppSimulatorClassName = const char*(int index);
// Path of the nvJitLink library, which links LTO-IR: tried before the names that dlopen resolves.
using NppSimulatorSetLinkerPath = void(const char* path);

}  // extern "C"
