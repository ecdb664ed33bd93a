#include "numpy_plugin/infer/statements/infer_statements.hpp"

#include <algorithm>

#include "numpy_plugin/infer/calls/infer_calls.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/infer/expressions/infer_conversions.hpp"
#include "numpy_plugin/infer/expressions/infer_expressions.hpp"
#include "numpy_plugin/infer/expressions/infer_operators.hpp"
#include "numpy_plugin/infer/statements/infer_loops.hpp"

namespace numpy_plugin::declare {
namespace {

struct UnusableStatement {
  SyntaxKind kind;
  std::string_view keyword;
  bool shows_whole;  // underlines the whole statement, not its keyword
  std::string_view hint;
};

constexpr UnusableStatement kUnusableStatements[] = {
    {SyntaxKind::kTryStar, "try", false, ""},
    {SyntaxKind::kAsyncWith, "async with", false, ""},
    {SyntaxKind::kAsyncFor, "async for", false, ""},
    {SyntaxKind::kMatch, "match", false, "use if / elif / else"},
    {SyntaxKind::kImport, "import", true, "import at the top of the file"},
    {SyntaxKind::kImportFrom, "import", true, "import at the top of the file"},
    {SyntaxKind::kDelete, "del", true, "leave it out"},
    {SyntaxKind::kClassDef, "class", false, "move it out of the kernel"},
    {SyntaxKind::kTypeAlias, "type", false, ""},
};

// A docstring, or `...` as an empty statement.
bool is_empty(const SyntaxNode& node) {
  const SyntaxNode* value = node.child("value");
  return value && value->kind == SyntaxKind::kConstant &&
         (value->text == "str" || value->text == "ellipsis");
}

void expression_statement(FunctionContext& context, const SyntaxNode& node) {
  if (is_empty(node)) return;
  const SyntaxNode& expression = *node.child("value");
  if (effect_statement(context, expression)) return;
  context.statement.discarded = &expression;
  infer(context, expression);
  if (expression.kind != SyntaxKind::kCompare) return;
  const std::vector<SyntaxNode>& operators = expression.children("ops");
  const SyntaxNode& left = *expression.child("left");
  const bool is_assignable =
      operators.size() == 1 && operators.front().kind == SyntaxKind::kEq &&
      (left.kind == SyntaxKind::kName || left.kind == SyntaxKind::kSubscript);
  warn(context, expression, "this comparison is not used",
       is_assignable ? format("did you mean {} = {}?", text(context, left),
                              text(context, *expression.child("comparators")))
                     : "");
}

// The statements that a decided condition selects; the others are left out, and those after them
// may be, without a warning.
void selected_block(FunctionContext& context, const std::vector<SyntaxNode>& statements) {
  std::vector<Statement> selected = block(context, statements);
  for (Statement& statement : selected) add_statement(context, std::move(statement));
  if (!context.flow.is_reachable()) context.flow.stop({});
}

void if_statement(FunctionContext& context, const SyntaxNode& node) {
  const SyntaxNode& test = *node.child("test");
  if (const auto decision = decided(context, test)) {
    return selected_block(context, node.children(*decision ? "body" : "orelse"));
  }
  Statement result{StatementKind::kIf, place(context, node), 0, {}, {}, {}, {}, {}};
  result.value = condition(context, test);
  const Flow before = context.flow;
  exclude_none(context, test, true);
  result.body = block(context, node.children("body"));
  const Flow after_body = std::exchange(context.flow, before);
  exclude_none(context, test, false);
  result.orelse = block(context, node.children("orelse"));
  context.flow =
      Flow::join(after_body, context.flow, {Reason::Kind::kOnlyWhenTrue, place(context, test)},
                 {Reason::Kind::kOnlyWhenFalse, place(context, test)});
  add_statement(context, std::move(result));
}

void break_statement(FunctionContext& context, const SyntaxNode& node) {
  std::optional<Flow>& exit = context.loops.back().at_break;
  exit = exit ? Flow::join(*exit, context.flow, {}, {}) : context.flow;
  context.flow.stop({"the loop ends here", place(context, node)});
  add_statement(context, {StatementKind::kBreak, place(context, node), 0, {}, {}, {}, {}, {}});
}

void continue_statement(FunctionContext& context, const SyntaxNode& node) {
  std::optional<Flow>& next = context.loops.back().at_continue;
  next = next ? Flow::join(*next, context.flow, {}, {}) : context.flow;
  context.flow.stop({"the next iteration begins here", place(context, node)});
  add_statement(context, {StatementKind::kContinue, place(context, node), 0, {}, {}, {}, {}, {}});
}

void global_statement(FunctionContext& context, const SyntaxNode& node) {
  const bool is_global = node.kind == SyntaxKind::kGlobal;
  error(context, node,
        format("a kernel cannot change the {} '{}'", is_global ? "global" : "outer", node.text),
        "return the value as one more result");
}

// For a division guarded by ZeroDivisionError the hint is an equivalent test.
void try_statement(FunctionContext& context, const SyntaxNode& node) {
  std::string hint;
  const SyntaxNode* body = node.child("body");
  const SyntaxNode* handler = node.child("handlers");
  const SyntaxNode* instead = handler ? handler->child("body") : nullptr;
  const bool are_assignments =
      instead && body->kind == SyntaxKind::kAssign && instead->kind == SyntaxKind::kAssign &&
      text(context, *body->child("targets")) == text(context, *instead->child("targets"));
  if (are_assignments) {
    const SyntaxNode& value = *body->child("value");
    const bool divides = value.op == SyntaxKind::kDiv || value.op == SyntaxKind::kFloorDiv ||
                         value.op == SyntaxKind::kMod;
    if (value.kind == SyntaxKind::kBinOp && divides) {
      hint =
          format("test first: {} = {} if {} != 0 else {}", text(context, *body->child("targets")),
                 text(context, value), inner_text(context, *value.child("right")),
                 text(context, *instead->child("value")));
    }
  }
  error(context, keyword_place(context, node, "try"), "'try' cannot be used in a kernel", hint);
  mark_names_as_errors(context, node);
}

void unusable_statement(FunctionContext& context, const SyntaxNode& node) {
  if (node.kind == SyntaxKind::kTry) return try_statement(context, node);
  if (node.kind == SyntaxKind::kWith) {
    const bool is_errstate =
        text(context, first_line_place(context, node)).find("errstate") != std::string::npos;
    error(context, keyword_place(context, node, "with"), "'with' cannot be used in a kernel",
          is_errstate ? "put 'with np.errstate(...)' around the call of " + shown_function(context)
                      : "");
    return mark_names_as_errors(context, node);
  }
  if (node.kind == SyntaxKind::kFunctionDef || node.kind == SyntaxKind::kAsyncFunctionDef) {
    error(context, first_line_place(context, node),
          format("'{}' has several values, a decorator or 'async'", node.text),
          "a function in a kernel is a plain 'def' with a name of its own");
    return;
  }
  for (const UnusableStatement& row : kUnusableStatements) {
    if (row.kind != node.kind) continue;
    error(context,
          row.shows_whole ? place(context, node) : keyword_place(context, node, row.keyword),
          format("'{}' cannot be used in a kernel", row.keyword), std::string(row.hint));
    return mark_names_as_errors(context, node);
  }
  error(context, first_line_place(context, node), "this statement cannot be used in a kernel");
  mark_names_as_errors(context, node);
}

void statement(FunctionContext& context, const SyntaxNode& node) {
  const OpenNode open(context.kernel);
  context.statement.orders_loads = has_effect_inside(context, node);
  switch (node.kind) {
    case SyntaxKind::kAssign:
      return assign_statement(context, node);
    case SyntaxKind::kAugAssign:
      return augmented_assignment(context, node);
    case SyntaxKind::kAnnAssign:
      return annotated_assignment(context, node);
    case SyntaxKind::kReturn:
      return return_statement(context, node);
    case SyntaxKind::kIf:
      return if_statement(context, node);
    case SyntaxKind::kWhile:
      return while_statement(context, node);
    case SyntaxKind::kFor:
      return for_statement(context, node);
    case SyntaxKind::kBreak:
      return break_statement(context, node);
    case SyntaxKind::kContinue:
      return continue_statement(context, node);
    case SyntaxKind::kExpr:
      return expression_statement(context, node);
    case SyntaxKind::kRaise:
      return raise_statement(context, node);
    case SyntaxKind::kAssert:
      return assert_statement(context, node);
    case SyntaxKind::kGlobal:
    case SyntaxKind::kNonlocal:
      return global_statement(context, node);
    case SyntaxKind::kPass:
      return;
    default:
      return unusable_statement(context, node);
  }
}

}  // namespace

std::vector<Statement> block(FunctionContext& context, const std::vector<SyntaxNode>& statements) {
  std::vector<Statement> result;
  std::vector<Statement>* const outer = std::exchange(context.block, &result);
  for (const SyntaxNode& node : statements) {
    if (!context.flow.is_reachable()) {
      const PathEnd& end = *context.flow.end();
      if (end.what.empty()) break;
      warn(context, first_line_place(context, node), "this line is never reached", "",
           {{end.what, end.place}});
      break;
    }
    statement(context, node);
  }
  context.block = outer;
  return result;
}

void mark_names_as_errors(FunctionContext& context, const SyntaxNode& node) {
  for (const int variable : assigned_in(context, {node})) {
    context.flow.assign(variable);
    context.scope.variable(variable).has_error = true;
  }
  context.results.has_error = true;
}

}  // namespace numpy_plugin::declare
