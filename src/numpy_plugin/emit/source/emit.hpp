// Kernels in, C++ text out: one translation unit for the host compiler or for NVRTC. The text is
// the kernels and a few instantiations of templates/; it depends on nothing but its arguments.
#pragma once

#include <span>
#include <string_view>

#include "numpy_plugin/emit/printing/program.hpp"

namespace numpy_plugin::emit {

Source emit_cpu(const Program& program);
Source emit_cuda(const Program& program, const DeviceForm& form);
// The one kernel of a program, which a user launches with a grid and a block. The entry point is
// its name in C++, not yet that in PTX. One that can raise has the address of an npp::Errors as its
// last parameter.
Source emit_device_kernel(const Program& program);

// A header of templates/, as compiled into the library: `name` is what #include says.
struct TemplateFile {
  std::string_view name;  // "npp/core/prelude.hpp"
  std::string_view text;
};
std::span<const TemplateFile> template_files();

}  // namespace numpy_plugin::emit
