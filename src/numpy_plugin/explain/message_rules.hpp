// Translation table for messages of g++, clang++ and NVRTC.
#pragma once

#include <string>

#include "numpy_plugin/diagnostics/diagnostic.hpp"
#include "numpy_plugin/explain/body_text.hpp"
#include "numpy_plugin/explain/compiler_log.hpp"

namespace numpy_plugin::explain {

enum class MessageKind {
  kSyntax,         // later messages may be consequences
  kMissingReturn,  // at the function's end; may be a consequence of any other error
  kUnknownName,    // its line declares nothing more, and each name is reported once
  kOther
};

struct TranslatedMessage {
  MessageKind kind = MessageKind::kOther;
  declare::Diagnostic diagnostic;
  std::string name;          // of kUnknownName
  bool spoils_line = false;  // messages about the rest of the line are consequences
};

// `line` and `column` are the message's position in the body; line 0 is after the body's end.
// Unrecognized messages keep the compiler's wording.
TranslatedMessage translate_message(const BodyText& body, const CompilerMessage& message, int line,
                                    std::size_t column);

}  // namespace numpy_plugin::explain
