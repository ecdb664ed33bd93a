// Simulated devices link PTX through the driver's linker.
#include "numpy_plugin/run/device/device_module.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/jit/nvrtc/nvjitlink.hpp"

namespace numpy_plugin::run {
namespace {

using jit::CodeKind;
using jit::LinkedPart;
using jit::PartForm;

constexpr const char* kKernelPart = "the kernel";

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

// A link by the driver, with its log.
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
    throw base::Error(base::ErrorKind::kCompiler, format("{} failed: {}", step, report), report);
  }

  const load::Driver& driver_;
  CUlinkState state_ = nullptr;
  std::array<char, 8192> log_{};
  // The driver writes to it throughout the link's lifetime.
  std::array<CUjit_option, 2> options_ = {CU_JIT_ERROR_LOG_BUFFER,
                                          CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array<void*, 2> values_ = {log_.data(), reinterpret_cast<void*>(log_.size())};
};

bool is_lto_ir(const LinkedPart& part) { return jit::code_kind(part.bytes) == CodeKind::kLtoIr; }

[[noreturn]] void report_missing_linker(const std::vector<LinkedPart>& parts) {
  const auto first = std::find_if(parts.begin(), parts.end(), is_lto_ir);
  throw base::Error(base::ErrorKind::kCompiler,
                    format("{} is LTO-IR, which nvJitLink links, and nvJitLink was not found; "
                           "install it with pip install nvidia-nvjitlink",
                           first->name));
}

std::string link_by_driver(const Device& device, const std::vector<LinkedPart>& parts) {
  const CurrentContext current(device);
  DriverLink link(device.driver());
  for (const LinkedPart& part : parts) link.add(part);
  return link.complete();
}

std::vector<LinkedPart> parts_of(const declare::DeviceCodes& codes) {
  std::vector<LinkedPart> parts;
  for (const auto& code : codes) parts.push_back({code->name, code->bytes});
  return parts;
}

bool any_is_lto_ir(const std::vector<LinkedPart>& parts) {
  return std::any_of(parts.begin(), parts.end(), is_lto_ir);
}

// Fatbins, and hence objects and libraries, may contain LTO-IR.
bool may_hold_lto_ir(const LinkedPart& part) {
  const CodeKind kind = jit::code_kind(part.bytes);
  return kind == CodeKind::kLtoIr || kind == CodeKind::kFatbin || kind == CodeKind::kObject ||
         kind == CodeKind::kLibrary;
}

std::string link_by_nvjitlink(std::vector<LinkedPart> parts, const jit::LinkOptions& options,
                              const CompilePart& compile) {
  const bool needs_lto_ir = std::any_of(parts.begin(), parts.end(), may_hold_lto_ir);
  const std::string own = compile(needs_lto_ir ? PartForm::kLtoIr : PartForm::kCubin);
  parts.insert(parts.begin(), {kKernelPart, own});
  return jit::link_to_cubin(parts, options);
}

// Links all LTO-IR to one PTX, which the simulator links with the other parts.
std::string link_for_simulator(const Device& device, std::vector<LinkedPart> parts,
                               const jit::LinkOptions& options, const CompilePart& compile) {
  const bool has_lto_ir = any_is_lto_ir(parts);
  const std::string own = compile(has_lto_ir ? PartForm::kLtoIr : PartForm::kPtx);
  parts.insert(parts.begin(), {kKernelPart, own});
  if (!has_lto_ir) return link_by_driver(device, parts);
  const auto others = std::stable_partition(parts.begin(), parts.end(), is_lto_ir);
  const std::string ptx = jit::link_to_ptx({parts.begin(), others}, options);
  std::vector<LinkedPart> texts = {{kKernelPart, ptx}};
  texts.insert(texts.end(), others, parts.end());
  return link_by_driver(device, texts);
}

}  // namespace

std::string link_kernel(const Device& device, const declare::DeviceCodes& codes,
                        const jit::LinkOptions& options, const CompilePart& compile) {
  std::vector<LinkedPart> parts = parts_of(codes);
  const bool has_linker = !jit::find_nvjitlink(options.target.driver_version).empty();
  if (!has_linker && any_is_lto_ir(parts)) report_missing_linker(parts);
  if (device.is_simulated()) return link_for_simulator(device, parts, options, compile);
  if (has_linker) return link_by_nvjitlink(parts, options, compile);
  const std::string own = compile(PartForm::kCubin);
  parts.insert(parts.begin(), {kKernelPart, own});
  return link_by_driver(device, parts);
}

std::string linked_machine_code(const declare::DeviceCodes& codes, const jit::LinkOptions& options,
                                const CompilePart& compile) {
  const bool has_linker = !jit::find_nvjitlink(options.target.driver_version).empty();
  if (codes.empty() || !has_linker) return compile(PartForm::kCubin);
  return link_by_nvjitlink(parts_of(codes), options, compile);
}

}  // namespace numpy_plugin::run
