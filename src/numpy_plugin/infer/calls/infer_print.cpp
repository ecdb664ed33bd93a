// `print`: literal parts and numbers become one text with marks, kernel/printed_text.hpp.
#include <algorithm>

#include "numpy_plugin/infer/calls/call_arguments.hpp"
#include "numpy_plugin/infer/calls/infer_calls.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"
#include "numpy_plugin/kernel/printed_text.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

// One line under construction.
struct Line {
  std::string text;
  std::vector<Expression> numbers;
};

DType recorded_dtype(DType dtype) {
  if (base::is_floating(dtype)) return DType::kFloat64;
  return dtype == DType::kUInt64 ? DType::kUInt64 : DType::kInt64;
}

bool add_literal(FunctionContext& context, const SyntaxNode& node, std::string& text) {
  const bool has_mark = std::ranges::any_of(
      node.text, [](char c) { return c == '\0' || (c >= kFormatMark && c <= kArgumentMark); });
  if (has_mark) {
    error(context, node, "print in a kernel takes no control characters 0 and 29 to 31");
    return false;
  }
  text += kLiteralMark + node.text;
  return true;
}

// The parts of a complex number are recorded one after the other.
void add_number(FunctionContext& context, Value value, Line& line) {
  const DType dtype = storage(value.type).dtype;
  if (!base::is_complex(dtype)) {
    line.numbers.push_back(cast(convert(context, value, value.type), recorded_dtype(dtype)));
    return;
  }
  value = reusable(context, std::move(value));
  for (const Operation part : {Operation::kReal, Operation::kImag}) {
    const Expression whole = convert(context, value, value.type);
    line.numbers.push_back(
        cast(call(part, real_dtype(dtype), {whole}, whole.place), DType::kFloat64));
  }
}

// The format of `{x:.3f}`; nullopt where it is no plain str.
std::optional<std::string> format_text(FunctionContext& context, const SyntaxNode& node) {
  std::string format;
  const SyntaxNode* const given = node.child("format_spec");
  if (given == nullptr) return format;
  for (const SyntaxNode& piece : given->children("values")) {
    if (piece.kind != SyntaxKind::kText) {
      error(context, piece, "the format of a number in print must be a plain str");
      return std::nullopt;
    }
    format += piece.text;
  }
  return format;
}

bool add_piece(FunctionContext& context, const SyntaxNode& node, Line& line) {
  if (node.kind == SyntaxKind::kText) return add_literal(context, node, line.text);
  const bool is_field = node.kind == SyntaxKind::kFormattedValue;
  const SyntaxNode& number = is_field ? *node.child("value") : node;
  const auto spec = is_field ? format_text(context, node) : std::string();
  if (!spec) return false;
  const Value value = infer(context, number);
  if (!value.type.is_known()) return false;
  if (!value.type.is_scalar()) {
    error(context, number,
          format("print in a kernel takes str and numbers, {} is {}", text(context, number),
                 with_article(value.type)),
          value.type.is_array() ? "print its elements in a 'for' loop" : "print its items");
    return false;
  }
  line.text += kNumberMark + std::string(base::name(storage(value.type).dtype)) + kFormatMark +
               (is_field ? node.text : "s") + kFormatMark + *spec;
  add_number(context, value, line);
  return true;
}

bool add_argument(FunctionContext& context, const SyntaxNode& node, Line& line) {
  line.text += kArgumentMark;
  if (node.kind != SyntaxKind::kJoinedStr) return add_piece(context, node, line);
  for (const SyntaxNode& piece : node.children("values")) {
    if (!add_piece(context, piece, line)) return false;
    line.text += kPieceMark;
  }
  return true;
}

// `sep=` or `end=`: a str, or None for the usual one.
bool add_keyword(FunctionContext& context, const SyntaxNode& call, std::string_view name,
                 std::string_view usual, Line& line) {
  const SyntaxNode* const given = find_keyword(call, name);
  const bool is_none = given != nullptr && given->text == "NoneType";
  if (given == nullptr || is_none) {
    line.text += kLiteralMark + std::string(usual);
    return true;
  }
  if (given->kind == SyntaxKind::kText) return add_literal(context, *given, line.text);
  error(context, *given, format("'{}' of print in a kernel must be a literal str", name));
  return false;
}

bool check_size(FunctionContext& context, const SyntaxNode& call, const Line& line) {
  if (line.numbers.size() > kMaxPrintedNumbers) {
    error(context, call,
          format("print in a kernel takes at most {} numbers, found {}", kMaxPrintedNumbers,
                 line.numbers.size()),
          "print them in two calls, the first with end=\" \"");
    return false;
  }
  if (line.text.size() < kMaxPrintedText) return true;
  error(context, call,
        format("the text of print in a kernel has {} bytes with its formats, at most {} fit",
               line.text.size(), kMaxPrintedText - 1),
        "print it in two calls, the first with end=\"\"");
  return false;
}

}  // namespace

Value builtin_print(FunctionContext& context, const std::string& name, const SyntaxNode& node) {
  if (context.statement.discarded != &node) {
    return error(context, node, "print returns nothing", "call it in a statement of its own");
  }
  if (!check_plain_arguments(context, name, node, {"sep", "end"})) return {};
  Line line;
  if (!add_keyword(context, node, "sep", " ", line)) return {};
  line.text += kArgumentMark;
  if (!add_keyword(context, node, "end", "\n", line)) return {};
  for (const SyntaxNode& argument : node.children("args")) {
    if (!add_argument(context, argument, line)) return {};
  }
  if (!check_size(context, node, line)) return {};
  context.has_effects = true;
  context.kernel.note_print();
  evaluate(context, {ExpressionKind::kPrint,
                     {},
                     place(context, node),
                     std::move(line.numbers),
                     PrintedText{std::make_shared<const std::string>(std::move(line.text))}});
  return {};
}

}  // namespace numpy_plugin::declare
