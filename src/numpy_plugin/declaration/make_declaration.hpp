// From what a user typed to a checked declaration: signatures parsed and ordered, operands
// counted, words for target and math understood.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "numpy_plugin/declaration/declaration.hpp"
#include "numpy_plugin/signature/declaration_error.hpp"

namespace numpy_plugin::run {

// The arguments of `vectorize` and `guvectorize` as texts.
struct DeclarationText : DeclarationOptions {
  std::optional<std::vector<std::string>> signatures;  // nothing: compiled for each call
  std::optional<std::string> layout;
  std::vector<std::string> writable_args;  // inputs of a layout, by name or index
  declare::DeviceCodes linked;
  std::optional<declare::FunctionSyntax> syntax;  // of a Python kernel
  bool is_fused = false;  // written over whole arrays: it must not need more than an element
  std::string body;       // of a C++ kernel
  std::vector<std::string> input_names;
  std::vector<std::string> output_names;
};

// Checks all that needs no kernel: signatures that are a bare type are skipped.
// Throws declare::DeclarationError; returns what to warn of at the line of the declaration.
std::vector<declare::ArgumentMistake> check_declaration(const DeclarationText& text);

// Throws declare::DeclarationError and, for a kernel that no types fit, declare::KernelError.
Declaration make_declaration(DeclarationText text);

}  // namespace numpy_plugin::run
