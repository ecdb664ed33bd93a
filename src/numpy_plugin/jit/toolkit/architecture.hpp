// Names of GPU architectures: "sm_90", "compute_90", "sm_90a".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace numpy_plugin::jit {

// The target of a compilation.
struct CodeTarget {
  std::string arch = "sm_90";  // as given; "compute_90" for PTX alone
  int driver_version = 0;      // of the driver that loads it, 13020 for CUDA 13.2; 0: any
};

// "90a" for "sm_90a" or "compute_90a"; empty for other forms.
std::string variant_of(std::string_view arch);

// 90 for "sm_90a"; 0 for other forms.
int architecture_number(std::string_view arch);

// The target to compile for where a GPU's own architecture may be unknown: machine code runs on
// later architectures of its major version, PTX on all later ones. "sm_103" itself where it is
// known, else the latest known before it: "sm_100", or "compute_90" of another major version; the
// name itself where all are later.
std::string nearest_target(std::string_view arch, const std::vector<int>& known);

}  // namespace numpy_plugin::jit
