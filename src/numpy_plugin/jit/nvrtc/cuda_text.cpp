// The kernel is registered as a name expression, so that templates, overloads and namespaces work;
// its lowered name, by which it is launched, is stored with the binary.
#include "numpy_plugin/jit/nvrtc/cuda_text.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/cpp_body/cpp_body_tokens.hpp"
#include "numpy_plugin/explain/body_diagnostics.hpp"
#include "numpy_plugin/jit/cache/cache.hpp"
#include "numpy_plugin/jit/nvrtc/nvrtc_program.hpp"
#include "numpy_plugin/jit/nvrtc/nvrtc_target.hpp"
#include "numpy_plugin/jit/nvrtc/ptx_signature.hpp"

namespace numpy_plugin::jit {
namespace {

// NVRTC's file name in messages about a name expression.
constexpr std::string_view kNameFile = "__nv_name_map";

// NVRTC takes each option once; -G implies lines.
bool has_line_option(const CudaText& source) {
  constexpr std::string_view kOptions[] = {"-lineinfo", "--generate-line-info", "-G",
                                           "--device-debug"};
  return std::any_of(source.options.begin(), source.options.end(), [&](const std::string& option) {
    return std::find(std::begin(kOptions), std::end(kOptions), option) != std::end(kOptions);
  });
}

constexpr std::string_view kDirectoryOptions[] = {"-I", "--include-path", "-include-path"};
constexpr std::string_view kFileOptions[] = {"-include", "--pre-include", "-pre-include"};

// Directories in such options of NVRTC: "-Idir", "-I dir", "--include-path=dir".
std::vector<std::string> values_of(const std::vector<std::string>& options,
                                   std::span<const std::string_view> names) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < options.size(); ++i) {
    for (const std::string_view name : names) {
      if (!options[i].starts_with(name)) continue;
      const std::string value = options[i].substr(name.size());
      if (value.empty() && i + 1 < options.size()) {
        values.push_back(options[i + 1]);
      } else if (value.starts_with('=') || name == "-I") {
        values.push_back(value.substr(value.starts_with('=') ? 1 : 0));
      }
    }
  }
  return values;
}

// Whether a text includes headers of CUDA or its C++ Core Libraries, which declare CUDA's own types
// of 16 bits; those of templates/ are others.
bool includes_cudas_headers(const CudaText& source) {
  constexpr std::string_view kPlaces[] = {"<cub/", "<cuda/", "<nv/", "<cooperative_groups"};
  return !source.parameters && std::ranges::any_of(kPlaces, [&](std::string_view place) {
    return source.text.find(place) != std::string::npos;
  });
}

std::vector<std::string> options_of(const CudaText& source, const std::string& arch) {
  std::vector<std::string> options = common_options(arch);
  const bool has_cudas = includes_cudas_headers(source);
  if (has_cudas) std::erase(options, "-minimal");  // they name CUDA's errors and attributes
  const std::vector<std::string> arithmetic = arithmetic_options({});
  options.insert(options.end(), arithmetic.begin(), arithmetic.end());
  if (!source.linked.empty()) options.push_back("-rdc=true");  // callees may be in other parts
  if (arch.starts_with("sm_")) options.push_back("--ptxas-options=-v");
  if (!has_line_option(source)) options.emplace_back("-lineinfo");
  options.insert(options.end(), source.options.begin(), source.options.end());
  if (has_cudas) {
    for (const std::string& directory : find_header_directories())
      options.push_back("-I" + directory);
  }
  return options;
}

// Whether a text includes a header whose complex numbers have the functions real() and imag().
bool has_complex_header(std::string_view text) {
  constexpr std::string_view kHeaders[] = {"<cupy/complex.cuh>", "<thrust/complex.h>", "<complex>"};
  return std::any_of(std::begin(kHeaders), std::end(kHeaders), [text](std::string_view header) {
    return text.find(header) != std::string_view::npos;
  });
}

// The text as NVRTC gets it.
std::string spelled_text(const CudaText& source) {
  return has_complex_header(source.text) && !includes_cudas_headers(source)
             ? declare::with_plain_parts(source.text)
             : source.text;
}

// The text, preceded by the files that options include.
std::string text_with_includes(const CudaText& source) {
  std::string text;
  for (const std::string& file : values_of(source.options, kFileOptions)) {
    text += format("#include \"{}\"\n", file);
  }
  return text + source.text;
}

// Precompiled headers and those built into NVRTC are invisible to the #include search.
bool can_be_cached(const CudaText& source) {
  return std::none_of(source.options.begin(), source.options.end(), [](const std::string& option) {
    return option.find("pch") != std::string::npos ||
           option.find("use-bundled-headers") != std::string::npos;
  });
}

