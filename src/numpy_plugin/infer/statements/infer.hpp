// Inference: turns a function's syntax and argument types into a typed function. The body is typed
// in passes until its variables' types reach a fixed point; only the last pass's findings are kept.
#pragma once

#include "numpy_plugin/infer/core/kernel_inference.hpp"

namespace numpy_plugin::declare {

TypedFunction infer_function(KernelInference& kernel, const FunctionTask& task);

}  // namespace numpy_plugin::declare
