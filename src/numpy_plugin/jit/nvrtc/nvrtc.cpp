// Device compilation: options, the cache, and one entry with all results of a compilation.
#include "numpy_plugin/jit/nvrtc/nvrtc.hpp"

#include <functional>
#include <iterator>

#include "numpy_plugin/jit/cache/compile_key.hpp"
#include "numpy_plugin/jit/nvrtc/cubin.hpp"
#include "numpy_plugin/jit/nvrtc/nvrtc_program.hpp"
#include "numpy_plugin/jit/nvrtc/nvrtc_target.hpp"
#include "numpy_plugin/jit/toolkit/architecture.hpp"

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

Payload compile_or_find(const emit::Source& source, const CompileTarget& target,
                        const std::vector<std::string>& options, const PackOutput& pack) {
  CacheKey key = source_key(source);
  for (const std::string& option : options) key.add("option", option);
  return compile_or_find_payload(key, target, [&](const NvrtcLibrary& library) {
    return pack(compile_program(library, source, options));
  });
}

}  // namespace

CudaBinary compile_for_device(const emit::Source& source, const CudaOptions& options) {
  const std::string arch = "sm_" + variant_of(options.arch);
  const Payload payload = compile_or_find(source,
                                          {{options.arch, options.driver_version},
                                           CodeForm::kMachineCode,
                                           ".cubin",
                                           options.use_cache,
                                           source.text},
                                          options_for(source, arch, options), pack_cubin);
  const NvrtcOutput output = unpack_cubin(payload.bytes);
  return {arch, output.ptx, output.cubin, read_resources(output.cubin, output.log),
          payload.from_cache};
}

std::string compile_image(const emit::Source& source, const CudaOptions& options) {
  CudaOptions nearest = options;
  const NvrtcNeeds needs = {options.driver_version, architecture_number(options.arch)};
  nearest.arch = nearest_target(options.arch, known_architectures(needs));
  return nearest.arch.starts_with("sm_") ? compile_for_device(source, nearest).cubin
                                         : compile_to_ptx(source, nearest);
}

std::string compile_part(const emit::Source& source, const CudaOptions& options, PartForm form) {
  if (form == PartForm::kPtx) return compile_to_ptx(source, options);
  if (form == PartForm::kCubin) return compile_for_device(source, options).cubin;
  std::vector<std::string> words =
      options_for(source, "compute_" + variant_of(options.arch), options);
  words.push_back("-dlto");
  return compile_or_find(source,
                         {{options.arch, options.driver_version},
                          CodeForm::kMachineCode,
                          ".ltoir",
                          options.use_cache,
                          source.text},
                         words, [](const NvrtcOutput& output) { return output.lto_ir; })
      .bytes;
}

std::string compile_to_ptx(const emit::Source& source, const CudaOptions& options) {
  const std::string arch = "compute_" + variant_of(options.arch);
  return compile_or_find(source,
                         {{options.arch, options.driver_version},
                          CodeForm::kPtx,
                          ".ptx",
                          options.use_cache,
                          source.text},
                         options_for(source, arch, options),
                         [](const NvrtcOutput& output) { return output.ptx; })
      .bytes;
}

}  // namespace numpy_plugin::jit
