// Translation unit for NVRTC: one device kernel per kernel, in one launch form.
#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "numpy_plugin/analysis/device_form.hpp"
#include "numpy_plugin/analysis/scratch/scratch_sizes.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/emit/printing/kernel_struct.hpp"
#include "numpy_plugin/emit/printing/user_code.hpp"
#include "numpy_plugin/emit/source/emit.hpp"
#include "numpy_plugin/emit/source/source_parts.hpp"
#include "numpy_plugin/kernel/kernel.hpp"
#include "numpy_plugin/kernel/scratch.hpp"

namespace numpy_plugin::emit {
namespace {

using Arguments = std::vector<std::string>;

std::string range(const analysis::DeviceForm& form) {
  return form.is_wide ? "npp::Wide" : "npp::Narrow";
}

std::string mask(const analysis::DeviceForm& form) {
  return form.is_masked ? "npp::Mask::kGiven" : "npp::Mask::kNone";
}

Arguments contiguous_arguments(const analysis::DeviceForm& form, const analysis::ThreadWork& work) {
  return {range(form), mask(form), std::to_string(work.width), std::to_string(work.n_vectors)};
}

Arguments rows_arguments(const analysis::DeviceForm& form, const analysis::ThreadWork& work) {
  return {range(form), mask(form), std::to_string(form.n_dimensions), std::to_string(work.width),
          std::to_string(work.n_vectors)};
}

Arguments strided_arguments(const analysis::DeviceForm& form, const analysis::ThreadWork& work) {
  return {range(form), mask(form), std::to_string(form.n_dimensions),
          std::to_string(work.n_vectors)};
}

Arguments range_argument(const analysis::DeviceForm& form, const analysis::ThreadWork&) {
  return {range(form)};
}

Arguments no_arguments(const analysis::DeviceForm&, const analysis::ThreadWork&) { return {}; }

struct FormRow {
  analysis::LaunchForm launch;
  const char* macro;  // defines the device kernel, from its name, the kernel's struct and ...
  Arguments (*arguments)(const analysis::DeviceForm&, const analysis::ThreadWork&);
};

constexpr FormRow kForms[] = {
    {analysis::LaunchForm::kContiguous, "CONTIGUOUS", contiguous_arguments},
    {analysis::LaunchForm::kRows, "ROWS", rows_arguments},
    {analysis::LaunchForm::kShortRows, "SHORT_ROWS", rows_arguments},
    {analysis::LaunchForm::kTransposed, "TRANSPOSED", strided_arguments},
    {analysis::LaunchForm::kStrided, "STRIDED", strided_arguments},
    {analysis::LaunchForm::kGeneralized, "GENERALIZED", range_argument},
    {analysis::LaunchForm::kSplit, "SPLIT", range_argument},
    {analysis::LaunchForm::kStaged, "STAGED", no_arguments},
    {analysis::LaunchForm::kTiled, "TILED", no_arguments},
};

const FormRow& form_row(analysis::LaunchForm launch) {
  const auto* const row = std::find_if(std::begin(kForms), std::end(kForms),
                                       [launch](const FormRow& r) { return r.launch == launch; });
  NPP_ASSERT(row != std::end(kForms), std::to_string(static_cast<int>(launch)));
  return *row;
}

std::string instantiation(const FormRow& row, const std::string& entry_point,
                          const std::string& struct_name, const Arguments& more,
                          const declare::TypedKernel& kernel) {
  Arguments arguments = {entry_point, struct_name};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const char* const prefix = declare::has_scratch(kernel) ? "NPP_SCRATCH_"
                             : declare::can_raise(kernel) ? "NPP_RAISING_"
                                                          : "NPP_";
  return format("{}{}_KERNEL({})\n", prefix, row.macro, base::join(arguments, ", "));
}

// The kernel's struct, with the functions that the form calls.
std::string kernel_struct(KernelStructPrinter& printer, const declare::TypedKernel& kernel,
                          const std::string& name, const analysis::DeviceForm& form) {
  if (form.launch == analysis::LaunchForm::kTiled) {
    const analysis::MatrixProduct product = analysis::find_matrix_product(kernel);
    NPP_ASSERT(product.reason.empty(), product.reason);
    return printer.print_product(kernel, name, product,
                                 std::min(form.tile_items, analysis::most_tile_items(product)));
  }
  if (form.launch != analysis::LaunchForm::kSplit) return printer.print(kernel, name);
  const analysis::SplitLoops found = analysis::find_split_loops(kernel);
  NPP_ASSERT(!found.loops.empty(), found.reason);
  return printer.print(kernel, name, found.loops);
}

std::string cpp_types(std::span<const base::DType> dtypes) {
  std::vector<std::string> types;
  for (const base::DType dtype : dtypes) types.emplace_back(base::info(dtype).cpp_name);
  return format("npp::Types<{}>", base::join(types, ", "));
}

// The struct that the device kernel is instantiated with: the kernel's own, or a wrapper.
struct LaunchedStruct {
  std::string name;
  std::string text;    // empty for the kernel's own
  std::string header;  // likewise
};

LaunchedStruct launched_struct(const declare::TypedKernel& kernel, std::size_t index,
                               const analysis::DeviceForm& form) {
  const std::string kernel_name = kernel_struct_name(index);
  if (kernel.layout) return {kernel_name, "", ""};
  const std::vector<base::DType> stored = analysis::stored_types(kernel, form);
  if (stored != analysis::stored_types(kernel, {})) {
    const std::string name = "Cast" + kernel_name;
    const auto inputs = std::span(stored).first(kernel.signature.inputs.size());
    const auto outputs = std::span(stored).subspan(inputs.size());
    return {name,
            format("using {} =\n    npp::CastKernel<{}, {}, {}>;\n\n", name, kernel_name,
                   cpp_types(inputs), cpp_types(outputs)),
            "cast"};
  }
  if (form.launch != analysis::LaunchForm::kStrided && analysis::has_packed_body(kernel)) {
    const std::string name = "Packed" + kernel_name;
    return {name, print_packed_struct(kernel, kernel_name, name) + "\n", "packed"};
  }
  return {kernel_name, "", ""};
}

std::string include(const std::string& header) {
  return format("#include \"npp/cuda/{}.hpp\"\n", header);
}

// One device kernel for each kernel of a program.
Source emit_form(const Program& program, const analysis::DeviceForm& form, const std::string& name,
                 const FormRow& row) {
  NPP_ASSERT(!program.kernels.empty(), program.name);

  Source source;
  source.target = Target::kCuda;
  source.name = program.name;
  source.subject = subject_of(program);
  source.user_text = user_text(program, Target::kCuda);
  std::set<std::string> headers = {name};
  const ExternalFunctions external = print_external_functions(program, Target::kCuda);
  source.linked = program.linked;
  source.linked.insert(source.linked.end(), external.linked.begin(), external.linked.end());
  source.sources = labelled_sources(program);
  KernelStructPrinter kernels(external, /*has_lines=*/true);
  std::string structs, instantiations;
  for (std::size_t i = 0; i < program.kernels.size(); ++i) {
    const declare::TypedKernel& kernel = program.kernels[i];
    analysis::require_device_scratch(kernel);
    const LaunchedStruct launched = launched_struct(kernel, i, form);
    const analysis::ThreadWork work = analysis::thread_work(kernel, form);
    source.entry_points.push_back(format("npp_{}_{}", name, i));
    source.launch_shapes.push_back(analysis::launch_shape(work));
    if (!launched.header.empty()) headers.insert(launched.header);
    structs += format("{}\n{}", kernel_struct(kernels, kernel, kernel_struct_name(i), form),
                      launched.text);
    instantiations += instantiation(row, source.entry_points.back(), launched.name,
                                    row.arguments(form, work), kernel);
  }
  std::string includes = print_reproducible(program);
  for (const std::string& header : headers) includes += include(header);
  source.text = print_device_unit(program, includes, external.text + structs + instantiations);
  return source;
}

}  // namespace

Source emit_cuda(const Program& program, const analysis::DeviceForm& form) {
  NPP_ASSERT(program.kernels[0].layout.has_value() == analysis::info(form.launch).is_generalized,
             program.name);
  return emit_form(program, form, std::string(analysis::info(form.launch).name),
                   form_row(form.launch));
}

Source emit_updates(const Program& program, const std::vector<base::DType>& stored) {
  NPP_ASSERT(!program.kernels[0].layout.has_value(), program.name);
  const FormRow row = {analysis::LaunchForm::kStrided, "UPDATES", no_arguments};
  Source source = emit_form(program, {.launch = row.launch, .stored = stored}, "updates", row);
  source.name += ".at";
  return source;
}

}  // namespace numpy_plugin::emit
