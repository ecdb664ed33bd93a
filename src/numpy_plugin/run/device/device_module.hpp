// Code on a device: linked with other code, loaded, and what it prints.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "numpy_plugin/diagnostics/diagnostic.hpp"
#include "numpy_plugin/jit/cache/binary.hpp"
#include "numpy_plugin/jit/nvrtc/nvjitlink.hpp"
#include "numpy_plugin/jit/nvrtc/nvrtc.hpp"
#include "numpy_plugin/kernel/kernel.hpp"
#include "numpy_plugin/load/driver.hpp"
#include "numpy_plugin/run/device/device.hpp"

namespace numpy_plugin::run {

// Device kernels that call code in other files: compiled as relocatable, then linked with it.

// Compiles the kernel itself to a form that links with the other parts.
using CompilePart = std::function<std::string(jit::PartForm form)>;

// Links for the device's driver: by nvJitLink where it is found, else by the driver's own linker,
// which accepts no LTO-IR on a GPU; on a simulated device by the simulator, after nvJitLink has
// turned LTO-IR into PTX. Throws base::Error (kCompiler) with the linker's log, load::CudaError.
std::string link_kernel(const Device& device, const declare::DeviceCodes& codes,
                        const jit::LinkOptions& options, const CompilePart& compile);

// The machine code of a kernel linked by nvJitLink, without a device; the kernel's own alone where
// nvJitLink is missing or there is nothing to link.
std::string linked_machine_code(const declare::DeviceCodes& codes, const jit::LinkOptions& options,
                                const CompilePart& compile);

// Code loaded on a device, and its functions.

// Of the lines that none of a module's sources has: the user, whose headers messages may name, or
// this package, whose templates mean nothing to the user.
enum class CodeAuthor { kUser, kPackage };

// Unloads with this object. Holds a weak reference: keeps no device alive.
class DeviceModule {
 public:
  // `image` is a cubin, or PTX for a simulated device, whose messages quote `sources`; `name` is
  // used in messages. Throws load::CudaError.
  DeviceModule(const std::shared_ptr<Device>& device, const std::string& image,
               const std::string& name, const std::vector<declare::LabelledSource>& sources,
               CodeAuthor author);
  ~DeviceModule();
  DeviceModule(const DeviceModule&) = delete;
  DeviceModule& operator=(const DeviceModule&) = delete;

  // Throws load::CudaError where the module has no such function.
  CUfunction function(const std::string& name) const;
  bool has_function(const std::string& name) const;

  // A variable in the device's memory.
  struct Variable {
    CUdeviceptr address = 0;
    std::size_t n_bytes = 0;
  };
  // nullopt where the module has no such variable.
  std::optional<Variable> variable(const std::string& name) const;

 private:
  std::weak_ptr<Device> device_;
  CUmodule module_ = nullptr;
};

// Lines of `print` of a device's kernels: a ring in pinned host memory, one a device. The device
// appends lines while kernels run; the host shows those that are complete where it has waited for
// the device anyway. The driver's own printf would write to the process's standard output, which
// notebooks and tests do not capture, and overwrite lines silently.

// The variable of compiled code that prints.
inline constexpr const char* kPrintVariable = "npp_print_ring";

// Gives code that prints the ring of its device. Throws load::CudaError.
void connect_print(Device& device, CUmodule module);

// Shows the lines that kernels have completed, in the order in which they were written; tells how
// many were lost since.
void show_printed(const Device& device);

// How many blocks of a kernel a multiprocessor holds at a time: limited by the device's blocks,
// threads, registers and shared memory per multiprocessor; 0 where not even one block fits.
int resident_blocks(const Device& device, unsigned block_threads,
                    const jit::KernelResources& kernel);

}  // namespace numpy_plugin::run
