// A user's C++ body (or preamble) inside emitted source: its lines, the names it can use, and the
// stretches of it that messages underline.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/diagnostics/diagnostic.hpp"
#include "numpy_plugin/emit/printing/program.hpp"

namespace numpy_plugin::jit {

// A stretch of one line, in bytes from its start.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct BodyName {
  std::string name;
  std::string type;  // without const and references; empty where the text doesn't say
  int line = 0;      // where the text declares it; 0 for operands
  Span span = {};
  bool is_result = false;     // of an operand: the body assigns it
  bool is_read_only = false;  // of an operand: it is const, or its elements are
};

// A function that the user's text defines.
struct Helper {
  std::size_t n_parameters = 0;
  declare::SourceSpan place;  // of its name; source 1 where the preamble of a body has it
};

class BodyText {
 public:
  // The body of a source's first kernel; nothing for Python kernels.
  static std::optional<BodyText> of(const emit::Source& source);
  // The user's text before the kernels; it has no operands.
  static std::optional<BodyText> preamble_of(const emit::Source& source);
  // A text that is compiled as it is, such as the source of a device kernel.
  static BodyText whole_text(std::string label, std::string_view text);

  const std::string& label() const { return label_; }
  const std::vector<std::string>& lines() const { return lines_; }
  const std::vector<BodyName>& operands() const { return operands_; }
  const std::string& result_type() const { return result_type_; }

  // A body is inside a function that is emitted, whose end messages may point at; a preamble is
  // not.
  bool is_function() const { return !result_type_.empty(); }
  // Of a kernel, before its body; a source by itself is neither.
  bool is_preamble() const { return is_preamble_; }

  // Operands and variables that the body declares.
  std::vector<BodyName> names() const;
  // The type of an operand or variable; empty where it is not known.
  std::string type_of(std::string_view name) const;
  const BodyName* operand(std::string_view name) const;
  // The one function of a name that this text, or the preamble before it, defines; nothing where
  // there are several, or arguments that can be left out.
  std::optional<Helper> helper(std::string_view name) const;
  // Whether a line declares or defines a function of a name.
  bool declares(int line, std::string_view name) const;
  // The number of core dimensions that an operand has; 0 for numbers and for what is no operand.
  std::size_t n_dimensions(std::string_view name) const;

  // A line without its comments (their bytes are spaces); empty past the end.
  std::string_view code(int line) const;

  declare::SourceSpan place(int line, Span span) const;
  // A line's code without the spaces around it.
  declare::SourceSpan whole_line(int line) const;
  // From the first character that is no space to the last.
  declare::SourceSpan whole() const;
  // The run without spaces that ends before a position: what a missing ';' should have followed.
  declare::SourceSpan before(int line, std::size_t column) const;
  declare::SourceSpan before_end() const;

 private:
  static BodyText between(std::string label, std::string_view source, std::size_t begin);

  std::string label_;
  std::vector<std::string> lines_;
  std::vector<std::string> code_;
  std::vector<std::string> preamble_code_;
  std::vector<BodyName> operands_;
  std::string result_type_;
  bool is_preamble_ = false;
};

// The identifier, number, literal or operator at a column.
Span token_at(std::string_view line, std::size_t column);
// The operand to the left or right of an operator: a name, a number, a call, brackets.
Span operand_before(std::string_view line, std::size_t column);
Span operand_after(std::string_view line, std::size_t column);
// The name or type in front of the '(' whose arguments a column is in or at; nothing outside calls.
std::optional<Span> call_around(std::string_view line, std::size_t column);
// A word, the last that begins at or before a column, else the first; nothing where none is.
std::optional<Span> find_word(std::string_view line, std::string_view word,
                              std::size_t column = std::string_view::npos);
bool is_identifier_character(char character);
std::string text_of(std::string_view line, Span span);
// Splits at commas outside all brackets.
std::vector<std::string> split_at_commas(std::string_view text);
// A type as a user would write it: no const, no reference, no npp::, complex128 for
// Complex<double>; "string" for what a string literal is.
std::string plain_type(std::string_view type);

}  // namespace numpy_plugin::jit
