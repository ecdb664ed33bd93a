#include "numpy_plugin/infer/expressions/infer_conversions.hpp"

#include <algorithm>
#include <cmath>

#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_arrays.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"
#include "numpy_plugin/infer/expressions/infer_times.hpp"
#include "numpy_plugin/syntax/functions.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

std::string replace_marker(std::string text, DType dtype) {
  const std::string marker = "{}";
  for (std::size_t at = text.find(marker); at != std::string::npos; at = text.find(marker)) {
    text.replace(at, marker.size(), std::string(base::name(dtype)));
  }
  return text;
}

// The complex constant inside an expression that makes it complex.
const SyntaxNode* complex_literal(const SyntaxNode& node) {
  const auto* number = std::get_if<Number>(&node.constant);
  if (number && std::holds_alternative<std::complex<double>>(*number)) return &node;
  for (const auto& [field, children] : node.fields) {
    for (const SyntaxNode& child : children) {
      if (const SyntaxNode* found = complex_literal(child)) return found;
    }
  }
  return nullptr;
}

// A complex value where a real one is declared.
void report_result_cast(FunctionContext& context, const Value& value, DType dtype,
                        const std::string& verb) {
  std::string hint;
  std::vector<Note> notes;
  const SyntaxNode* literal = complex_literal(*value.node);
  if (literal && context.task.signature && !context.task.is_generalized()) {
    notes.push_back({"this makes it complex", place(context, *literal)});
    TypeSignature complex_signature = *context.task.signature;
    for (OperandType& output : complex_signature.outputs) {
      output.dtype = complex_dtype(real_dtype(output.dtype));
    }
    hint = format("declare \"{}\"", complex_signature.text());
  } else {
    hint =
        format("{}.real, or abs({})", inner_text(context, *value.node), text(context, *value.node));
  }
  error(context, *value.node, kind_change_text(value.type.dtype, dtype, verb), hint, notes);
}

bool is_reported(const FunctionContext& context, const SourceSpan& where,
                 const std::string& message_end) {
  return std::ranges::any_of(context.findings.warnings, [&](const Diagnostic& warning) {
    return warning.place.line == where.line && warning.place.column == where.column &&
           warning.message.ends_with(message_end);
  });
}

// Reported once, for the expression that widened the value, and not where an operand was declared
// with that type.
void warn_narrowing(FunctionContext& context, const Value& value, DType dtype) {
  const OriginPointer& origin = value.origin;
  if (origin && origin->is_declared) return;
  const std::string declared = format("; {} declared", base::name(dtype));
  const SourceSpan where = origin ? origin->place : place(context, *value.node);
  if (is_reported(context, where, declared)) return;
  if (origin) {
    warn(context, where, origin->message + declared, replace_marker(origin->hint, dtype),
         origin->notes);
  } else {
    warn(context, where, text(context, *value.node) + " is " + describe(value.type) + declared);
  }
}

// The casts to choose from; of an augmented assignment, as a plain one.
std::string cast_hint(const FunctionContext& context, const SyntaxNode& node, DType dtype) {
  std::string shown = text(context, node);
  std::string operand = inner_text(context, node);
  std::string start;
  if (const SyntaxNode* const augmented = context.statement.augmented) {
    const std::string target = text(context, *augmented->child("target"));
    shown = format("{} {} {}", target, find_operator(augmented->op)->symbol, operand);
    operand = format("({})", shown);
    start = target + " = ";
  }
  if (dtype == DType::kBool) return start + operand + " != 0";
  return format("{}{}({}) truncates, {}round({}) rounds", start,
                spelling(context, "numpy", base::name(dtype)), shown, start, shown);
}

// A plain number without a fraction as an integer, 0 or 1 as a bool: nothing is lost.
std::optional<Expression> exact_constant(const FunctionContext& context, const Value& value,
                                         DType dtype) {
  if (!value.type.is_weak || !value.constant) return std::nullopt;
  const PlainNumber& number = *value.constant;
  if (std::holds_alternative<std::complex<double>>(number)) return std::nullopt;
  const double nearest = to_double(number);
  const bool is_bool = dtype == DType::kBool;
  constexpr double kExactLimit = 0x1p53;
  if (std::trunc(nearest) != nearest || std::abs(nearest) >= kExactLimit) return std::nullopt;
  const auto integer = static_cast<Int128>(nearest);
  const bool fits = is_bool ? integer == 0 || integer == 1
                            : integer >= range_of(dtype).low && integer <= range_of(dtype).high;
  if (!fits) return std::nullopt;
  return constant_expression(dtype, convert(PlainNumber(integer), dtype).value,
                             place(context, *value.node));
}

// The value as NumPy's assignment converts it, with a warning at its place.
Expression changed_kind(FunctionContext& context, const Value& value, DType dtype,
                        const std::string& verb) {
  if (auto exact = exact_constant(context, value, dtype)) return *exact;
  const SyntaxNode* const augmented = context.statement.augmented;
  const SourceSpan where = place(context, augmented ? *augmented : *value.node);
  const std::string message = kind_change_text(value.type.dtype, dtype, verb);
  if (!is_reported(context, where, message)) {
    warn(context, where, message, cast_hint(context, *value.node, dtype));
  }
  return cast(value.expression, dtype);
}

}  // namespace

std::string kind_change_text(DType from, DType to, const std::string& verb) {
  const std::string text =
      format("{} {}, {} declared", describe(InferredType::scalar(from)), verb, base::name(to));
  if (drops_imaginary_part(to, from)) return text;
  return text + (to == DType::kBool ? "; True where it is not 0" : "; truncated toward zero");
}

Expression result_cast(FunctionContext& context, const Value& value, DType dtype,
                       const std::string& verb) {
  if (!value.type.is_scalar()) {
    if (report_part(context, value)) return value.expression;
    error(context, *value.node,
          format("{} {}, {} declared", describe(value.type), verb, base::name(dtype)));
    return value.expression;
  }
  const DType found = value.type.dtype;
  if (base::is_time(found) || base::is_time(dtype)) {
    return implied_time(context, value, dtype, verb);
  }
  const bool is_inexact = base::is_floating(found) || base::is_complex(found);
  if (drops_imaginary_part(dtype, found)) {
    report_result_cast(context, value, dtype, verb);
    return value.expression;
  }
  if (changes_kind(dtype, found)) return changed_kind(context, value, dtype, verb);
  const bool narrows = is_inexact && n_bits(real_dtype(dtype)) < n_bits(real_dtype(found));
  if (narrows && !value.type.is_weak) warn_narrowing(context, value, dtype);
  return convert(context, value, InferredType::scalar(dtype));
}

}  // namespace numpy_plugin::declare
