// Code of a declaration: its options for the compilers, the loaded object, and versions for core
// sizes.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "numpy_plugin/base/fast_math.hpp"
#include "numpy_plugin/declaration/declaration.hpp"
#include "numpy_plugin/emit/source/emit.hpp"
#include "numpy_plugin/jit/host/host_compiler.hpp"
#include "numpy_plugin/jit/nvrtc/nvrtc.hpp"
#include "numpy_plugin/load/shared_object.hpp"
#include "numpy_plugin/run/cpu/sharing.hpp"
#include "numpy_plugin/run/cpu/sized_variants.hpp"

namespace numpy_plugin::run {

// Compiler options that a declaration asks for. Sets what a declaration decides, in
// jit::HostOptions and jit::CudaOptions.
template <class Options>
Options with_declared(Options options, const declare::Declaration& declaration) {
  options.fast_math = base::fast_math(declaration.fastmath);
  options.use_cache = declaration.cache;
  if constexpr (requires { options.vector_math; }) {
    options.vector_math = declaration.math_mode == declare::MathMode::kVector;
  }
  return options;
}

// Compiles source for the CPU, or finds its code in the cache, loads it and connects it with what
// it calls. Throws base::Error.
std::shared_ptr<const load::SharedObject> load_compiled(const std::string& name,
                                                        const emit::Source& source,
                                                        const jit::HostOptions& options);

// Versions of generalized loops with core sizes compiled in. For the only kernel of a program;
// nullptr where all sizes are fixed already, or where a version might compute other values than the
// general loop.
std::shared_ptr<SizedVariants> make_sized_variants(const emit::Program& program,
                                                   const jit::HostOptions& options,
                                                   const std::optional<LeastWork>& least_work);

}  // namespace numpy_plugin::run
