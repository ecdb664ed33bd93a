// Features and limits of a simulated GPU by architecture.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace numpy_plugin::sim {

constexpr int kKiB = 1024;
constexpr int kMaxThreads = 1024;  // per block
constexpr int kMaxBlock[3] = {1024, 1024, 64};
constexpr int kMaxGrid[3] = {INT32_MAX, 65535, 65535};
constexpr int kDefaultSharedBytes = 48 * kKiB;  // per block, without opting in
constexpr int kRegisters = 65536;               // per multiprocessor, and per block
constexpr int kPciDomain = 0x5151;              // of no real machine: identifies simulated devices

struct Architecture {
  int major = 0;
  int minor = 0;
  int n_multiprocessors = 0;
  int shared_bytes = 0;      // per multiprocessor
  int max_shared_bytes = 0;  // per block
  int max_threads = 0;       // per multiprocessor
  int max_blocks = 0;
  int clock_mhz = 0;
  int memory_clock_mhz = 0;
  int memory_bus_bits = 0;
  int l2_mib = 0;
  int float64_ratio = 0;

  int number() const { return major * 10 + minor; }
  std::string name() const { return "sm_" + std::to_string(number()); }
  // Shared memory that the system reserves in each block.
  int reserved_shared_bytes() const { return major >= 8 ? kKiB : 0; }
};

// For "sm_90"; nullptr for unknown names.
const Architecture* find_architecture(std::string_view name);
std::vector<std::string> architecture_names();

// Throws CallError for unknown attributes.
int device_attribute(const Architecture& architecture, int number, CUdevice_attribute attribute);

// The number of a target, 90 of "sm_90a"; 0 without digits.
int target_number(const std::string& target);

// Why a device can't run PTX for a target ("sm_90a", "sm_100f"); empty where it can.
std::string incompatibility(const Architecture& architecture, const std::string& target);

}  // namespace numpy_plugin::sim
