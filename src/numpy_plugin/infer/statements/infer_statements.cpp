// Statements: blocks, `if`, expressions that stand alone, and those a kernel has no place for.
#include <algorithm>

#include "numpy_plugin/infer/statements/infer.hpp"

namespace numpy_plugin::declare {
namespace {

struct UnusableStatement {
  SyntaxKind kind;
  std::string_view keyword;
  bool shows_whole;  // the whole statement is underlined, not its keyword
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

// A docstring, or `...` for no statement.
bool is_empty(const SyntaxNode& node) {
  const SyntaxNode* value = node.child("value");
  return value && value->kind == SyntaxKind::kConstant &&
         (value->text == "str" || value->text == "ellipsis");
}

}  // namespace

std::vector<Statement> FunctionInference::block(const std::vector<SyntaxNode>& statements) {
  std::vector<Statement> result;
  std::vector<Statement>* const outer = std::exchange(statements_, &result);
  for (const SyntaxNode& node : statements) {
    if (!flow_.is_reachable()) {
      const PathEnd& end = *flow_.end();
      warn(first_line_place(node), "this line is never reached", "", {{end.what, end.place}});
      break;
    }
    statement(node);
  }
  statements_ = outer;
  return result;
}

void FunctionInference::statement(const SyntaxNode& node) {
  const OpenNode open(kernel_);
  orders_loads_ = has_effect_inside(node);
  switch (node.kind) {
    case SyntaxKind::kAssign:
      return assign_statement(node);
    case SyntaxKind::kAugAssign:
      return augmented_assignment(node);
    case SyntaxKind::kAnnAssign:
      return annotated_assignment(node);
    case SyntaxKind::kReturn:
      return return_statement(node);
    case SyntaxKind::kIf:
      return if_statement(node);
    case SyntaxKind::kWhile:
      return while_statement(node);
    case SyntaxKind::kFor:
      return for_statement(node);
    case SyntaxKind::kBreak:
      return break_statement(node);
    case SyntaxKind::kContinue:
      return continue_statement(node);
    case SyntaxKind::kExpr:
      return expression_statement(node);
    case SyntaxKind::kRaise:
      return raise_statement(node);
    case SyntaxKind::kAssert:
      return assert_statement(node);
    case SyntaxKind::kGlobal:
    case SyntaxKind::kNonlocal:
      return global_statement(node);
    case SyntaxKind::kPass:
      return;
    default:
      return unusable_statement(node);
  }
}

void FunctionInference::expression_statement(const SyntaxNode& node) {
  if (is_empty(node)) return;
  const SyntaxNode& expression = *node.child("value");
  if (effect_statement(expression)) return;
  discarded_ = &expression;
  infer(expression);
  if (expression.kind != SyntaxKind::kCompare) return;
  const std::vector<SyntaxNode>& operators = expression.children("ops");
  const SyntaxNode& left = *expression.child("left");
  const bool is_assignable =
      operators.size() == 1 && operators.front().kind == SyntaxKind::kEq &&
      (left.kind == SyntaxKind::kName || left.kind == SyntaxKind::kSubscript);
  warn(place(expression), "this comparison is not used",
       is_assignable
           ? "did you mean " + text(left) + " = " + text(*expression.child("comparators")) + "?"
           : "");
}

void FunctionInference::if_statement(const SyntaxNode& node) {
  const SyntaxNode& test = *node.child("test");
  Statement result{StatementKind::kIf, place(node), 0, {}, {}, {}, {}, {}};
  result.value = condition(test);
  const Flow before = flow_;
  result.body = block(node.children("body"));
  const Flow after_body = std::exchange(flow_, before);
  result.orelse = block(node.children("orelse"));
  flow_ = Flow::join(after_body, flow_, {Reason::Kind::kOnlyWhenTrue, place(test)},
                     {Reason::Kind::kOnlyWhenFalse, place(test)});
  emit(std::move(result));
}

void FunctionInference::break_statement(const SyntaxNode& node) {
  std::optional<Flow>& exit = loops_.back().at_break;
  exit = exit ? Flow::join(*exit, flow_, {}, {}) : flow_;
  flow_.stop({"the loop ends here", place(node)});
  emit({StatementKind::kBreak, place(node), 0, {}, {}, {}, {}, {}});
}

void FunctionInference::continue_statement(const SyntaxNode& node) {
  std::optional<Flow>& next = loops_.back().at_continue;
  next = next ? Flow::join(*next, flow_, {}, {}) : flow_;
  flow_.stop({"the next trip begins here", place(node)});
  emit({StatementKind::kContinue, place(node), 0, {}, {}, {}, {}, {}});
}

void FunctionInference::global_statement(const SyntaxNode& node) {
  const bool is_global = node.kind == SyntaxKind::kGlobal;
  error(place(node),
        std::string("a kernel cannot change the ") + (is_global ? "global '" : "outer '") +
            node.text + "'",
        "return the value as one more result");
}

// A division guarded by ZeroDivisionError gets the test that replaces it.
void FunctionInference::try_statement(const SyntaxNode& node) {
  std::string hint;
  const SyntaxNode* body = node.child("body");
  const SyntaxNode* handler = node.child("handlers");
  const SyntaxNode* instead = handler ? handler->child("body") : nullptr;
  const bool are_assignments = instead && body->kind == SyntaxKind::kAssign &&
                               instead->kind == SyntaxKind::kAssign &&
                               text(*body->child("targets")) == text(*instead->child("targets"));
  if (are_assignments) {
    const SyntaxNode& value = *body->child("value");
    const bool divides = value.op == SyntaxKind::kDiv || value.op == SyntaxKind::kFloorDiv ||
                         value.op == SyntaxKind::kMod;
    if (value.kind == SyntaxKind::kBinOp && divides) {
      hint = "test first: " + text(*body->child("targets")) + " = " + text(value) + " if " +
             inner_text(*value.child("right")) + " != 0 else " + text(*instead->child("value"));
    }
  }
  error(keyword_place(node, "try"), "'try' cannot be used in a kernel", hint);
  give_up_names(node);
}

// What an unusable statement assigns is not spoken of again.
void FunctionInference::give_up_names(const SyntaxNode& node) {
  for (const int variable : assigned_in({node})) {
    flow_.assign(variable);
    variables_[static_cast<std::size_t>(variable)].has_error = true;
  }
  has_bad_return_ = true;
}

void FunctionInference::unusable_statement(const SyntaxNode& node) {
  if (node.kind == SyntaxKind::kTry) return try_statement(node);
  if (node.kind == SyntaxKind::kWith) {
    const bool is_errstate = text(first_line_place(node)).find("errstate") != std::string::npos;
    error(keyword_place(node, "with"), "'with' cannot be used in a kernel",
          is_errstate ? "put 'with np.errstate(...)' around the call of " + shown_function() : "");
    return give_up_names(node);
  }
  if (node.kind == SyntaxKind::kFunctionDef || node.kind == SyntaxKind::kAsyncFunctionDef) {
    error(first_line_place(node), "a function inside a kernel",
          "move " + node.text + " out and put @npp.device above it");
    return;
  }
  for (const UnusableStatement& row : kUnusableStatements) {
    if (row.kind != node.kind) continue;
    error(row.shows_whole ? place(node) : keyword_place(node, row.keyword),
          "'" + std::string(row.keyword) + "' cannot be used in a kernel", std::string(row.hint));
    return give_up_names(node);
  }
  error(first_line_place(node), "this statement cannot be used in a kernel");
  give_up_names(node);
}

}  // namespace numpy_plugin::declare
