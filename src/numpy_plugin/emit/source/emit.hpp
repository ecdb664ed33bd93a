// Emission: turns kernels into C++, one translation unit for the host compiler or for NVRTC. The
// text consists of the kernels and a few instantiations of templates/ and depends only on the
// arguments.
#pragma once

#include <span>
#include <string_view>

#include "numpy_plugin/analysis/reduce_form.hpp"
#include "numpy_plugin/emit/printing/program.hpp"

namespace numpy_plugin::emit {

// The subject of logs: "'hypot' for float64(float64, float64)".
std::string subject_of(const Program& program);

Source emit_cpu(const Program& program);
Source emit_cuda(const Program& program, const analysis::DeviceForm& form);
// A reduction by the only kernel of a program, which is binary.
Source emit_reduction(const Program& program, const analysis::ReduceForm& form);
// Emits elementwise kernels with one output as updates of an array's elements (UpdatesArguments);
// `stored` as DeviceForm's.
Source emit_updates(const Program& program, const std::vector<base::DType>& stored);
// A reduction of mapped operands by a program's kernels: the map, the combining one, and the last
// step where there is a third. With `has_number`, the map's last input is the element's number.
Source emit_map_reduction(const Program& program, const analysis::ReduceForm& form,
                          bool has_number);
// Emits the only kernel of a program, which a user launches with a grid and a block. The entry
// point is its C++ name, not its PTX name. A kernel that can raise has the address of an
// npp::Errors as its last parameter.
Source emit_device_kernel(const Program& program);

// A header of templates/, embedded in the library: `name` as in #include.
struct TemplateFile {
  std::string_view name;  // "npp/core/prelude.hpp"
  std::string_view text;
};
std::span<const TemplateFile> template_files();
// The SHA-256 digest of their names and texts, in hexadecimal.
std::string_view templates_digest();

}  // namespace numpy_plugin::emit