std::vector<std::string> kernel_names(const NvrtcLibrary& library, NvrtcInput input) {
  input.name_expressions.clear();
  std::vector<std::string> names;
  for (const KernelSignature& kernel :
       read_kernel_signatures(run_nvrtc(library, input).output.ptx)) {
    names.push_back(demangled(kernel.name));
  }
  return names;
}

// Explains an invalid kernel name: a template, overloaded or unknown.
std::string name_error(const NvrtcLibrary& library, const NvrtcInput& input,
                       const explain::CompilerMessage& message) {
  const std::string& expression = input.name_expressions.front();
  const std::string name = base::quoted(expression);
  if (message.text.find("function template") != std::string::npos) {
    return format("{} is a template: name one of its kernels, as in '{}'", name,
                  expression + "<float>");
  }
  if (message.text.find("overloaded") != std::string::npos) {
    return format("{} is overloaded: name one kernel by its type, as in '{}'", name,
                  format("static_cast<void (*)(float*)>({})", expression));
  }
  const std::vector<std::string> names = kernel_names(library, input);
  const std::string nearest = base::nearest(expression, names);
  return format("the CUDA source has no kernel {}{}{}", name,
                names.empty() ? "; it has no __global__ function at all"
                              : "; it has " + base::join(names, ", "),
                nearest.empty() ? "" : format("; did you mean '{}'?", nearest));
}

std::string rejection(const NvrtcLibrary& library, const NvrtcResult& result) {
  return format("{} rejected the CUDA source with {}", compiler_name(library), result.failure);
}

// For a user's C++ body in an emitted text.
[[noreturn]] void fail_in_body(const NvrtcLibrary& library, const CudaText& source,
                               const NvrtcResult& result) {
  const emit::Source emitted{emit::Target::kCuda, source.text, {}, {}, source.user_text};
  throw explain::make_compile_error(emitted, result.output.log, explain::LogForm::kNvrtc,
                                    rejection(library, result));
}

[[noreturn]] void fail(const NvrtcLibrary& library, const NvrtcInput& input,
                       const NvrtcResult& result) {
  const std::vector<explain::CompilerMessage> messages =
      explain::parse_compiler_log(result.output.log, explain::LogForm::kNvrtc);
  const std::string log = base::join(input.options, " ") + '\n' + result.output.log;
  const explain::BodyTexts texts = {explain::BodyText::whole_text(input.file, input.text)};
  std::vector<declare::Diagnostic> diagnostics = explain::diagnose(texts, texts.front(), messages);
  if (!diagnostics.empty())
    throw explain::make_compile_error(texts, 0, log, std::move(diagnostics));
  const auto about_name = std::find_if(messages.begin(), messages.end(), [](const auto& message) {
    return message.file == kNameFile;
  });
  const std::string what =
      about_name != messages.end()
          ? name_error(library, input, *about_name)
          : format("{}: {}", rejection(library, result), base::strip(result.output.log));
  throw explain::CompileError(what, log, {}, {});
}

// The kernel's lowered name, that of the variable of its type if it is the last name, then the
// rest.
std::string pack(const NvrtcResult& result, bool has_type) {
  const std::string type = has_type ? result.lowered_names.back() : "";
  return result.lowered_names[0] + '\0' + type + '\0' + pack_cubin(result.output);
}

NvrtcInput input_of(const CudaText& source, std::vector<std::string> options) {
  std::vector<std::string> names = source.instances;
  if (!source.kernel.empty()) names.insert(names.begin(), source.kernel);
  std::vector<std::string> directories = values_of(options, kDirectoryOptions);
  return {spelled_text(source), cuda_text_label(source), std::move(options),
          std::move(names),     std::move(directories),  includes_cudas_headers(source)};
}

// PTX does not record parameters' C++ types: the mangled name of a variable appended to the text
// does. Where the variable does not compile, as under an old standard, the text is compiled
// unchanged.
std::string compile(const NvrtcLibrary& library, const CudaText& source,
                    std::vector<std::string> options) {
  NvrtcInput input = input_of(source, std::move(options));
  input.text += type_variable_text();
  input.name_expressions.push_back(type_variable_name(source.kernel));
  NvrtcResult result = run_nvrtc(library, input);
  if (result.failure.empty()) return pack(result, true);
  input = input_of(source, std::move(input.options));
  result = run_nvrtc(library, input);
  if (!result.failure.empty() && !source.user_text.label.empty()) {
    fail_in_body(library, source, result);
  }
  if (!result.failure.empty()) fail(library, input, result);
  return pack(result, false);
}

std::string compile_to_lto_ir(const NvrtcLibrary& library, const CudaText& source,
                              std::vector<std::string> options) {
  options.push_back("-dlto");
  const NvrtcInput input = input_of(source, std::move(options));
  NvrtcResult result = run_nvrtc(library, input);
  if (!result.failure.empty()) fail(library, input, result);
  return std::move(result.output.lto_ir);
}

