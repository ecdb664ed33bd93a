#include "numpy_plugin/infer/expressions/infer_result_casts.hpp"

#include <algorithm>

#include "numpy_plugin/infer/core/infer_report.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_views.hpp"

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

void report_result_cast(FunctionContext& context, const Value& value, DType dtype,
                        const std::string& verb) {
  const std::string shown = text(context, *value.node);
  const std::string name(base::name(dtype));
  std::string hint;
  std::vector<Note> notes;
  if (base::is_complex(value.type.dtype)) {
    const SyntaxNode* literal = complex_literal(*value.node);
    if (literal && context.task.signature && !context.task.is_generalized) {
      notes.push_back({"this makes it complex", place(context, *literal)});
      TypeSignature complex_signature = *context.task.signature;
      for (OperandType& output : complex_signature.outputs) {
        output.dtype = complex_dtype(real_dtype(output.dtype));
      }
      hint = "declare \"" + complex_signature.text() + "\"";
    } else {
      hint = inner_text(context, *value.node) + ".real, or abs(" + shown + ")";
    }
  } else if (dtype == DType::kBool) {
    hint = inner_text(context, *value.node) + " != 0";
  } else {
    hint = "int(" + shown + ") truncates, round(" + shown + ") rounds";
  }
  error(context, *value.node, describe(value.type) + " " + verb + ", " + name + " declared", hint,
        notes);
}

// Reported once, for the expression that widened the value, and not where an operand was declared
// with that type.
void warn_narrowing(FunctionContext& context, const Value& value, DType dtype) {
  const OriginPointer& origin = value.origin;
  if (origin && origin->is_declared) return;
  const std::string declared = "; " + std::string(base::name(dtype)) + " declared";
  const SourceSpan where = origin ? origin->place : place(context, *value.node);
  const bool is_reported = std::any_of(
      context.findings.warnings.begin(), context.findings.warnings.end(),
      [&](const Diagnostic& warning) {
        return warning.place.line == where.line && warning.place.column == where.column &&
               warning.message.ends_with(declared);
      });
  if (is_reported) return;
  if (origin) {
    warn(context, where, origin->message + declared, replace_marker(origin->hint, dtype),
         origin->notes);
  } else {
    warn(context, where, text(context, *value.node) + " is " + describe(value.type) + declared);
  }
}

}  // namespace

Expression result_cast(FunctionContext& context, const Value& value, DType dtype,
                       const std::string& verb) {
  if (!value.type.is_scalar()) {
    if (report_part(context, value)) return value.expression;
    error(context, *value.node,
          describe(value.type) + " " + verb + ", " + std::string(base::name(dtype)) + " declared");
    return value.expression;
  }
  const DType found = value.type.dtype;
  const bool is_inexact = base::is_floating(found) || base::is_complex(found);
  if (needs_written_cast(dtype, found)) {
    report_result_cast(context, value, dtype, verb);
    return value.expression;
  }
  const bool narrows = is_inexact && n_bits(real_dtype(dtype)) < n_bits(real_dtype(found));
  if (narrows && !value.type.is_weak) warn_narrowing(context, value, dtype);
  return convert(context, value, InferredType::scalar(dtype));
}

}  // namespace numpy_plugin::declare
