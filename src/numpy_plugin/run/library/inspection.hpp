// Inspection of a declaration: its sources and binaries for each target, for one kernel or all.
#pragma once

#include <optional>
#include <string>

#include "numpy_plugin/jit/cache/binary.hpp"
#include "numpy_plugin/run/library/kernel_library.hpp"

namespace numpy_plugin::run {

// `signature` is a str in any spelling; nullopt for all existing kernels. Each function throws
// base::Error (kValue) when there is no kernel for it.
std::string source_text(KernelLibrary& library, const std::string& target,
                        const std::optional<std::string>& signature);
// How the host's loops compute their elements, with a line for each kernel.
std::string host_form_text(KernelLibrary& library, const std::optional<std::string>& signature);
std::string assembly_text(KernelLibrary& library, const std::optional<std::string>& signature);
// `form` in the spelling of device_form_text.hpp; empty for the default.
std::string ptx_text(KernelLibrary& library, const std::optional<std::string>& signature,
                     const std::string& arch, const std::string& form);
// Linked with the kernels' callees where nvJitLink is found.
std::string machine_code(KernelLibrary& library, const std::optional<std::string>& signature,
                         const std::string& arch, const std::string& form);
jit::CudaBinary device_binary(KernelLibrary& library, const std::optional<std::string>& signature,
                              const std::string& arch, const std::string& form);
// Resources of the one kernel of an emitted source.
jit::KernelResources kernel_resources(const KernelLibrary& library, const emit::Source& source,
                                      const std::string& arch);

// Whether the disk cache has the code of a source for a device.
bool is_cached(const declare::Declaration& declaration, const emit::Source& source,
               const Device& device);

}  // namespace numpy_plugin::run
