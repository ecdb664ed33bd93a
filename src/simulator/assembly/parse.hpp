// PTX text to syntax.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "simulator/assembly/syntax.hpp"

namespace numpy_plugin::sim {

// PTX that can't be run: the line of the text and what is wrong there.
class PtxError : public std::runtime_error {
 public:
  PtxError(int line, const std::string& message);
  int line() const { return line_; }

 private:
  int line_;
};

// PTX of a version that is not known.
class PtxVersionError : public PtxError {
 public:
  using PtxError::PtxError;
};

// Reads one module. Sections of debug information, .file, .loc and .pragma are skipped. Throws
// PtxError for text that is no PTX or ends early, PtxVersionError for a version newer than the
// newest known.
Module parse_ptx(std::string_view text);

}  // namespace numpy_plugin::sim
