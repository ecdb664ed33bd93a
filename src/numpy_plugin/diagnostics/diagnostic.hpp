// Errors and warnings of kernels: a message with its place underlined, notes and a hint. The only
// place where they are rendered.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::declare {

// A span of source. Lines are 1-based in the file, columns 0-based in UTF-8 bytes, as in Python's
// syntax tree; line 0 means "no line". `source` is an index into the table of sources: a device
// function may be in another file than the kernel that calls it.
struct SourceSpan {
  int line = 0;
  int column = 0;
  int end_line = 0;
  int end_column = 0;
  int source = 0;

  bool operator==(const SourceSpan&) const = default;
};

// The text a SourceSpan refers to.
struct SourceText {
  std::string file;                // as displayed: "pdf.py", or "Cell In[3]" for a notebook
  std::string function;            // "f"
  int first_line = 1;              // number of lines.front() in the file
  std::vector<std::string> lines;  // without line terminators
};

// A text under the name by which compiled code refers to it.
struct LabelledSource {
  std::string label;  // "<Python source of 'f'>"
  SourceText text;
};

// The text of a span, lines joined by a space.
std::string text_at(const SourceText& source, const SourceSpan& where);

struct Note {
  std::string message;
  SourceSpan place;
};

enum class Severity { kError, kWarning };

struct Diagnostic {
  Severity severity = Severity::kError;
  std::string message;
  SourceSpan place;
  std::vector<Note> notes;
  std::string hint;  // empty where no hint is certain
};

// The rendered text of several diagnostics: each is its message, file, line, source line,
// underline, notes and hint; separated by empty lines.
std::string render(const std::vector<Diagnostic>& diagnostics,
                   const std::vector<SourceText>& sources);

// 1-based column of a place in characters, for users.
int character_column(const SourceSpan& place, const std::vector<SourceText>& sources);

// An error with places in sources; empty where no line is to blame.
class DiagnosedError : public base::Error {
 public:
  DiagnosedError(base::ErrorKind kind, const std::string& message, const std::string& log,
                 std::vector<Diagnostic> diagnostics, std::vector<SourceText> sources)
      : base::Error(kind, message, log),
        diagnostics_(std::move(diagnostics)),
        sources_(std::move(sources)) {}

  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  const std::vector<SourceText>& sources() const { return sources_; }

 private:
  std::vector<Diagnostic> diagnostics_;
  std::vector<SourceText> sources_;
};

// Thrown with all errors of a kernel at once; what() is render(...).
class KernelError : public DiagnosedError {
 public:
  KernelError(const std::vector<Diagnostic>& diagnostics, const std::vector<SourceText>& sources)
      : DiagnosedError(base::ErrorKind::kKernel, render(diagnostics, sources), "", diagnostics,
                       sources) {}
};

// Terminal columns, for the '^' under a span of source.

// The line to print below `line` so that the bytes [begin, end) are underlined: tabs are kept, wide
// characters take two columns, combining ones none. Always has at least one '^'.
std::string underline(std::string_view line, std::size_t begin, std::size_t end);

// Number of characters in the first `n_bytes` bytes of `line`.
std::size_t count_characters(std::string_view line, std::size_t n_bytes);

}  // namespace numpy_plugin::declare
