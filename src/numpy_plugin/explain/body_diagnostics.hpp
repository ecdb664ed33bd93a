// Compilers' messages about a user's C++ body, rephrased: identical for all compilers.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "numpy_plugin/diagnostics/diagnostic.hpp"
#include "numpy_plugin/emit/printing/program.hpp"
#include "numpy_plugin/explain/body_text.hpp"

namespace numpy_plugin::explain {

// Messages of g++, clang++ and NVRTC, parsed to a common form.

enum class LogForm { kGnu, kNvrtc };  // kGnu: g++, clang++ and zig

struct CompilerMessage {
  enum class Severity { kError, kWarning, kNote };
  Severity severity = Severity::kError;
  std::string file;  // empty for a remark without a position
  int line = 0;
  int column = -1;  // 0-based in bytes; -1 where missing
  std::string text;
  std::vector<CompilerMessage> notes;  // in printed order
  std::string source_line;             // NVRTC's copy of the line, else empty
  bool leads_here = false;             // for a note: it shows a use of the erroneous code
};

// Errors and warnings, each with its notes.
std::vector<CompilerMessage> parse_compiler_log(std::string_view log, LogForm form);

// A message without terms specific to a compiler or to generated text: "'npp::Kernel0::x_t' {aka
// 'const float'}" becomes "'float'".
std::string plain_message(std::string_view text);

// A source rejected by a compiler. Has diagnostics where a user's body is to blame; log() is always
// the complete output.
class CompileError : public declare::DiagnosedError {
 public:
  CompileError(const std::string& message, const std::string& log,
               std::vector<declare::Diagnostic> diagnostics,
               std::vector<declare::SourceText> sources)
      : DiagnosedError(base::ErrorKind::kCompiler, message, log, std::move(diagnostics),
                       std::move(sources)) {}
};

// A user's texts in one source: a preamble, then a body.
using BodyTexts = std::vector<BodyText>;

// Translates the messages about one of the texts, in its order, each place once, without
// consequences of other errors.
std::vector<declare::Diagnostic> diagnose(const BodyTexts& texts, const BodyText& text,
                                          const std::vector<CompilerMessage>& messages);

// The error for diagnostics of texts[index].
CompileError make_compile_error(const BodyTexts& texts, std::size_t index, const std::string& log,
                                std::vector<declare::Diagnostic> diagnostics);

// `what_happened`: "'/usr/bin/g++' exited with status 1"; begins the message where the texts are
// not to blame.
CompileError make_compile_error(const BodyTexts& texts, const std::string& log, LogForm form,
                                const std::string& what_happened);
CompileError make_compile_error(const emit::Source& source, const std::string& log, LogForm form,
                                const std::string& what_happened);

}  // namespace numpy_plugin::explain
