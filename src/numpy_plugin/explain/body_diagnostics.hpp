// Compilers' messages about a user's C++ body, in our words: the same whichever compiler found
// the mistake.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "numpy_plugin/diagnostics/diagnostic.hpp"
#include "numpy_plugin/emit/printing/program.hpp"
#include "numpy_plugin/explain/body_text.hpp"
#include "numpy_plugin/explain/compiler_log.hpp"

namespace numpy_plugin::jit {

// A source that a compiler refused. Diagnostics are there where the body of a user is to blame;
// log() is always the whole output.
class CompileError : public declare::DiagnosedError {
 public:
  CompileError(const std::string& message, const std::string& log,
               std::vector<declare::Diagnostic> diagnostics,
               std::vector<declare::SourceText> sources)
      : DiagnosedError(base::ErrorKind::kCompiler, message, log, std::move(diagnostics),
                       std::move(sources)) {}
};

// The texts of a user's in one source: a preamble, then a body.
using BodyTexts = std::vector<BodyText>;

// Translates the messages about one of the texts, in its order, each place once, without those that
// follow from another error.
std::vector<declare::Diagnostic> diagnose(const BodyTexts& texts, const BodyText& text,
                                          const std::vector<CompilerMessage>& messages);

// The error that shows diagnostics of texts[index].
CompileError make_compile_error(const BodyTexts& texts, std::size_t index, const std::string& log,
                                std::vector<declare::Diagnostic> diagnostics);

// `what_happened`: "'/usr/bin/g++' exited with status 1"; is first where nothing in the texts
// is to blame.
CompileError make_compile_error(const BodyTexts& texts, const std::string& log, LogForm form,
                                const std::string& what_happened);
CompileError make_compile_error(const emit::Source& source, const std::string& log, LogForm form,
                                const std::string& what_happened);

}  // namespace numpy_plugin::jit
