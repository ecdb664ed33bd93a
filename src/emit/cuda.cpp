// The translation unit for NVRTC: one device kernel for each kernel, in one launch form.
#include "numpy_plugin/emit/cpp_body.hpp"
#include "numpy_plugin/emit/emit.hpp"
#include "numpy_plugin/emit/kernel_struct.hpp"
#include "numpy_plugin/emit/launch_shape.hpp"

namespace numpy_plugin::emit {
namespace {

std::string form_name(LaunchForm form) {
  switch (form) {
    case LaunchForm::kContiguous:
      return "contiguous";
    case LaunchForm::kStrided:
      return "strided";
    case LaunchForm::kGeneralized:
      return "generalized";
  }
  base::fail_assertion("the launch form is known", __FILE__, __LINE__, "");
}

std::string instantiation(LaunchForm form, const std::string& entry_point,
                          const std::string& kernel, const ThreadWork& work) {
  const std::string names = "(" + entry_point + ", " + kernel;
  switch (form) {
    case LaunchForm::kContiguous:
      return "NPP_CONTIGUOUS_KERNEL" + names + ", " + std::to_string(work.width) + ", " +
             std::to_string(work.n_vectors) + ")\n";
    case LaunchForm::kStrided:
      return "NPP_STRIDED_KERNEL" + names + ", " + std::to_string(work.n_vectors) + ")\n";
    case LaunchForm::kGeneralized:
      return "NPP_GENERALIZED_KERNEL" + names + ")\n";
  }
  base::fail_assertion("the launch form is known", __FILE__, __LINE__, "");
}

}  // namespace

Source emit_cuda(const Program& program, LaunchForm form) {
  NPP_ASSERT(!program.kernels.empty(), program.name);
  const bool is_generalized = program.kernels[0].layout.has_value();
  NPP_ASSERT(is_generalized == (form == LaunchForm::kGeneralized), program.name);

  Source source{Target::kCuda, "", {}, {}, body_label(program)};
  source.text = std::string("#include \"numpy_plugin/cuda_") +
                (is_generalized ? "generalized" : "elementwise") + ".hpp\"\n" +
                print_body_include(program) + "\n" + print_preamble(program);
  KernelStructPrinter kernels;
  std::string instantiations;
  for (std::size_t i = 0; i < program.kernels.size(); ++i) {
    const std::string name = kernel_struct_name(i);
    const ThreadWork work = thread_work(program.kernels[i], form);
    source.entry_points.push_back("npp_" + form_name(form) + "_" + std::to_string(i));
    source.launch_shapes.push_back(launch_shape(work));
    source.text += kernels.print(program.kernels[i], name) + "\n";
    instantiations += instantiation(form, source.entry_points.back(), name, work);
  }
  source.text += instantiations;
  return source;
}

}  // namespace numpy_plugin::emit
