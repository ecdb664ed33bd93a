// From what a person typed to a checked declaration: signatures parsed and ordered, operands
// counted, words for target and math understood.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "numpy_plugin/run/declaration.hpp"

namespace numpy_plugin::run {

// The arguments of `vectorize` and `guvectorize` as texts.
struct DeclarationText {
  std::string name;
  std::string doc;
  std::optional<std::vector<std::string>> signatures;  // nothing: compiled for each call
  std::optional<std::string> layout;
  std::vector<std::string> writable_args;  // inputs of a layout, by name or index
  std::string target = "auto";
  std::string math = "vector";
  bool fast_math = false;
  bool use_cache = true;
  std::string preamble;
  declare::DeviceCodes linked;
  std::optional<declare::FunctionSyntax> syntax;  // of a Python kernel
  bool is_fused = false;  // written over whole arrays: it must not need more than an element
  std::string body;       // of a C++ kernel
  std::vector<std::string> input_names;
  std::vector<std::string> output_names;
};

// Throws base::Error (kSignature, kValue) and, for a kernel that no types fit,
// declare::KernelError.
Declaration make_declaration(DeclarationText text);

}  // namespace numpy_plugin::run
