// A declaration: all arguments of one ufunc, as a user gives them and checked, as plain data.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "numpy_plugin/infer/statements/infer_kernel.hpp"
#include "numpy_plugin/kernel/kernel.hpp"
#include "numpy_plugin/signature/signature_text.hpp"
#include "numpy_plugin/syntax/syntax.hpp"

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

// From a user's arguments to a checked declaration: parses and orders signatures, counts operands,
// resolves target and math mode.

// Arguments of `vectorize` and `guvectorize` as text.
struct DeclarationText : DeclarationOptions {
  std::optional<std::vector<std::string>> signatures;  // nullopt: compiled for each call
  std::optional<std::string> layout;
  std::vector<std::string> writable_args;  // inputs of a layout, by name or index
  DeviceCodes linked;
  std::optional<FunctionSyntax> syntax;  // of a Python kernel
  bool is_fused = false;                 // written for whole arrays: must be elementwise
  std::string body;                      // of a C++ kernel
  std::vector<std::string> input_names;
  std::vector<std::string> output_names;
  std::vector<std::string> operand_types;  // of a C++ kernel: dtypes and placeholders, or none
  std::vector<TypeAlias> aliases;          // of a C++ kernel
  std::string before;                      // generated C++ around it
  std::string after;
};

// Makes all checks that need no kernel; signatures that are a bare type are skipped. Throws
// DeclarationError; returns warnings to issue at the line of the declaration.
std::vector<ArgumentMistake> check_declaration(const DeclarationText& text);

// Throws DeclarationError and, for a kernel that can't be typed, KernelError.
Declaration make_declaration(DeclarationText text);

// The names of the parameters that the function itself stores into, in their order.
std::vector<std::string> written_arguments(const FunctionSyntax& function);

// A warning of the front end at the user's file and line.
struct KernelWarning {
  std::string text;
  std::string file;
  int line = 0;
  bool operator==(const KernelWarning&) const = default;
};

inline KernelWarning make_warning(const Diagnostic& diagnostic,
                                  const std::vector<SourceText>& sources) {
  return {render({diagnostic}, sources),
          sources[static_cast<std::size_t>(diagnostic.place.source)].file, diagnostic.place.line};
}

}  // namespace numpy_plugin::declare
