// Compiler options that a declaration asks for.
#pragma once

#include "numpy_plugin/base/fast_math.hpp"
#include "numpy_plugin/declaration/declaration.hpp"
#include "numpy_plugin/jit/host/host_compiler.hpp"
#include "numpy_plugin/jit/nvrtc/nvrtc.hpp"

namespace numpy_plugin::run {

// Sets what a declaration decides, in jit::HostOptions and jit::CudaOptions.
template <class Options>
Options with_declared(Options options, const declare::Declaration& declaration) {
  options.fast_math = base::fast_math(declaration.fastmath);
  options.use_cache = declaration.cache;
  if constexpr (requires { options.vector_math; }) {
    options.vector_math = declaration.math_mode == declare::MathMode::kVector;
  }
  return options;
}

}  // namespace numpy_plugin::run
