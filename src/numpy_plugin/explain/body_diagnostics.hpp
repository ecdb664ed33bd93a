// Compilers' messages about a user's C++ body, rephrased: identical for all compilers.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "numpy_plugin/diagnostics/diagnostic.hpp"
#include "numpy_plugin/emit/printing/program.hpp"
#include "numpy_plugin/explain/body_text.hpp"
#include "numpy_plugin/explain/compiler_log.hpp"

namespace numpy_plugin::explain {

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
