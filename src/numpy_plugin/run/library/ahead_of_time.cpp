#include "numpy_plugin/run/library/ahead_of_time.hpp"

#include <algorithm>
#include <set>

#include "numpy_plugin/analysis/device_form.hpp"
#include "numpy_plugin/analysis/generalized_kernel.hpp"
#include "numpy_plugin/base/cpu_levels.hpp"
#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/jit/host/host_flags.hpp"
#include "numpy_plugin/jit/toolkit/toolkit.hpp"
#include "numpy_plugin/kernel/kernel.hpp"
#include "numpy_plugin/run/library/compiled_code.hpp"

namespace numpy_plugin::run {
namespace {

using declare::TypedKernel;

std::vector<TypedKernel> declared_kernels(const KernelLibrary& library) {
  std::vector<TypedKernel> kernels;
  for (const Loop& loop : library.declared_loops()) kernels.push_back(loop.kernel);
  return kernels;
}

emit::Source host_source(const KernelLibrary& library) {
  return emit::emit_cpu(library.program(declared_kernels(library)));
}

bool has_bfloat16(const TypedKernel& kernel) {
  const auto is_bfloat16 = [](const declare::OperandType& operand) {
    return operand.dtype == base::DType::kBFloat16;
  };
  const auto& [inputs, outputs] = kernel.signature;
  return std::any_of(inputs.begin(), inputs.end(), is_bfloat16) ||
         std::any_of(outputs.begin(), outputs.end(), is_bfloat16);
}

std::string obstacle_in_target(declare::CallTarget target) {
  const char* const hint = "; leave target= out: its loops run in the thread that calls it";
  if (target == declare::CallTarget::kParallel)
    return std::string("has target=\"parallel\"") + hint;
  if (target == declare::CallTarget::kCuda) return std::string("has target=\"cuda\"") + hint;
  return "";
}

std::string obstacle_in_kernel(const TypedKernel& kernel) {
  if (declare::prints(kernel)) return "prints, which needs numpy_plugin; remove print()";
  if (has_bfloat16(kernel)) return "has bfloat16 operands, a dtype that NumPy itself does not have";
  if (!kernel.layout) return "";
  for (const declare::DimensionName& name : kernel.layout->names) {
    if (name.is_broadcastable)
      return format("broadcasts the core dimension '{}', which NumPy itself does not",
                    name.name + "|1");
  }
  return "";
}

std::string obstacle_in_signatures(const declare::Declaration& declaration) {
  if (std::ranges::none_of(declaration.signatures, declare::has_open_units)) return "";
  return "has dates or durations without a unit, which is known when it is called; declare one "
         "signature for each unit, as in datetime64[s]";
}

std::string obstacle_in_code(const KernelLibrary& library) {
  const emit::Source source = host_source(library);
  if (!source.missing.empty()) return "has no code for the CPU: " + source.missing;
  if (source.library_functions.empty()) return "";
  const emit::LibraryFunction& function = source.library_functions.front();
  return format("calls '{}' of the shared library '{}'; give its source as cpu=", function.name,
                function.library);
}

using analysis::DeviceForm;
using analysis::LaunchForm;

// Whether calls often use a form of elementwise kernels.
bool is_common(const TypedKernel& kernel, const DeviceForm& form) {
  if (form.launch == LaunchForm::kTransposed && !analysis::has_tiles(kernel, form)) return false;
  return !form.is_masked || form.launch == LaunchForm::kContiguous ||
         form.launch == LaunchForm::kStrided;
}

// Of calls with up to four dimensions.
std::vector<DeviceForm> elementwise_forms(const TypedKernel& kernel, int architecture) {
  std::vector<DeviceForm> forms;
  for (const analysis::LaunchFormInfo& row : analysis::kLaunchForms) {
    if (row.is_generalized) continue;
    for (const bool is_masked : {false, true}) {
      for (const int n_dimensions : {1, 4}) {
        DeviceForm form = {.launch = row.form, .stored = {}, .n_dimensions = n_dimensions};
        form.is_masked = is_masked;
        form.architecture = architecture;
        if (is_common(kernel, form)) forms.push_back(std::move(form));
      }
    }
  }
  return forms;
}

std::vector<DeviceForm> generalized_forms(const TypedKernel& kernel) {
  std::vector<DeviceForm> forms = {{.launch = LaunchForm::kGeneralized, .stored = {}}};
  if (!analysis::find_split_loops(kernel).loops.empty())
    forms.push_back({.launch = LaunchForm::kSplit, .stored = {}});
  if (analysis::staging_obstacle(kernel).empty())
    forms.push_back({.launch = LaunchForm::kStaged, .stored = {}});
  if (analysis::find_matrix_product(kernel).reason.empty())
    forms.push_back({.launch = LaunchForm::kTiled, .stored = {}});
  return forms;
}

// Those of reductions over one axis, and over all elements.
std::vector<emit::Source> reduction_sources(const KernelLibrary& library,
                                            const TypedKernel& kernel) {
  const auto& [inputs, outputs] = kernel.signature;
  if (kernel.layout || inputs.size() != 2 || outputs.size() != 1 ||
      inputs[0].dtype != outputs[0].dtype || inputs[1].dtype != outputs[0].dtype) {
    return {};
  }
  std::vector<emit::Source> sources;
  for (const analysis::ReduceLaunch launch :
       {analysis::ReduceLaunch::kWarpRows, analysis::ReduceLaunch::kVectorRows,
        analysis::ReduceLaunch::kColumns, analysis::ReduceLaunch::kTeamColumns,
        analysis::ReduceLaunch::kInOrder}) {
    sources.push_back(emit::emit_reduction(
        library.program({kernel}),
        {.launch = launch, .stored_input = inputs[1].dtype, .stored_output = outputs[0].dtype}));
  }
  return sources;
}

// Of code that NVRTC compiles here: machine code serves all drivers of its major version.
int oldest_driver(int architecture, bool is_machine_code) {
  const auto form = is_machine_code ? jit::CodeForm::kMachineCode : jit::CodeForm::kPtx;
  const jit::NvrtcLibrary& nvrtc = jit::nvrtc_library({.architecture = architecture, .form = form});
  return 1000 * nvrtc.major + (is_machine_code ? 0 : 10 * nvrtc.minor);
}

std::vector<emit::Source> device_sources(const KernelLibrary& library, const TypedKernel& kernel,
                                         int architecture) {
  std::vector<emit::Source> sources = reduction_sources(library, kernel);
  const auto forms =
      kernel.layout ? generalized_forms(kernel) : elementwise_forms(kernel, architecture);
  for (const DeviceForm& form : forms)
    sources.push_back(emit::emit_cuda(library.program({kernel}), form));
  return sources;
}

}  // namespace

std::string obstacle_to_building(const KernelLibrary& library) {
  const declare::Declaration& declaration = library.declaration();
  if (declaration.signatures.empty())
    return "has no signatures; declare the types, as in @npp.vectorize([\"float64(float64)\"])";
  if (!declaration.linked.empty()) return "is linked with device code by link=; leave it out";
  if (std::string found = obstacle_in_target(declaration.call_target); !found.empty()) return found;
  if (std::string found = obstacle_in_signatures(declaration); !found.empty()) return found;
  for (const Loop& loop : library.declared_loops()) {
    if (std::string found = obstacle_in_kernel(loop.kernel); !found.empty()) return found;
  }
  return obstacle_in_code(library);
}

emit::BuiltUfunc built_ufunc(const KernelLibrary& library) {
  emit::BuiltUfunc built;
  built.kernels = declared_kernels(library);
  built.entry_points = host_source(library).entry_points;
  return built;
}

std::string built_object(const KernelLibrary& library, const std::string& level,
                         const std::string& suffix) {
  jit::HostOptions options = with_declared(jit::HostOptions{}, library.declaration());
  options.cpu_level = level;
  const auto object =
      jit::with_suffixed_symbols(jit::object_for_host(host_source(library), options), suffix);
  if (object.has_value()) return *object;
  throw base::Error(base::ErrorKind::kCompiler,
                    "the C++ compiler writes no ELF objects; leave out options such as -flto, or "
                    "set NUMPY_PLUGIN_CXX to another compiler");
}

std::string built_table(const emit::BuiltModule& module) {
  jit::HostOptions options;
  options.cpu_level = base::cpu_levels().front().name;
  options.use_cache = module.device_file.empty();
  return jit::object_for_host(emit::emit_built_module(module), options);
}

std::vector<BuiltImage> built_images(const KernelLibrary& library, const std::string& arch) {
  const int architecture = jit::architecture_number(arch);
  if (architecture == 0) {
    throw base::Error(
        base::ErrorKind::kValue,
        format(
            "unknown architecture '{}'; expected 'sm_90' for machine code or 'compute_90' for PTX",
            arch));
  }
  const jit::CudaOptions options =
      with_declared(jit::CudaOptions{.arch = arch}, library.declaration());
  const bool is_machine_code = arch.starts_with("sm_");
  const int driver_version = oldest_driver(architecture, is_machine_code);
  std::vector<BuiltImage> images;
  for (const TypedKernel& kernel : declared_kernels(library)) {
    std::set<std::string> compiled;  // forms may have the same source
    for (const emit::Source& source : device_sources(library, kernel, architecture)) {
      if (!compiled.insert(source.text).second) continue;
      images.push_back({digest_of(source), arch, driver_version,
                        is_machine_code ? jit::compile_for_device(source, options).cubin
                                        : jit::compile_to_ptx(source, options)});
    }
  }
  return images;
}

}  // namespace numpy_plugin::run
