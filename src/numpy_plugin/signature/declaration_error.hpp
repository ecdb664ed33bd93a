// A mistake in an argument of a declaration: the argument, and the position in its text. Python
// searches for it in the user's call; what() is shown where that fails.
#pragma once

#include <string>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/signature/signature_text.hpp"

namespace numpy_plugin::declare {

struct ArgumentMistake {
  std::string message;
  std::string hint;  // empty where no hint is certain
  LabelledText source;
  TextRange range;

  // The message, the text with the range underlined, the hint.
  std::string text() const;
};

class DeclarationError : public base::Error {
 public:
  DeclarationError(base::ErrorKind kind, ArgumentMistake mistake)
      : base::Error(kind, mistake.text()), mistake_(std::move(mistake)) {}

  const ArgumentMistake& mistake() const { return mistake_; }

 private:
  ArgumentMistake mistake_;
};

// For a mistake in the argument as a whole, without text to show.
[[noreturn]] void fail_argument(base::ErrorKind kind, const std::string& argument,
                                const std::string& message, const std::string& hint = {});

}  // namespace numpy_plugin::declare
