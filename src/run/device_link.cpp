// The driver's linker is the way for simulated devices, which link PTX.
#include "numpy_plugin/run/device_link.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/jit/device_code.hpp"
#include "numpy_plugin/jit/nvjitlink.hpp"
#include "numpy_plugin/load/simulator.hpp"

namespace numpy_plugin::run {
namespace {

using jit::CodeKind;
using jit::LinkedPart;

CUjitInputType input_type(CodeKind kind) {
  switch (kind) {
    case CodeKind::kCubin:
      return CU_JIT_INPUT_CUBIN;
    case CodeKind::kObject:
      return CU_JIT_INPUT_OBJECT;
    case CodeKind::kFatbin:
      return CU_JIT_INPUT_FATBINARY;
    case CodeKind::kLibrary:
      return CU_JIT_INPUT_LIBRARY;
    default:
      return CU_JIT_INPUT_PTX;
  }
}

// A link of the driver's, and what it says.
class DriverLink {
 public:
  explicit DriverLink(const load::Driver& driver) : driver_(driver) {
    driver_.check(driver_.cuLinkCreate(static_cast<unsigned>(options_.size()), options_.data(),
                                       values_.data(), &state_),
                  "to begin to link");
  }
  ~DriverLink() { driver_.cuLinkDestroy(state_); }
  DriverLink(const DriverLink&) = delete;
  DriverLink& operator=(const DriverLink&) = delete;

  void add(const LinkedPart& part) {
    const CodeKind kind = jit::code_kind(part.bytes);
    const std::size_t n_bytes = part.bytes.size() + (kind == CodeKind::kPtx ? 1 : 0);
    check(driver_.cuLinkAddData(state_, input_type(kind), const_cast<char*>(part.bytes.data()),
                                n_bytes, part.name.c_str(), 0, nullptr, nullptr),
          "reading " + part.name);
  }

  std::string complete() {
    void* image = nullptr;
    std::size_t n_bytes = 0;
    check(driver_.cuLinkComplete(state_, &image, &n_bytes), "linking");
    return std::string(static_cast<const char*>(image), n_bytes);
  }

 private:
  void check(CUresult result, const std::string& step) const {
    if (result == CUDA_SUCCESS) return;
    const std::string log(log_.data());
    const std::string report = log.empty() ? driver_.report() : log;
    if (report.empty()) driver_.fail(result, step);
    throw base::Error(base::ErrorKind::kCompiler, step + " failed: " + report, report);
  }

  const load::Driver& driver_;
  CUlinkState state_ = nullptr;
  std::array<char, 8192> log_{};
  // Written to as long as the link is there.
  std::array<CUjit_option, 2> options_ = {CU_JIT_ERROR_LOG_BUFFER,
                                          CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array<void*, 2> values_ = {log_.data(), reinterpret_cast<void*>(log_.size())};
};

bool is_lto_ir(const LinkedPart& part) { return jit::code_kind(part.bytes) == CodeKind::kLtoIr; }

[[noreturn]] void report_missing_linker(const std::vector<LinkedPart>& parts) {
  const auto first = std::find_if(parts.begin(), parts.end(), is_lto_ir);
  throw base::Error(base::ErrorKind::kCompiler,
                    first->name +
                        " is LTO-IR, which nvJitLink links, and nvJitLink was not found; " +
                        "pip install nvidia-nvjitlink brings it");
}

std::string link_by_driver(const Device& device, const std::vector<LinkedPart>& parts) {
  const CurrentContext current(device);
  DriverLink link(device.driver());
  for (const LinkedPart& part : parts) link.add(part);
  return link.complete();
}

}  // namespace

std::string link_kernel(const Device& device, const declare::DeviceCodes& codes,
                        const CompilePart& compile) {
  std::vector<LinkedPart> parts;
  for (const auto& code : codes) parts.push_back({code->name, code->bytes});
  const bool has_lto_ir = std::any_of(parts.begin(), parts.end(), is_lto_ir);
  const std::string linker = jit::find_nvjitlink();
  if (has_lto_ir && linker.empty()) report_missing_linker(parts);
  const std::string own = compile(has_lto_ir              ? jit::PartForm::kLtoIr
                                  : device.is_simulated() ? jit::PartForm::kPtx
                                                          : jit::PartForm::kCubin);
  parts.insert(parts.begin(), {"the kernel", own});
  if (!device.is_simulated() && !linker.empty()) {
    return jit::link_to_cubin(parts, device.info().arch);
  }
  if (has_lto_ir) load::find_simulator().set_linker_path(linker.c_str());
  return link_by_driver(device, parts);
}

}  // namespace numpy_plugin::run
