#include "numpy_plugin/declaration/declaration.hpp"

#include <set>

namespace numpy_plugin::declare {
namespace {

// Adds the array of `a[i] = ...` or `a[i][j] = ...`, and those in a tuple of targets.
void add_target(const SyntaxNode& target, std::set<std::string>& names) {
  for (const SyntaxNode& item : target.children("elts")) add_target(item, names);
  if (target.kind == SyntaxKind::kStarred) add_target(*target.child("value"), names);
  if (target.kind != SyntaxKind::kSubscript) return;
  const SyntaxNode* array = &target;
  while (array->kind == SyntaxKind::kSubscript) array = array->child("value");
  if (array->kind == SyntaxKind::kName) names.insert(array->text);
}

void add_targets(const std::vector<SyntaxNode>& statements, std::set<std::string>& names) {
  for (const SyntaxNode& statement : statements) {
    for (const char* field : {"targets", "target"}) {
      for (const SyntaxNode& target : statement.children(field)) add_target(target, names);
    }
    for (const char* block : {"body", "orelse"}) add_targets(statement.children(block), names);
  }
}

}  // namespace

std::vector<std::string> written_arguments(const FunctionSyntax& function) {
  std::set<std::string> names;
  add_targets(function.body, names);
  std::vector<std::string> written;
  for (const SyntaxNode& parameter : function.parameters) {
    if (names.contains(parameter.text)) written.push_back(parameter.text);
  }
  return written;
}

}  // namespace numpy_plugin::declare
