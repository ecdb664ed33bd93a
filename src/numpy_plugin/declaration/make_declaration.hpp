// From a user's arguments to a checked declaration: parses and orders signatures, counts operands,
// resolves target and math mode.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "numpy_plugin/declaration/declaration.hpp"
#include "numpy_plugin/signature/signature_text.hpp"

namespace numpy_plugin::declare {

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

}  // namespace numpy_plugin::declare
