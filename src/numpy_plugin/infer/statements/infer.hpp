// Inference: a function's syntax and its argument types in, a typed function out. The body is typed
// in passes until the types of its variables stop changing; the findings of the last pass are kept.
#pragma once

#include "numpy_plugin/infer/core/kernel_inference.hpp"

namespace numpy_plugin::declare {

TypedFunction infer_function(KernelInference& kernel, const FunctionTask& task);

}  // namespace numpy_plugin::declare
