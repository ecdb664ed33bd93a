#include "numpy_plugin/run/library/inspection.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "numpy_plugin/analysis/device_form.hpp"
#include "numpy_plugin/analysis/generalized_kernel.hpp"
#include "numpy_plugin/analysis/lanes/lane_plan.hpp"
#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/base/time_type.hpp"
#include "numpy_plugin/emit/printing/user_code.hpp"
#include "numpy_plugin/run/device/device_module.hpp"
#include "numpy_plugin/run/forms/device_form_text.hpp"
#include "numpy_plugin/run/library/compiled_code.hpp"

namespace numpy_plugin::run {
namespace {

using declare::TypedKernel;

[[noreturn]] void fail_without_kernel(const KernelLibrary& library, const std::string& wanted,
                                      const std::vector<const Loop*>& loops) {
  std::vector<std::string> known;
  for (const Loop* loop : loops) known.push_back(loop->kernel.signature.text());
  const std::string there = known.empty() ? "nothing is compiled before the first call"
                                          : "there is " + base::join(known, "; ");
  throw base::Error(base::ErrorKind::kValue, format("'{}' has no kernel for {}; {}",
                                                    library.declaration().name, wanted, there));
}

declare::TypeSignature parse_one_signature(const std::string& text,
                                           const declare::Declaration& declaration) {
  const declare::OperandCounts counts{declaration.n_inputs, declaration.n_outputs};
  return declare::parse_type_signatures({text}, declaration.layout, counts).front();
}

// A date or duration without a unit means those of every unit.
bool is_meant(const declare::OperandType& own, const declare::OperandType& wanted) {
  if (own.dtype == wanted.dtype || !base::is_time(own.dtype) || !base::is_time(wanted.dtype))
    return own.dtype == wanted.dtype;
  const base::TimeType& named = base::time_type(wanted.dtype);
  return named.is_generic() && named.is_duration == base::is_duration(own.dtype);
}

// Compares dtypes only: the layout has the dimensions, and spellings may omit them, and results.
bool has_types(declare::TypeSignature signature, const declare::TypeSignature& wanted) {
  if (wanted.outputs.empty()) signature.outputs.clear();
  return std::ranges::equal(signature.inputs, wanted.inputs, is_meant) &&
         std::ranges::equal(signature.outputs, wanted.outputs, is_meant);
}

std::vector<TypedKernel> chosen_kernels(KernelLibrary& library,
                                        const std::optional<std::string>& signature) {
  const std::vector<const Loop*> loops = library.loops();
  std::optional<declare::TypeSignature> wanted;
  if (signature) wanted = parse_one_signature(*signature, library.declaration());
  std::vector<TypedKernel> kernels;
  for (const Loop* loop : loops) {
    if (!wanted || has_types(loop->kernel.signature, *wanted)) {
      kernels.push_back(loop->kernel);
    }
  }
  if (kernels.empty()) fail_without_kernel(library, signature.value_or("any types"), loops);
  return kernels;
}

// Why a kernel has no code in a form; empty where it has.
std::string obstacle(const TypedKernel& kernel, const analysis::DeviceForm& form) {
  if (form.launch == analysis::LaunchForm::kTransposed && !analysis::has_tiles(kernel, form))
    return "its operands are too large or its body is too long for a tile in shared memory";
  if (form.launch == analysis::LaunchForm::kStaged) return analysis::staging_obstacle(kernel);
  if (form.launch == analysis::LaunchForm::kTiled)
    return analysis::find_matrix_product(kernel).reason;
  if (form.launch != analysis::LaunchForm::kSplit) return "";
  const analysis::SplitLoops split = analysis::find_split_loops(kernel);
  return split.loops.empty() ? split.reason : "";
}

// A kernel's loop as a reduction of arrays of its own dtypes.
emit::Source reduction_source(KernelLibrary& library, const std::optional<std::string>& signature,
                              const std::string& form_text) {
  analysis::ReduceForm form = parse_reduce_form(form_text);
  std::vector<TypedKernel> kernels = chosen_kernels(library, signature);
  kernels.erase(kernels.begin() + 1, kernels.end());
  const declare::TypeSignature& types = kernels.front().signature;
  if (library.declaration().layout || types.inputs.size() != 2 || types.outputs.size() != 1 ||
      types.inputs[0].dtype != types.outputs[0].dtype) {
    throw base::Error(base::ErrorKind::kValue,
                      format("'{}' has no reduction for {}; expected two numbers and one result of "
                             "the first one's dtype",
                             library.declaration().name, types.text()));
  }
  form.stored_input = types.inputs[1].dtype;
  form.stored_output = types.outputs[0].dtype;
  return emit::emit_reduction(library.program(std::move(kernels)), form);
}

emit::Source device_source(KernelLibrary& library, const std::optional<std::string>& signature,
                           const std::string& arch, const std::string& form_text) {
  if (is_reduce_form(form_text)) return reduction_source(library, signature, form_text);
  const declare::Declaration& declaration = library.declaration();
  const analysis::DeviceForm form =
      parse_device_form(form_text, arch, /*is_generalized=*/declaration.layout.has_value());
  std::vector<TypedKernel> kernels = chosen_kernels(library, signature);
  for (const TypedKernel& kernel : kernels) {
    const std::string reason = obstacle(kernel, form);
    if (reason.empty()) continue;
    throw base::Error(base::ErrorKind::kValue,
                      format("'{}' is not {}, because {}", declaration.name,
                             analysis::info(form.launch).name, reason));
  }
  return emit::emit_cuda(library.program(std::move(kernels)), form);
}

jit::CudaOptions device_options(const KernelLibrary& library, const std::string& arch) {
  return with_declared(jit::CudaOptions{.arch = arch}, library.declaration());
}

emit::Source host_source(KernelLibrary& library, const std::optional<std::string>& signature) {
  emit::Source source = emit::emit_cpu(library.program(chosen_kernels(library, signature)));
  if (source.missing.empty()) return source;
  throw base::Error(base::ErrorKind::kCompiler, source.missing);
}

}  // namespace

std::string source_text(KernelLibrary& library, const std::string& target,
                        const std::optional<std::string>& signature) {
  if (target == "cpu") {
    return host_source(library, signature).text;
  }
  if (target == "cuda") {
    return emit::without_line_directives(device_source(library, signature, "sm_90", "").text);
  }
  throw base::Error(base::ErrorKind::kValue,
                    format("unknown target '{}'; expected one of cpu, cuda", target));
}

// Where a kernel has lanes, in words.
std::string lane_targets(const analysis::LanePlan& plan) {
  const std::string processors = "on processors with AVX2 or NEON";
  const std::string without_library = " where no vector library has its functions";
  switch (plan.target) {
    case analysis::LanePlan::Target::kAny:
      return processors;
    case analysis::LanePlan::Target::kWideOrOwnMath:
      return "on processors with AVX-512; with AVX2 or NEON" + without_library;
    case analysis::LanePlan::Target::kOwnMath:
      return processors + without_library;
    case analysis::LanePlan::Target::kOnlyAvx2:
      return "on processors with AVX2 and without AVX-512";
  }
  return processors;
}

std::string host_form_text(KernelLibrary& library, const std::optional<std::string>& signature) {
  const emit::Program program = library.program(chosen_kernels(library, signature));
  std::string text;
  for (const TypedKernel& kernel : program.kernels) {
    const analysis::LaneDecision decision = analysis::plan_lanes(kernel, program.math);
    text += format("{}{}: ", text.empty() ? "" : "\n", kernel.signature.text());
    if (!decision.plan)
      text += format("element by element ({})", decision.reason);
    else
      text += "lane blocks, " + lane_targets(*decision.plan);
  }
  return text;
}

std::string assembly_text(KernelLibrary& library, const std::optional<std::string>& signature) {
  return jit::assembly_for_host(host_source(library, signature),
                                with_declared(jit::HostOptions{}, library.declaration()));
}

std::string ptx_text(KernelLibrary& library, const std::optional<std::string>& signature,
                     const std::string& arch, const std::string& form) {
  return jit::compile_to_ptx(device_source(library, signature, arch, form),
                             device_options(library, arch));
}

std::string machine_code(KernelLibrary& library, const std::optional<std::string>& signature,
                         const std::string& arch, const std::string& form) {
  const emit::Source source = device_source(library, signature, arch, form);
  const jit::CudaOptions options = device_options(library, arch);
  return linked_machine_code(
      source.linked, {{.arch = arch}, options.fast_math, options.use_cache},
      [&](jit::PartForm part) { return jit::compile_part(source, options, part); });
}

jit::CudaBinary device_binary(KernelLibrary& library, const std::optional<std::string>& signature,
                              const std::string& arch, const std::string& form) {
  return jit::compile_for_device(device_source(library, signature, arch, form),
                                 device_options(library, arch));
}

jit::KernelResources kernel_resources(const KernelLibrary& library, const emit::Source& source,
                                      const std::string& arch) {
  const jit::CudaBinary binary = jit::compile_for_device(source, device_options(library, arch));
  NPP_ASSERT(binary.resources.size() == 1, std::to_string(binary.resources.size()));
  return binary.resources.front();
}

bool is_cached(const declare::Declaration& declaration, const emit::Source& source,
               const Device& device) {
  const jit::CudaOptions options = with_declared(options_for(device), declaration);
  return device.is_simulated() ? jit::is_ptx_cached(source, options)
                               : jit::is_image_cached(source, options);
}

}  // namespace numpy_plugin::run
