// A mistake in an argument of a declaration: which argument, and where in its text. Python looks
// for the place in the user's own call; what() is what is shown where that cannot be had.
#pragma once

#include <string>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/signature/signature_text.hpp"

namespace numpy_plugin::declare {

struct ArgumentMistake {
  std::string message;
  std::string hint;  // empty where there is nothing sure to say
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

// The mistake is in the argument as a whole, which has no text to show.
[[noreturn]] void fail_argument(base::ErrorKind kind, const std::string& argument,
                                const std::string& message, const std::string& hint = {});

}  // namespace numpy_plugin::declare
