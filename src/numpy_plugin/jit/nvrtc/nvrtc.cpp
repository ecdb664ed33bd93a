// Device compilation: options, the cache, and one entry with all results of a compilation.
#include "numpy_plugin/jit/nvrtc/nvrtc.hpp"

#include <functional>
#include <iterator>

#include "numpy_plugin/jit/cache/cache.hpp"
#include "numpy_plugin/jit/nvrtc/nvrtc_program.hpp"
#include "numpy_plugin/jit/nvrtc/nvrtc_target.hpp"
#include "numpy_plugin/jit/toolkit/toolkit.hpp"

namespace numpy_plugin::jit {
namespace {

using PackOutput = std::function<std::string(const NvrtcOutput&)>;

std::vector<std::string> options_for(const emit::Source& source, const std::string& arch,
                                     const CudaOptions& asked) {
  std::vector<std::string> options = common_options(arch);
  if (!source.linked.empty()) options.push_back("-rdc=true");  // callees may be in other parts
  // Missing returns, returns without a value and narrowing in braces are errors on the host too.
  options.insert(options.end(), {"-diag-error=940", "-diag-error=117", "-diag-error=2361"});
  options.emplace_back("-lineinfo");
  if (asked.checks_bounds) options.push_back("-DNPP_CHECKS_BOUNDS=1");
  const std::vector<std::string> arithmetic = arithmetic_options(asked.fast_math);
  options.insert(options.end(), arithmetic.begin(), arithmetic.end());
  // Puts registers and spills of each kernel into the log.
  if (arch.starts_with("sm_")) options.push_back("--ptxas-options=-v");
  return options;
}

// A compilation: its cache entry, and how NVRTC is called.
struct Compilation {
  CompileTarget target;
  std::vector<std::string> options;
};

Compilation compilation(const emit::Source& source, const CudaOptions& options, PartForm form) {
  const bool is_cubin = form == PartForm::kCubin;
  const std::string arch = (is_cubin ? "sm_" : "compute_") + variant_of(options.arch);
  const std::string_view suffix = is_cubin ? ".cubin" : form == PartForm::kPtx ? ".ptx" : ".ltoir";
  Compilation found = {{{options.arch, options.driver_version},
                        form == PartForm::kPtx ? CodeForm::kPtx : CodeForm::kMachineCode,
                        suffix,
                        options.use_cache,
                        source.subject,
                        source.text},
                       options_for(source, arch, options)};
  if (form == PartForm::kLtoIr) found.options.emplace_back("-dlto");
  return found;
}

CacheKey key_of(const emit::Source& source, const Compilation& compilation) {
  CacheKey key = source_key(source);
  for (const std::string& option : compilation.options) key.add("option", option);
  return key;
}

Payload compile_or_find(const emit::Source& source, const CudaOptions& options, PartForm form,
                        const PackOutput& pack) {
  const Compilation wanted = compilation(source, options, form);
  return compile_or_find_payload(key_of(source, wanted), wanted.target,
                                 [&](const NvrtcLibrary& library) {
                                   return pack(compile_program(library, source, wanted.options));
                                 });
}

bool is_cached(const emit::Source& source, const CudaOptions& options, PartForm form) {
  const Compilation wanted = compilation(source, options, form);
  return find_payload(key_of(source, wanted), wanted.target).has_value();
}

CudaOptions with_nearest_target(CudaOptions options) {
  const NvrtcNeeds needs = {options.driver_version, architecture_number(options.arch)};
  options.arch = nearest_target(options.arch, known_architectures(needs));
  return options;
}

}  // namespace

CudaBinary compile_for_device(const emit::Source& source, const CudaOptions& options) {
  const Payload payload = compile_or_find(source, options, PartForm::kCubin, pack_cubin);
  const NvrtcOutput output = unpack_cubin(payload.bytes);
  return {"sm_" + variant_of(options.arch), output.ptx, output.cubin,
          read_resources(output.cubin, output.log), payload.from_cache};
}

std::string compile_image(const emit::Source& source, const CudaOptions& options) {
  const CudaOptions nearest = with_nearest_target(options);
  return nearest.arch.starts_with("sm_") ? compile_for_device(source, nearest).cubin
                                         : compile_to_ptx(source, nearest);
}

std::string compile_part(const emit::Source& source, const CudaOptions& options, PartForm form) {
  if (form == PartForm::kPtx) return compile_to_ptx(source, options);
  if (form == PartForm::kCubin) return compile_for_device(source, options).cubin;
  return compile_or_find(source, options, form,
                         [](const NvrtcOutput& output) { return output.lto_ir; })
      .bytes;
}

std::string compile_to_ptx(const emit::Source& source, const CudaOptions& options) {
  return compile_or_find(source, options, PartForm::kPtx,
                         [](const NvrtcOutput& output) { return output.ptx; })
      .bytes;
}

bool is_image_cached(const emit::Source& source, const CudaOptions& options) {
  const CudaOptions nearest = with_nearest_target(options);
  const bool is_cubin = nearest.arch.starts_with("sm_");
  return is_cached(source, nearest, is_cubin ? PartForm::kCubin : PartForm::kPtx);
}

bool is_ptx_cached(const emit::Source& source, const CudaOptions& options) {
  return is_cached(source, options, PartForm::kPtx);
}

}  // namespace numpy_plugin::jit
