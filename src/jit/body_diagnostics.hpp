// Compilers' messages about a person's C++ body, in our words: the same whichever compiler found
// the mistake.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "numpy_plugin/declare/diagnostic.hpp"
#include "numpy_plugin/emit/emit.hpp"
#include "numpy_plugin/jit/body_text.hpp"
#include "numpy_plugin/jit/compiler_log.hpp"

namespace numpy_plugin::jit {

// A source that a compiler refused. Diagnostics are there where the body of a person is to blame;
// log() is always the whole output.
class CompileError : public declare::DiagnosedError {
 public:
  CompileError(const std::string& message, const std::string& log,
               std::vector<declare::Diagnostic> diagnostics,
               std::vector<declare::SourceText> sources)
      : DiagnosedError(base::ErrorKind::kCompiler, message, log, std::move(diagnostics),
                       std::move(sources)) {}
};

// What the messages say about the body, in its order, each place once, without what follows from
// another error.
std::vector<declare::Diagnostic> diagnose_body(const BodyText& body,
                                               const std::vector<CompilerMessage>& messages);

// `what_happened`: "'/usr/bin/g++' exited with status 1"; stands first where nothing in the body is
// to blame.
CompileError make_compile_error(const emit::Source& source, const std::string& log, LogForm form,
                                const std::string& what_happened);

}  // namespace numpy_plugin::jit
