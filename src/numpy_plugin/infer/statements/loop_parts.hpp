// Parts of all loops: the body, `break`, `else`, and the variables with a value after the loop.
#pragma once

#include <optional>
#include <vector>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

// Where a loop is left without a `break`.
struct LoopEnd {
  std::optional<Flow> normal_exit;  // nullopt where it never is
  SourceSpan decides;               // the condition, or what is iterated over
  PathEnd never;                    // why it never is
  std::optional<int> break_flag;    // a local: whether a `break` left the loop
};

// Variables assigned by statements, those in their blocks included.
std::vector<int> assigned_in(const FunctionContext& context,
                             const std::vector<SyntaxNode>& statements);
// Variables that each trip of a loop may change.
std::vector<int> changed_by(const FunctionContext& context, const SyntaxNode& loop);
std::vector<Statement> loop_body(FunctionContext& context, const SyntaxNode& node, LoopExits& loop);
// Where an `else` block must know about breaks: adds a flag before the loop, which they set.
std::optional<int> mark_breaks(FunctionContext& context, const SyntaxNode& node,
                               const LoopExits& loop, std::vector<Statement>& body);
// Adds the loop's statements and its `else` block.
void end_loop(FunctionContext& context, const SyntaxNode& node, std::vector<Statement> statements,
              const LoopExits& loop, const LoopEnd& end);

}  // namespace numpy_plugin::declare
