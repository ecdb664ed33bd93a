// Emission: turns kernels into C++, one translation unit for the host compiler or for NVRTC. The
// text consists of the kernels and a few instantiations of templates/ and depends only on the
// arguments.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/analysis/reduce_form.hpp"
#include "numpy_plugin/emit/printing/program.hpp"
#include "numpy_plugin/kernel/kernel.hpp"

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

// Headers that preambles include by the names of the C++ library, CUDA and CuPy, and that
// templates/ answers: NVRTC has none at all, and most hosts none of CUDA.
struct NamedHeader {
  std::string_view name;      // as in #include
  std::string_view for_cuda;  // its text
  std::string_view for_cpu;   // likewise; empty where the host's own header is used
  // Beside headers of CUDA and CCCL, with which those of templates/ conflict; empty: not there.
  std::string_view beside_cudas = {};
};
std::span<const NamedHeader> named_headers();

// The embedded headers that a compilation for the host reads. Writing all of them would take half
// as long as compiling a small kernel.

// The names of the templates and named headers that a text includes, and of those that they
// include. All of them where the text includes another file, which may include any.
std::set<std::string_view> host_headers(std::string_view text);
std::set<std::string_view> all_host_headers();

// Refusal of kernels whose bits are not the same everywhere with math="reproducible". Errors for
// the functions that there are no rows for.
std::vector<declare::Diagnostic> irreproducible_calls(const declare::TypedKernel& kernel);

// A built module: an extension module of Python with ufuncs compiled ahead of time.

// A ufunc of the module. Its kernels' loops are in an object for each level, whose symbols end with
// built_suffix().
struct BuiltUfunc {
  std::vector<declare::TypedKernel> kernels;
  std::vector<std::string> entry_points;  // of the kernels, without the suffix
  std::string name;
  std::string doc;
  std::string identity;  // a Python expression; empty without one
  bool is_reorderable = false;
};

struct BuiltModule {
  std::string name;
  std::string doc;
  std::vector<std::string> levels;
  std::vector<BuiltUfunc> ufuncs;
  std::string raising;      // as npp::BuiltModule's; empty where no kernel raises
  std::string exceptions;   // likewise
  std::string device_file;  // path of a file with the data for devices; empty without
};

std::string built_suffix(std::size_t ufunc, std::size_t level);

// The translation unit of the module's table, for the host compiler.
Source emit_built_module(const BuiltModule& module);

}  // namespace numpy_plugin::emit
