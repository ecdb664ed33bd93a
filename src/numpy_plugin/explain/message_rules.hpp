// The table that turns the messages of g++, clang++ and NVRTC into ours.
#pragma once

#include <string>

#include "numpy_plugin/diagnostics/diagnostic.hpp"
#include "numpy_plugin/explain/body_text.hpp"
#include "numpy_plugin/explain/compiler_log.hpp"

namespace numpy_plugin::jit {

enum class MessageKind {
  kSyntax,         // what a compiler says after it may follow from it
  kMissingReturn,  // said of the end of the function; may follow from any other error
  kUnknownName,    // its line declares nothing more, and each name is told once
  kOther
};

struct TranslatedMessage {
  MessageKind kind = MessageKind::kOther;
  declare::Diagnostic diagnostic;
  std::string name;          // kUnknownName's
  bool spoils_line = false;  // what is said about the rest of the line follows from it
};

// `line` and `column` are where in the body the message points; line 0 where it points behind the
// body's end. A message of no known form keeps its compiler's words.
TranslatedMessage translate_message(const BodyText& body, const CompilerMessage& message, int line,
                                    std::size_t column);

}  // namespace numpy_plugin::jit
