// Findings written to the standard error, for programs that see only the driver's error codes.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <string>

namespace numpy_plugin::sim {

enum class Finding : std::uint8_t { kFault, kError, kLeak };

// By default nothing is written.
void set_reported(Finding finding);
bool is_reported(Finding finding);

// Writes one finding, whatever is reported.
void write_finding(const std::string& text);

// The following write what is reported.
void report_fault(CUresult code, const std::string& text);
// A failed call of the function whose signature is given: "CUresult cuMemFree_v2(CUdeviceptr)".
void report_failed_call(const char* signature, CUresult code, const std::string& text);
// A failed call of the stand-in for nvJitLink: "int npp_simulator_nvJitLinkComplete(Handle)".
void report_failed_link(const char* signature, const std::string& text);

}  // namespace numpy_plugin::sim
