#include "numpy_plugin/run/inspection.hpp"

#include <utility>
#include <vector>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/jit/host_compiler.hpp"
#include "numpy_plugin/jit/nvrtc.hpp"
#include "numpy_plugin/run/device_form_text.hpp"

namespace numpy_plugin::run {
namespace {

using declare::TypedKernel;

[[noreturn]] void fail_without_kernel(const KernelLibrary& library, const std::string& wanted,
                                      const std::vector<const Loop*>& loops) {
  std::vector<std::string> known;
  for (const Loop* loop : loops) known.push_back(loop->kernel.signature.text());
  const std::string there = known.empty() ? "nothing is compiled before the first call"
                                          : "there is " + base::join(known, "; ");
  throw base::Error(base::ErrorKind::kValue, "'" + library.declaration().name +
                                                 "' has no kernel for " + wanted + "; " + there);
}

declare::TypeSignature parse_one_signature(const std::string& text,
                                           const Declaration& declaration) {
  const declare::OperandCounts counts{declaration.n_inputs, declaration.n_outputs};
  return declare::parse_type_signatures({text}, declaration.layout, counts).front();
}

// Dimensions are left out of the comparison: the layout has them, and spellings may leave them out.
bool has_same_types(const declare::TypeSignature& one, const declare::TypeSignature& other) {
  return one.numpy_types() == other.numpy_types();
}

std::vector<TypedKernel> chosen_kernels(KernelLibrary& library,
                                        const std::optional<std::string>& signature) {
  const std::vector<const Loop*> loops = library.loops();
  std::optional<declare::TypeSignature> wanted;
  if (signature) wanted = parse_one_signature(*signature, library.declaration());
  std::vector<TypedKernel> kernels;
  for (const Loop* loop : loops) {
    if (!wanted || has_same_types(loop->kernel.signature, *wanted)) {
      kernels.push_back(loop->kernel);
    }
  }
  if (kernels.empty()) fail_without_kernel(library, signature.value_or("any types"), loops);
  return kernels;
}

emit::DeviceForm device_form(const KernelLibrary& library, const std::string& arch,
                             const std::string& text) {
  emit::DeviceForm form = parse_device_form(text, arch);
  if (!library.declaration().layout) return form;
  if (!text.empty()) {
    throw base::Error(base::ErrorKind::kValue, "'" + library.declaration().name +
                                                   "' is a generalized ufunc, whose form is not "
                                                   "asked for; leave out form=");
  }
  form.launch = emit::LaunchForm::kGeneralized;
  return form;
}

emit::Source device_source(KernelLibrary& library, const std::optional<std::string>& signature,
                           const emit::DeviceForm& form) {
  return emit::emit_cuda(library.program(chosen_kernels(library, signature)), form);
}

jit::CudaOptions device_options(const KernelLibrary& library, const std::string& arch) {
  return {arch, library.declaration().fast_math, library.declaration().use_cache};
}

}  // namespace

std::string source_text(KernelLibrary& library, const std::string& target,
                        const std::optional<std::string>& signature) {
  if (target == "cpu") {
    return emit::emit_cpu(library.program(chosen_kernels(library, signature))).text;
  }
  if (target == "cuda") {
    return device_source(library, signature, device_form(library, "sm_90", "")).text;
  }
  throw base::Error(base::ErrorKind::kValue,
                    "unknown target '" + target + "'; expected one of cpu, cuda");
}

std::string assembly_text(KernelLibrary& library, const std::optional<std::string>& signature) {
  const emit::Source source = emit::emit_cpu(library.program(chosen_kernels(library, signature)));
  return jit::assembly_for_host(source,
                                {library.declaration().fast_math, library.declaration().use_cache});
}

std::string ptx_text(KernelLibrary& library, const std::optional<std::string>& signature,
                     const std::string& arch, const std::string& form) {
  return jit::compile_to_ptx(device_source(library, signature, device_form(library, arch, form)),
                             device_options(library, arch));
}

jit::CudaBinary device_binary(KernelLibrary& library, const std::optional<std::string>& signature,
                              const std::string& arch, const std::string& form) {
  return jit::compile_for_device(
      device_source(library, signature, device_form(library, arch, form)),
      device_options(library, arch));
}

}  // namespace numpy_plugin::run
