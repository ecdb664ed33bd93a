// Compiling for the device: options, the cache, one entry with all that a compilation gave.
#include "numpy_plugin/jit/nvrtc.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/jit/compile_key.hpp"
#include "numpy_plugin/jit/cubin.hpp"
#include "numpy_plugin/jit/nvrtc_program.hpp"
#include "numpy_plugin/jit/quoted.hpp"

namespace numpy_plugin::jit {
namespace {

// "90a" of "sm_90a" or "compute_90a"; nothing for another form.
std::string variant_of(const std::string& arch) {
  const std::size_t at = arch.find('_');
  const std::string prefix = arch.substr(0, at);
  return at != std::string::npos && (prefix == "sm" || prefix == "compute") ? arch.substr(at + 1)
                                                                            : "";
}

bool is_known(const NvrtcLibrary& library, const std::string& arch) {
  const std::string variant = variant_of(arch);
  int number = 0;
  const char* const end = variant.data() + variant.size();
  const char* const stop = std::from_chars(variant.data(), end, number).ptr;
  const std::string_view suffix(stop, static_cast<std::size_t>(end - stop));
  const auto& known = library.architectures;
  return (suffix.empty() || suffix == "a" || suffix == "f") &&
         std::find(known.begin(), known.end(), number) != known.end();
}

void check_architecture(const NvrtcLibrary& library, const std::string& arch) {
  if (is_known(library, arch)) return;
  throw base::Error(base::ErrorKind::kCompiler,
                    "unknown architecture " + quoted(arch) + "; NVRTC " +
                        std::to_string(library.major) + '.' + std::to_string(library.minor) +
                        " compiles for " + base::join(nvrtc_architectures(), ", "));
}

std::vector<std::string> options_for(const std::string& arch, bool fast_math) {
  std::vector<std::string> options = {"-arch=" + arch, "-std=c++20",
                                      // No textures and surfaces; functions need no annotation.
                                      "-minimal", "-default-device",
                                      // A path without a return.
                                      "-diag-error=940"};
  const std::vector<std::string> exact = {"-fmad=false", "-ftz=false", "-prec-div=true",
                                          "-prec-sqrt=true"};
  if (fast_math) {
    options.push_back("-use_fast_math");
  } else {
    options.insert(options.end(), exact.begin(), exact.end());
  }
  // The registers and spills of each kernel, in the log.
  if (arch.starts_with("sm_")) options.push_back("--ptxas-options=-v");
  return options;
}

// One compilation with the cache around it: `suffix` names the kind of entry that `pack` makes.
struct Request {
  const emit::Source& source;
  std::vector<std::string> options;
  bool use_cache;
  std::string arch;
};

std::string digest_of(const Request& request) {
  CacheKey key = source_key(request.source);
  for (const std::string& option : request.options) key.add("option", option);
  return key.add("nvrtc", nvrtc_identity()).digest();
}

struct Payload {
  std::string bytes;
  bool from_cache;
};

Payload compile_or_find(const Request& request, std::string_view suffix,
                        const std::function<std::string(const NvrtcOutput&)>& pack) {
  const Cache cache = request.use_cache ? Cache::user_cache() : Cache();
  if (cache.is_usable()) {
    if (auto found = cache.load(digest_of(request), suffix)) return {std::move(*found), true};
  }
  const NvrtcLibrary& library = nvrtc_library();
  check_architecture(library, request.arch);
  std::string bytes = pack(compile_program(library, request.source, request.options));
  // Made again: only now is it sure which library was opened.
  if (cache.is_usable()) cache.store(digest_of(request), suffix, bytes);
  return {std::move(bytes), false};
}

}  // namespace

CudaBinary compile_for_device(const emit::Source& source, const CudaOptions& options) {
  const std::string arch = "sm_" + variant_of(options.arch);
  const Request request = {source, options_for(arch, options.fast_math), options.use_cache,
                           options.arch};
  const Payload payload = compile_or_find(request, ".cubin", pack_cubin);
  const NvrtcOutput output = unpack_cubin(payload.bytes);
  return {arch, output.ptx, output.cubin, read_resources(output.cubin, output.log),
          payload.from_cache};
}

std::string compile_to_ptx(const emit::Source& source, const CudaOptions& options) {
  const std::string arch = "compute_" + variant_of(options.arch);
  const Request request = {source, options_for(arch, options.fast_math), options.use_cache,
                           options.arch};
  return compile_or_find(request, ".ptx", [](const NvrtcOutput& output) { return output.ptx; })
      .bytes;
}

}  // namespace numpy_plugin::jit
