// Errors and warnings of kernels: a message, the place underlined, notes and a hint.
// The rendered form is made here and nowhere else.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::declare {

// A stretch of source. Lines count from 1 in the file, columns from 0 in UTF-8 bytes, as Python's
// syntax tree has them; line 0 means "no line". `source` is an index into the table of source
// texts: a device function may come from another file than the kernel that calls it.
struct SourceSpan {
  int line = 0;
  int column = 0;
  int end_line = 0;
  int end_column = 0;
  int source = 0;

  bool operator==(const SourceSpan&) const = default;
};

// The text a SourceSpan points into.
struct SourceText {
  std::string file;                // as printed: "pdf.py", or "Cell In[3]" for a notebook
  std::string function;            // "f"
  int first_line = 1;              // number of lines.front() in the file
  std::vector<std::string> lines;  // without line ends
};

// The text of a place, lines joined by a space.
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
  std::string hint;  // empty where there is nothing sure to say
};

// The whole text of several diagnostics: each is its message, file, line, source line, underline,
// notes and hint; an empty line between two.
std::string render(const std::vector<Diagnostic>& diagnostics,
                   const std::vector<SourceText>& sources);

// Column of a place in characters, counted from 1 for users.
int character_column(const SourceSpan& place, const std::vector<SourceText>& sources);

// An error that knows its places; they are empty where no line is to blame.
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

}  // namespace numpy_plugin::declare
