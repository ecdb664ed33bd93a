// A declaration: all checked arguments of one ufunc, as plain data.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "numpy_plugin/infer/statements/infer_kernel.hpp"
#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::declare {

// Where calls with host operands run.
enum class CallTarget { kAuto, kCpu, kParallel, kCuda };

struct DeclarationOptions {
#define NPP_DECLARATION_OPTION(type, name, default_value, description) type name = default_value;
#include "numpy_plugin/declaration/options.def"
};

struct Declaration : DeclarationOptions {
  std::vector<TypeSignature> signatures;  // empty: compiled for the types of each call
  std::optional<CoreSignature> layout;    // of a generalized ufunc
  std::variant<FunctionSyntax, CppBody> body;
  std::size_t n_inputs = 0;
  std::size_t n_outputs = 0;
  CallTarget call_target = CallTarget::kAuto;
  MathMode math_mode = MathMode::kVector;
  DeviceCodes linked;  // linked with device kernels
};

}  // namespace numpy_plugin::declare