CacheKey key_of(const CudaText& source, const std::vector<std::string>& options) {
  const bool has_templates = source.parameters || source.text.find("include") != std::string::npos;
  CacheKey key = has_templates ? key_with_templates() : CacheKey();
  key.add("cache format", kCacheFormat).add("target", "cuda text").add("source", source.text);
  key.add("kernel", source.kernel).add("label", cuda_text_label(source));
  for (const std::string& option : options) key.add("option", option);
  for (const std::string& instance : source.instances) key.add("instance", instance);
  return key;
}

CompileTarget target_of(const CudaText& source, const std::vector<std::string>& options,
                        std::string_view text, const CodeTarget& target, std::string_view suffix) {
  const bool is_ptx = target.arch.starts_with("compute_");
  return {target,
          is_ptx ? CodeForm::kPtx : CodeForm::kMachineCode,
          suffix,
          can_be_cached(source),
          base::quoted(source.name),
          text,
          values_of(options, kDirectoryOptions)};
}

// Removes the text up to the next null character from the front.
std::string cut_name(std::string_view& bytes) {
  const std::size_t end = bytes.find('\0');
  NPP_ASSERT(end != std::string_view::npos, "a packed kernel has two names");
  const std::string name(bytes.substr(0, end));
  bytes.remove_prefix(end + 1);
  return name;
}

void set_operands(KernelSignature& kernel, const CudaText& source) {
  const std::vector<declare::OperandType>& operands = *source.parameters;
  if (source.can_raise) kernel.parameters.pop_back();
  NPP_ASSERT(kernel.parameters.size() == operands.size(), kernel.name);
  for (std::size_t i = 0; i < operands.size(); ++i) kernel.parameters[i].operand = operands[i];
}

KernelSignature find_kernel(const std::string& ptx, const std::string& lowered_name) {
  for (KernelSignature& kernel : read_kernel_signatures(ptx)) {
    if (kernel.name == lowered_name) return std::move(kernel);
  }
  throw explain::CompileError(
      format("'{}' is not a kernel: it is a function without __global__, or a variable",
             demangled(lowered_name)),
      "", {}, {});
}

}  // namespace

std::vector<declare::LabelledSource> labelled_sources(const CudaText& source) {
  if (source.parameters.has_value()) return source.sources;
  const std::string label = cuda_text_label(source);
  return {{label, {label, source.name, 1, base::split_lines(source.text)}}};
}

std::string cuda_text_label(const CudaText& source) {
  return base::source_label(format("<source of '{}'>", source.name));
}

CudaTextBinary compile_cuda_text(const CudaText& source, const CodeTarget& target) {
  const std::vector<std::string> options = options_of(source, target.arch);
  const std::string text = text_with_includes(source);
  const Payload payload = compile_or_find_payload(
      key_of(source, options), target_of(source, options, text, target, ".kernel"),
      [&](const NvrtcLibrary& library) { return compile(library, source, options); });
  std::string_view rest = payload.bytes;
  const std::string lowered_name = cut_name(rest);
  const std::string type_name = cut_name(rest);
  const NvrtcOutput output = unpack_cubin(rest);
  KernelSignature kernel = find_kernel(output.ptx, lowered_name);
  set_parameter_types(kernel, type_name);
  if (source.parameters) set_operands(kernel, source);
  return {std::move(kernel),
          {target.arch, output.ptx, output.cubin, read_resources(output.cubin, output.log),
           payload.from_cache}};
}

CudaBinary compile_cuda_module(const CudaText& source, const CodeTarget& target) {
  const std::vector<std::string> options = options_of(source, target.arch);
  const std::string text = text_with_includes(source);
  const Payload payload = compile_or_find_payload(
      key_of(source, options), target_of(source, options, text, target, ".module"),
      [&](const NvrtcLibrary& library) {
        const NvrtcInput input = input_of(source, options);
        const NvrtcResult result = run_nvrtc(library, input);
        if (!result.failure.empty()) fail(library, input, result);
        return pack_cubin(result.output);
      });
  const NvrtcOutput output = unpack_cubin(payload.bytes);
  return {target.arch, output.ptx, output.cubin, {}, payload.from_cache};
}

std::string compile_cuda_text_to_lto_ir(const CudaText& source, const CodeTarget& target) {
  const std::vector<std::string> options = options_of(source, target.arch);
  const std::string text = text_with_includes(source);
  return compile_or_find_payload(key_of(source, options),
                                 target_of(source, options, text, target, ".ltoir"),
                                 [&](const NvrtcLibrary& library) {
                                   return compile_to_lto_ir(library, source, options);
                                 })
      .bytes;
}

}  // namespace numpy_plugin::jit
