// Parser from PTX text to a syntax tree.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "numpy_plugin/base/format.hpp"
#include "simulator/assembly/syntax.hpp"

namespace numpy_plugin::sim {

// Invalid PTX: the line and the mistake.
class PtxError : public std::runtime_error {
 public:
  PtxError(int line, const std::string& message);
  int line() const { return line_; }

 private:
  int line_;
};

// PTX of an unknown version.
class PtxVersionError : public PtxError {
 public:
  using PtxError::PtxError;
};

// Parses one module. Sections of debug information and .pragma are skipped. Throws
// PtxError for text that is not PTX or is truncated, PtxVersionError for a version newer than the
// newest known one.
Module parse_ptx(std::string_view text);

}  // namespace numpy_plugin::sim
