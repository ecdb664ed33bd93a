// Translation unit of a device kernel written in Python: its callees, and one __global__ function.
#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/emit/printing/cpp_body.hpp"
#include "numpy_plugin/emit/printing/external_functions.hpp"
#include "numpy_plugin/emit/printing/kernel_struct.hpp"
#include "numpy_plugin/emit/printing/line_directives.hpp"
#include "numpy_plugin/emit/printing/names.hpp"
#include "numpy_plugin/emit/source/emit.hpp"
#include "numpy_plugin/emit/source/template_includes.hpp"
#include "numpy_plugin/kernel/raising.hpp"

namespace numpy_plugin::emit {

// A namespace protects the kernel from collisions with CUDA's declarations.
Source emit_device_kernel(const Program& program) {
  NPP_ASSERT(program.kernels.size() == 1, program.name);
  const std::string name = cpp_identifier(program.name);
  Source source{Target::kCuda, "", {"kernels::" + name}, {}, ""};
  const ExternalFunctions external = print_external_functions(program, Target::kCuda);
  source.linked = external.linked;
  source.sources = labelled_sources(program);
  const bool raises = declare::can_raise(program.kernels.front());
  source.text = "#include \"npp/cuda/kernel.hpp\"\n" +
                std::string(raises ? "#include \"npp/cuda/errors.hpp\"\n" : "") +
                print_template_includes(program) + print_body_include(program, Target::kCuda) +
                "\n" + external.text + "namespace kernels {\n\n" +
                KernelStructPrinter(external, /*has_lines=*/true)
                    .print_launched(program.kernels.front(), name) +
                "\n}  // namespace kernels\n";
  return source;
}

}  // namespace numpy_plugin::emit
