// Access to the children of a syntax node by the names Python gives their fields.
#include "numpy_plugin/declare/syntax.hpp"

#include <string_view>

namespace numpy_plugin::declare {

const std::vector<SyntaxNode>& SyntaxNode::children(std::string_view field) const {
  static const std::vector<SyntaxNode> kNone;
  for (const auto& [name, nodes] : fields) {
    if (name == field) return nodes;
  }
  return kNone;
}

const SyntaxNode* SyntaxNode::child(std::string_view field) const {
  const std::vector<SyntaxNode>& nodes = children(field);
  return nodes.empty() ? nullptr : &nodes.front();
}

}  // namespace numpy_plugin::declare
