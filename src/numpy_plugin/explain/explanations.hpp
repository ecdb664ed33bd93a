// Explanations by kind of mistake, independent of the compiler: the message and its place are
// derived from the body's text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "numpy_plugin/diagnostics/diagnostic.hpp"
#include "numpy_plugin/explain/body_diagnostics.hpp"
#include "numpy_plugin/explain/body_text.hpp"

namespace numpy_plugin::explain {

// A message with the matches of its row's pattern.
struct Finding {
  const BodyText& body;
  const CompilerMessage& message;
  std::string text;  // the message without compiler-specific names
  int line;
  std::size_t column;
  std::vector<std::string> groups;  // of the pattern; an unmatched group is empty

  std::string_view code() const { return body.code(line); }
  std::string group(std::size_t index) const {
    return index < groups.size() ? groups[index] : std::string();
  }
};

struct ExplainedMessage {
  ExplainedMessage(declare::Diagnostic said, bool spoils = false)  // implicit on purpose
      : diagnostic(std::move(said)), spoils_line(spoils) {}

  declare::Diagnostic diagnostic;
  bool spoils_line;  // messages about the rest of the line are consequences
};

// nullopt where the text shows that the message means something else.
using Explanation = std::optional<ExplainedMessage>;
using Explain = Explanation (*)(const Finding&);

declare::Diagnostic make_error(std::string message, declare::SourceSpan place,
                               std::string hint = "");
// For "x is double" and similar: the type of an argument as far as the text reveals it, else empty.
std::string type_of_text(const BodyText& body, const std::string& text);
// "=" and "+=", but not comparisons.
bool is_assignment(std::string_view text);
// "a string", "a double".
std::string type_in_words(const std::string& type);

// ---- names

Explanation explain_unknown_name(const Finding& found);
Explanation explain_member_of_namespace(const Finding& found);
Explanation explain_standard_namespace(const Finding& found);
Explanation explain_declared_twice(const Finding& found);
Explanation explain_no_member(const Finding& found);
Explanation explain_member_function(const Finding& found);
Explanation explain_missing_header(const Finding& found);

// ---- calls

Explanation explain_no_overload(const Finding& found);
Explanation explain_ambiguous_call(const Finding& found);
Explanation explain_not_a_function(const Finding& found);
Explanation explain_macro(const Finding& found);
Explanation explain_function_as_value(const Finding& found);
Explanation explain_index_count(const Finding& found);

// ---- operators and values

Explanation explain_operator(const Finding& found);
Explanation explain_bit_operator(const Finding& found);
Explanation explain_assigned_operand(const Finding& found);
// An assignment to an input or one of its elements.
declare::Diagnostic input_written(const Finding& found, const std::string& name, Span place);
Explanation explain_not_an_array(const Finding& found);
Explanation explain_not_a_pointer(const Finding& found);
Explanation explain_conversion(const Finding& found);
Explanation explain_cast(const Finding& found);
Explanation explain_arrow(const Finding& found);
Explanation explain_negative_size(const Finding& found);
Explanation explain_too_many_values(const Finding& found);
Explanation explain_narrowing(const Finding& found);
Explanation explain_size_of_array(const Finding& found);

// ---- statements

Explanation explain_missing_semicolon(const Finding& found);
Explanation explain_missing_value(const Finding& found);
Explanation explain_function_in_body(const Finding& found);
Explanation explain_missing_label(const Finding& found);
Explanation explain_label_twice(const Finding& found);
Explanation explain_auto(const Finding& found);
Explanation explain_capture(const Finding& found);
Explanation explain_missing_sign(const Finding& found);
Explanation explain_missing_return(const Finding& found);
Explanation explain_return_without_value(const Finding& found);
Explanation explain_returned_value(const Finding& found);
Explanation explain_outside_of_loop(const Finding& found);
Explanation explain_jump(const Finding& found);
Explanation explain_case(const Finding& found);
Explanation explain_void(const Finding& found);
Explanation explain_switch(const Finding& found);
Explanation explain_const_without_value(const Finding& found);
Explanation explain_static_assertion(const Finding& found);
Explanation explain_error_directive(const Finding& found);
Explanation explain_depth(const Finding& found);

// Translation table for messages of g++, clang++ and NVRTC.

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

// Functions that C++ bodies can call unqualified, for "did you mean" and for hints.

std::vector<std::string> cmath_names();

// "y, x" for atan2; nullopt for unknown functions.
std::optional<std::string> cmath_arguments(std::string_view name);

}  // namespace numpy_plugin::explain
