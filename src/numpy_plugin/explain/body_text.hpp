// A user's C++ body (or preamble) in emitted source: its lines, the names it can use, and the spans
// that messages underline.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/diagnostics/diagnostic.hpp"
#include "numpy_plugin/emit/printing/program.hpp"

namespace numpy_plugin::explain {

// A span of one line, in bytes from its start.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct BodyName {
  std::string name;
  std::string type;  // without const and references; empty where unknown
  int line = 0;      // of its declaration; 0 for operands
  Span span = {};
  bool is_result = false;     // for an operand: assigned by the body
  bool is_read_only = false;  // for an operand: it or its elements are const
};

// A function defined in the user's text.
struct Helper {
  std::size_t n_parameters = 0;
  declare::SourceSpan place;  // of its name; source 1 where it is in a body's preamble
};

class BodyText {
 public:
  // The body of a source's first kernel; nullopt for Python kernels.
  static std::optional<BodyText> of(const emit::Source& source);
  // The user's text before the kernels; has no operands.
  static std::optional<BodyText> preamble_of(const emit::Source& source);
  // Complete text without a wrapper, such as the source of a device kernel.
  static BodyText whole_text(std::string label, std::string_view text);

  const std::string& label() const { return label_; }
  const std::vector<std::string>& lines() const { return lines_; }
  const std::vector<BodyName>& operands() const { return operands_; }
  const std::string& result_type() const { return result_type_; }

  // A body is inside an emitted function, whose end messages may refer to; a preamble is not.
  bool is_function() const { return !result_type_.empty(); }

  // Operands, and variables declared in the body.
  std::vector<BodyName> names() const;
  // The type of an operand or variable; empty where unknown.
  std::string type_of(std::string_view name) const;
  const BodyName* operand(std::string_view name) const;
  // The only function of a name defined in this text or the preamble before it; nullopt where there
  // are several, or it has default arguments.
  std::optional<Helper> helper(std::string_view name) const;
  // Whether a line declares or defines a function with this name.
  bool declares(int line, std::string_view name) const;
  // An operand's number of core dimensions; 0 for numbers and other names.
  std::size_t n_dimensions(std::string_view name) const;

  // A line with its comments replaced by spaces; empty past the end.
  std::string_view code(int line) const;

  declare::SourceSpan place(int line, Span span) const;
  // A line's code without surrounding spaces.
  declare::SourceSpan whole_line(int line) const;
  // From the first character that is not white space to the last.
  declare::SourceSpan whole() const;
  // The run without spaces that ends before a position, where a ';' is missing.
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
};

// The identifier, number, literal or operator at a column.
Span token_at(std::string_view line, std::size_t column);
// The operand to the left or right of an operator: a name, a number, a call or a bracketed
// expression.
Span operand_before(std::string_view line, std::size_t column);
Span operand_after(std::string_view line, std::size_t column);
// The name or type before the '(' of the call whose arguments contain a column; nullopt outside
// calls.
std::optional<Span> call_around(std::string_view line, std::size_t column);
// The last occurrence of a word that begins at or before a column, else the first; nullopt if
// missing.
std::optional<Span> find_word(std::string_view line, std::string_view word,
                              std::size_t column = std::string_view::npos);
bool is_identifier_character(char character);
std::string text_of(std::string_view line, Span span);
// Splits at commas outside of brackets.
std::vector<std::string> split_at_commas(std::string_view text);
// A type in users' spelling: no const, no reference, no npp::, complex128 for Complex<double>;
// "string" for string literals.
std::string plain_type(std::string_view type);

}  // namespace numpy_plugin::explain
