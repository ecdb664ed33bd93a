// Looking inside a declaration: its texts and binaries for each target, for all kernels or one.
#pragma once

#include <optional>
#include <string>

#include "numpy_plugin/jit/cache/binary.hpp"
#include "numpy_plugin/run/library/kernel_library.hpp"

namespace numpy_plugin::run {

// `signature` is a str in any spelling; nothing for all kernels there are. Each function throws
// base::Error (kValue) when there is no kernel for it.
std::string source_text(KernelLibrary& library, const std::string& target,
                        const std::optional<std::string>& signature);
std::string assembly_text(KernelLibrary& library, const std::optional<std::string>& signature);
// `form` as device_form_text.hpp has it; empty for the usual one.
std::string ptx_text(KernelLibrary& library, const std::optional<std::string>& signature,
                     const std::string& arch, const std::string& form);
// Linked with what the kernels call where nvJitLink is found.
std::string machine_code(KernelLibrary& library, const std::optional<std::string>& signature,
                         const std::string& arch, const std::string& form);
jit::CudaBinary device_binary(KernelLibrary& library, const std::optional<std::string>& signature,
                              const std::string& arch, const std::string& form);

}  // namespace numpy_plugin::run
