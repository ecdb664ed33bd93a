#include "numpy_plugin/run/device/device_module.hpp"

#include <algorithm>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/jit/nvrtc/nvjitlink.hpp"
#include "numpy_plugin/jit/toolkit/toolkit.hpp"
#include "numpy_plugin/system/events/events.hpp"

namespace numpy_plugin::run {
namespace {

// " by NVRTC 13.5", where a library is found.
std::string compiler_of(const Device& device, const std::string& image) try {
  const bool is_ptx = jit::code_kind(image) == jit::CodeKind::kPtx;
  return " by " + jit::compiler_name(jit::nvrtc_library(
                      {device.driver().version, jit::architecture_number(device.info().arch),
                       is_ptx ? jit::CodeForm::kPtx : jit::CodeForm::kMachineCode}));
} catch (const base::Error&) {
  return "";
}

// The line that declares a Python function, below its decorators; in C++ the body's first.
std::size_t declaring_line(const std::vector<std::string>& lines) {
  const auto found = std::find_if(lines.begin(), lines.end(), [](const std::string& line) {
    return base::strip(line).starts_with("def ");
  });
  return found == lines.end() ? 0 : static_cast<std::size_t>(found - lines.begin());
}

// NumPy's own ufuncs are declared for devices in this package. Python functions that it generates
// have no name; C++ texts, which have none either, are labelled by their files.
bool is_of_package(const declare::LabelledSource& source) {
  const declare::SourceText& text = source.text;
  return text.file.find("/numpy_plugin/_") != std::string::npos ||
         (text.function.empty() && text.file != source.label);
}

// Tells the simulated driver the kernel's name and source for its messages.
void describe_code(const load::Driver& driver, const std::string& name,
                   std::vector<declare::LabelledSource> sources, CodeAuthor author) {
  std::erase_if(sources, is_of_package);
  std::vector<std::string> texts;
  for (const auto& [label, source] : sources) texts.push_back(base::join(source.lines, "\n"));
  std::vector<NppSimulatorSource> described;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const declare::SourceText& source = sources[i].text;
    described.push_back({sources[i].label.c_str(), source.file.c_str(),
                         static_cast<std::uint32_t>(source.first_line), texts[i].c_str()});
  }
  NppSimulatorDeclaration declaration = {"numpy_plugin", 0, ""};
  std::string line;
  if (!sources.empty() && !sources.front().text.lines.empty()) {
    const declare::SourceText& source = sources.front().text;
    const std::size_t index = declaring_line(source.lines);
    line = base::strip(source.lines[index]);
    declaration = {
        source.file.c_str(),
        static_cast<std::uint32_t>(source.first_line) + static_cast<std::uint32_t>(index),
        line.c_str()};
  }
  driver.describe_code(name.c_str(), described.data(), static_cast<std::uint32_t>(described.size()),
                       author == CodeAuthor::kPackage ? &declaration : nullptr);
}

constexpr int kWarpThreads = 32;
constexpr int kRegisterUnit = 256;  // registers are allocated to warps in units
constexpr int kSchedulers = 4;      // each has its part of the registers
constexpr int kSharedUnit = 128;    // bytes

int rounded_up(int n, int unit) { return (n + unit - 1) / unit * unit; }

}  // namespace

DeviceModule::DeviceModule(const std::shared_ptr<Device>& device, const std::string& image,
                           const std::string& name,
                           const std::vector<declare::LabelledSource>& sources, CodeAuthor author)
    : device_(device) {
  const CurrentContext current(*device);
  const load::Driver& driver = device->driver();
  const RelaxedCapture relaxed(driver);
  if (driver.is_simulator) describe_code(driver, name, sources, author);
  const CUresult result = driver.cuModuleLoadData(&module_, image.c_str());
  const bool is_loaded = result == CUDA_SUCCESS;
  if (is_loaded && image.find(kPrintVariable) != std::string::npos) connect_print(*device, module_);
  if (is_loaded) {
    system::record_load(base::quoted(name), "on " + device->info().name);
    return;
  }
  driver.fail(result, format("to load '{}', compiled{} for {}", name, compiler_of(*device, image),
                             device->info().arch));
}

DeviceModule::~DeviceModule() {
  const std::shared_ptr<Device> device = device_.lock();
  if (device == nullptr) return;
  const ContextIfAny current(*device);
  if (!current) return;
  device->retire(module_);
}

CUfunction DeviceModule::function(const std::string& name) const {
  const std::shared_ptr<Device> device = device_.lock();
  NPP_ASSERT(device != nullptr, "a module is used after its device");
  const CurrentContext current(*device);
  const RelaxedCapture relaxed(device->driver());
  CUfunction function = nullptr;
  device->driver().check(device->driver().cuModuleGetFunction(&function, module_, name.c_str()),
                         format("to find '{}' in its compiled code", name));
  return function;
}

bool DeviceModule::has_function(const std::string& name) const {
  const std::shared_ptr<Device> device = device_.lock();
  NPP_ASSERT(device != nullptr, "a module is used after its device");
  const CurrentContext current(*device);
  CUfunction function = nullptr;
  return device->driver().cuModuleGetFunction(&function, module_, name.c_str()) == CUDA_SUCCESS;
}

std::optional<DeviceModule::Variable> DeviceModule::variable(const std::string& name) const {
  const std::shared_ptr<Device> device = device_.lock();
  NPP_ASSERT(device != nullptr, "a module is used after its device");
  const CurrentContext current(*device);
  const load::Driver& driver = device->driver();
  Variable found;
  const CUresult result =
      driver.cuModuleGetGlobal(&found.address, &found.n_bytes, module_, name.c_str());
  if (result == CUDA_ERROR_NOT_FOUND) return std::nullopt;
  driver.check(result, format("to find the variable '{}'", name));
  return found;
}

// The rules of NVIDIA's occupancy calculator for architectures from sm_75 on.
int resident_blocks(const Device& device, unsigned block_threads,
                    const jit::KernelResources& kernel) {
  const int n_warps = rounded_up(static_cast<int>(block_threads), kWarpThreads) / kWarpThreads;
  const int threads = device.attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  const int registers = device.attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  const int shared = device.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  const int reserved = device.attribute(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
  int n_blocks = std::min(device.attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR),
                          threads / kWarpThreads / n_warps);
  const int warp_registers = rounded_up(kernel.n_registers * kWarpThreads, kRegisterUnit);
  if (warp_registers > 0) {
    const int warps = registers / kSchedulers / warp_registers * kSchedulers;
    n_blocks = std::min(n_blocks, warps / n_warps);
  }
  const int block_shared = rounded_up(kernel.shared_bytes + reserved, kSharedUnit);
  return block_shared > 0 ? std::min(n_blocks, shared / block_shared) : n_blocks;
}

}  // namespace numpy_plugin::run
