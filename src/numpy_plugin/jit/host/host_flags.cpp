// Flags by compiler family, each with its reason.
#include "numpy_plugin/jit/host/host_flags.hpp"

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include <cstdlib>
#include <span>

namespace numpy_plugin::jit {
namespace {

using Flags = std::vector<std::string>;
using FlagSpan = std::span<const char* const>;

void append(Flags& flags, FlagSpan more) { flags.insert(flags.end(), more.begin(), more.end()); }

constexpr const char* kCommon[] = {
    "-x", "c++", "-std=c++20", "-O3", "-pipe",
    // Identical arithmetic on all targets: no fused multiply-add, integers wrap.
    "-ffp-contract=off", "-fwrapv",
    // Neither errno nor the order of traps prevents vectorization.
    "-fno-math-errno", "-fno-trapping-math",
    // The run-time library is not linked, so nothing may need it.
    "-fno-exceptions", "-fno-rtti", "-fno-asynchronous-unwind-tables", "-fno-stack-protector",
    // Calls within a kernel's object are direct; only the loops are exported.
    "-fPIC", "-fvisibility=hidden", "-fno-semantic-interposition",
    // Errors for warnings that not all compilers issue.
    "-Werror=return-type", "-Werror=narrowing", "-Werror=vla",
    // Machine-readable messages.
    "-fmessage-length=0"};

constexpr const char* kObject[] = {
    "-shared", "-nostdlib",
    // Undefined functions fail at link time rather than when the object is loaded.
    "-Wl,-z,defs", "-Wl,--as-needed", "-Wl,-s", "-Wl,--build-id=none"};

constexpr const char* kGcc[] = {
    // g++ 12 omits the rounding of adjacent numbers to float32 (npp_check_narrowing).
    "-fno-tree-slp-vectorize",
    // A peeled prologue would compute its elements by another function than the rest.
    "--param", "vect-max-peeling-for-alignment=0", "-fno-use-linker-plugin",
    // Conditional moves: of integers computed on both sides, where g++ would copy the loop's end
    // into each branch, or by x86's tuning keep branches that its own default, 40, does not.
    "-fno-split-paths", "--param", "max-rtl-if-conversion-unpredictable-cost=40",
    "-fdiagnostics-color=never", "-fno-diagnostics-show-option", "-fno-diagnostics-show-caret",
    "-fdiagnostics-column-unit=byte", "-fmax-errors=20"};

constexpr const char* kClang[] = {"-fno-caret-diagnostics", "-fno-color-diagnostics",
                                  "-ferror-limit=20",
                                  // Long sums are nested calls; the default is 256.
                                  "-fbracket-depth=1024"};

// clang would speculate the operations of branches not taken, and raise their flags. zig spells
// code generator options differently.
constexpr const char* kClangBranches[] = {"-mllvm", "-speculate-one-expensive-inst=false",
                                          "-mllvm", "-phi-node-folding-threshold=0",
                                          "-mllvm", "-two-entry-phi-node-folding-threshold=0"};

constexpr const char* kZig[] = {
    // zig hands -O3 to clang as -O2, which keeps loops over the elements of a vector: functions
    // would take up to 17 times as long.
    "-Xclang", "-O3",
    // zig adds both: debug information is in the assembly, frame pointers cost a register.
    "-g0", "-fomit-frame-pointer"};

// Never -ffinite-math-only: tests for NaN and infinity remain valid. Subnormals cost the host
// little, and the vector library approximates functions anyway.
void append_fast_math(Flags& flags, const base::FastMath& fast_math) {
  if (fast_math.nnan) flags.push_back("-DNPP_WITHOUT_NAN=1");
  if (fast_math.contract) flags.push_back("-ffp-contract=fast");
  if (fast_math.arcp) flags.push_back("-freciprocal-math");
  if (fast_math.nsz) flags.push_back("-fno-signed-zeros");
  // g++ reorders only where signs of zeros are ignored, and else warns.
  if (fast_math.reassoc && fast_math.nsz) flags.push_back("-fassociative-math");
}

}  // namespace

std::vector<std::string> host_compile_flags(HostCompilerFamily family, const HostOptions& options) {
  Flags flags;
  append(flags, kCommon);
  flags.push_back(host_architecture_flag(family, options.cpu_level));
  flags.push_back(format("-DNPP_GLIBC_MINOR={}", glibc_minor_version()));
  append(flags, family == HostCompilerFamily::kGcc ? FlagSpan(kGcc) : FlagSpan(kClang));
  if (family != HostCompilerFamily::kGcc && options.vector_math) {
    // Vector variants by the functions' names: g++ takes them from declarations.
    flags.emplace_back("-fveclib=libmvec");
  }
  if (family == HostCompilerFamily::kClang) append(flags, kClangBranches);
  if (family == HostCompilerFamily::kZig) append(flags, kZig);
  append_fast_math(flags, options.fast_math);
  return flags;
}

std::vector<std::string> host_link_flags(HostCompilerFamily family) {
  Flags flags;
  append(flags, kObject);
  flags.insert(flags.end(), {"-x", "none"});
  const Flags libraries = host_libraries(family);
  flags.insert(flags.end(), libraries.begin(), libraries.end());
  return flags;
}

int glibc_minor_version() {
#ifdef __GLIBC__
  const std::string version = ::gnu_get_libc_version();  // "2.36"
  return version.starts_with("2.") ? std::atoi(version.c_str() + 2) : 0;
#else
  return 0;
#endif
}

}  // namespace numpy_plugin::jit
