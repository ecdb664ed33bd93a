#include "simulator/interface/driver/call.hpp"

#include <atomic>
#include <cstdio>
#include <string_view>

#include "numpy_plugin/base/format.hpp"

namespace numpy_plugin::sim {
namespace {

std::atomic<std::uint32_t> reported = 0;

std::uint32_t bit(Finding finding) {
  return std::uint32_t{1} << static_cast<std::uint32_t>(finding);
}

std::string error_name(CUresult code) {
  const char* name = nullptr;
  return cuGetErrorName(code, &name) == CUDA_SUCCESS ? name : std::to_string(code);
}

// "cuMemFree" of "CUresult cuMemFree_v2(CUdeviceptr)".
std::string_view name_of(std::string_view signature) {
  signature = signature.substr(0, signature.find('('));
  signature.remove_prefix(signature.rfind(' ') + 1);
  return signature.substr(0, signature.rfind("_v"));
}

// Features that only GPUs have are no mistake of the program: they are reported like faults.
bool is_failure_reported(CUresult code) {
  if (code == CUDA_ERROR_NOT_READY) return false;  // an answer to a question
  return is_reported(Finding::kError) ||
         (code == CUDA_ERROR_NOT_SUPPORTED && is_reported(Finding::kFault));
}

std::string with_details(std::string text, const std::string& details) {
  return details.empty() ? text : format("{}: {}", text, details);
}

}  // namespace

void set_reported(Finding finding) { reported |= bit(finding); }

bool is_reported(Finding finding) { return (reported & bit(finding)) != 0; }

// One write, so that lines of several processes do not mix.
void write_finding(const std::string& text) {
  const std::string line = format("simulator: {}\n", text);
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
}

void report_fault(CUresult code, const std::string& text) {
  if (is_reported(Finding::kFault)) write_finding(with_details(error_name(code), text));
}

void report_failed_call(const char* signature, CUresult code, const std::string& text) {
  if (!is_failure_reported(code)) return;
  const std::string call = format("{} returned {}", name_of(signature), error_name(code));
  write_finding(with_details(call, text));
}

void report_failed_link(const char* signature, const std::string& text) {
  if (!is_reported(Finding::kError)) return;
  constexpr std::string_view kPrefix = "npp_simulator_";
  const std::string call(name_of(signature).substr(kPrefix.size()));
  write_finding(with_details(call + " failed", text));
}

}  // namespace numpy_plugin::sim
