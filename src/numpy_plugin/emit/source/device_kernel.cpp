// Translation unit of a kernel that is launched with a grid and a block: what it calls, and one
// __global__ function.
#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/emit/printing/cpp_text.hpp"
#include "numpy_plugin/emit/printing/kernel_struct.hpp"
#include "numpy_plugin/emit/printing/user_code.hpp"
#include "numpy_plugin/emit/source/emit.hpp"
#include "numpy_plugin/emit/source/source_parts.hpp"
#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::emit {

namespace {

std::string print_kernel(const Program& program, const ExternalFunctions& external,
                         const std::string& name) {
  const declare::TypedKernel& kernel = program.kernels.front();
  if (std::holds_alternative<declare::CppKernel>(kernel.body)) {
    return print_launched_body(kernel, name);
  }
  return KernelStructPrinter(external, /*has_lines=*/true).print_launched(kernel, name);
}

}  // namespace

// A namespace protects the kernel from collisions with CUDA's declarations.
Source emit_device_kernel(const Program& program) {
  NPP_ASSERT(program.kernels.size() == 1, program.name);
  const std::string name = cpp_identifier(program.name);
  Source source{Target::kCuda, "", {"kernels::" + name}, {}, user_text(program, Target::kCuda)};
  source.subject = subject_of(program);
  const ExternalFunctions external = print_external_functions(program, Target::kCuda);
  source.linked = external.linked;
  source.sources = labelled_sources(program);
  const bool raises = declare::can_raise(program.kernels.front());
  const std::string includes = format("#include \"npp/cuda/kernel.hpp\"\n{}",
                                      raises ? "#include \"npp/cuda/errors.hpp\"\n" : "");
  source.text = print_device_unit(program, includes,
                                  format("{}namespace kernels {\n\n"
                                         "{}\n"
                                         "}  // namespace kernels\n",
                                         external.text, print_kernel(program, external, name)));
  return source;
}

}  // namespace numpy_plugin::emit
