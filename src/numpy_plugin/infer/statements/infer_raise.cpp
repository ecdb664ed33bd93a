#include "numpy_plugin/infer/statements/infer_statements.hpp"

#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"
#include "numpy_plugin/infer/expressions/infer_operators.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

std::string last_part(const std::string& dotted) {
  return dotted.substr(dotted.rfind('.') + 1);  // npos + 1 is 0
}

// The one of three recorded types in which a value is stored.
DType recorded_dtype(DType dtype) {
  if (base::is_floating(dtype)) return DType::kFloat64;
  return dtype == DType::kUInt64 ? DType::kUInt64 : DType::kInt64;
}

bool is_text(const SyntaxNode* node) {
  return node != nullptr && (node->text == "str" || node->kind == SyntaxKind::kJoinedStr);
}

// `"%g" % x`, `"a" + "b"`, `"{}".format(x)`.
bool makes_text(const SyntaxNode& node) {
  if (node.kind == SyntaxKind::kBinOp) {
    return is_text(node.child("left")) || is_text(node.child("right"));
  }
  const SyntaxNode* callee = node.kind == SyntaxKind::kCall ? node.child("func") : nullptr;
  return callee != nullptr && callee->kind == SyntaxKind::kAttribute &&
         is_text(callee->child("value"));
}

// The exception class without its arguments; nullopt where it is not a class.
std::optional<RaisedException> raised_class(FunctionContext& context, const SyntaxNode& node) {
  const SyntaxNode* exception = node.child("exc");
  if (!exception) {
    error(context, node, "'raise' needs an exception", "raise ValueError(\"...\")");
    return std::nullopt;
  }
  const SyntaxNode& name =
      exception->kind == SyntaxKind::kCall ? *exception->child("func") : *exception;
  const Binding* binding = find_binding(context, name);
  if (binding && binding->kind == Binding::Kind::kException) {
    RaisedException raised;
    raised.type_name = last_part(binding->name);
    raised.type = binding->object;
    return raised;
  }
  if (exception->kind == SyntaxKind::kConstant && exception->text == "str") {
    error(context, *exception, "'raise' needs an exception, found a string",
          format("raise ValueError({})", text(context, *exception)));
    return std::nullopt;
  }
  const Value value = infer(context, *exception);
  if (value.type.is_known()) {
    error(context, *exception, "'raise' needs an exception, found " + with_article(value.type),
          "raise ValueError(\"...\")");
  }
  return std::nullopt;
}

bool add_part(FunctionContext& context, const SyntaxNode& node, std::vector<MessagePart>& parts,
              Statement& statement) {
  MessagePart part;
  if (node.kind == SyntaxKind::kText) {
    part.text = node.text;
    parts.push_back(std::move(part));
    return true;
  }
  if (makes_text(node)) {
    error(context, node, "a message must be a str, an f-string or a number",
          "use an f-string: f\"... {x}\"");
    return false;
  }
  const SyntaxNode& number = node.kind == SyntaxKind::kFormattedValue ? *node.child("value") : node;
  if (&number != &node) {
    part.text = node.text;  // the conversion: "r", "s"
    if (const SyntaxNode* format = node.child("format_spec")) {
      for (const SyntaxNode& piece : format->children("values")) {
        if (piece.kind != SyntaxKind::kText) {
          error(context, piece, "the format of a message must be a plain str");
          return false;
        }
        part.format += piece.text;
      }
    }
  }
  const Value value = infer(context, number);
  if (!value.type.is_known()) return false;
  if (!value.type.is_scalar() || base::is_complex(value.type.dtype)) {
    error(context, number,
          format("a message can contain str and real numbers, {} is {}", text(context, number),
                 describe(value.type)));
    return false;
  }
  if (statement.indices.size() == kMaxMessageValues) {
    error(context, number, "a message can contain at most 4 numbers");
    return false;
  }
  part.is_value = true;
  part.dtype = storage(value.type).dtype;
  statement.indices.push_back(
      cast(convert(context, value, value.type), recorded_dtype(part.dtype)));
  parts.push_back(std::move(part));
  return true;
}

// One argument of the exception: a string, a number, or a string with numbers.
bool add_message(FunctionContext& context, const SyntaxNode& node, RaisedException& raised,
                 Statement& statement) {
  std::vector<MessagePart> parts;
  if (node.kind == SyntaxKind::kJoinedStr) {
    for (const SyntaxNode& part : node.children("values")) {
      if (!add_part(context, part, parts, statement)) return false;
    }
    if (parts.size() != 1 || parts.front().is_value) parts.insert(parts.begin(), MessagePart{});
  } else if (!add_part(context, node, parts, statement)) {
    return false;
  }
  raised.arguments.push_back(std::move(parts));
  return true;
}

Statement finish_raise(FunctionContext& context, const SyntaxNode& node, RaisedException raised,
                       Statement statement) {
  raised.place = place(context, node);
  raised.file = context.syntax.source.file;
  raised.function = context.syntax.name;
  statement.exception = exception(context, std::move(raised));
  return statement;
}

}  // namespace

void raise_statement(FunctionContext& context, const SyntaxNode& node) {
  const std::size_t n_errors = context.findings.errors.size();
  Statement statement{StatementKind::kRaise, place(context, node), 0, {}, {}, {}, {}, {}};
  std::optional<RaisedException> raised = raised_class(context, node);
  if (const SyntaxNode* cause = node.child("cause")) {
    error(context, *cause, "'raise' with 'from' cannot be used in a kernel", "leave 'from' out");
  }
  const SyntaxNode* exception = node.child("exc");
  if (raised && exception->kind == SyntaxKind::kCall) {
    for (const SyntaxNode& argument : exception->children("args")) {
      if (!add_message(context, argument, *raised, statement)) break;
    }
    for (const SyntaxNode& keyword : exception->children("keywords")) {
      error(context, keyword, "a kernel's exception takes no keywords", "leave the name out");
    }
  }
  context.flow.stop({"the function ends here", place(context, node)});
  if (!raised || context.findings.errors.size() > n_errors) return;
  add_statement(context, finish_raise(context, node, std::move(*raised), std::move(statement)));
}

void assert_statement(FunctionContext& context, const SyntaxNode& node) {
  const SyntaxNode& test = *node.child("test");
  if (test.kind == SyntaxKind::kTuple && !test.children("elts").empty()) {
    warn(context, test, "this assert never fails: a tuple is always true",
         "remove the parentheses");
    return;
  }
  const auto decision = decided(context, test);
  if (decision && *decision) return;
  if (decision && is_library_function(context.syntax)) {
    error(context, node, node.child("msg")->text);  // of arrays that it does not take
    return;
  }
  const std::size_t n_errors = context.findings.errors.size();
  Statement result{StatementKind::kIf, place(context, node), 0, {}, {}, {}, {}, {}};
  Expression holds = condition(context, test);
  result.value =
      call(Operation::kLogicalNot, DType::kBool, {std::move(holds)}, place(context, test));
  // The message is computed only where the assertion fails.
  std::vector<Statement>* const outer = std::exchange(context.block, &result.body);
  Statement statement{StatementKind::kRaise, place(context, node), 0, {}, {}, {}, {}, {}};
  RaisedException raised;
  raised.type_name = "AssertionError";
  if (const SyntaxNode* message = node.child("msg")) {
    add_message(context, *message, raised, statement);
  }
  if (context.findings.errors.size() == n_errors) {
    add_statement(context, finish_raise(context, node, std::move(raised), std::move(statement)));
  }
  context.block = outer;
  add_statement(context, std::move(result));
}

}  // namespace numpy_plugin::declare
