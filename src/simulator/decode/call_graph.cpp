// A pass over the operands of all functions, and a traversal of the resulting graph.
#include "simulator/decode/shared_layout.hpp"

#include <algorithm>

namespace numpy_plugin::sim {
namespace {

template <typename T>
void remove_repetitions(std::vector<T>& items) {
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

bool calls_pointer(const Statement& statement) {
  if (!statement.mnemonic.starts_with("call")) return false;
  return std::any_of(
      statement.operands.begin(), statement.operands.end(),
      [](const Operand& operand) { return operand.kind == Operand::Kind::kRegister; });
}

}  // namespace

CallGraph::CallGraph(const SymbolTable& symbols) : uses_(symbols.functions().size()) {
  for (const Symbol* symbol : symbols.functions()) collect(*symbol, symbols);
  for (const Symbol* symbol : symbols.variables()) {
    for (const Initializer& initializer : symbol->variable->initializers) {
      const Symbol* target =
          initializer.symbol.empty() ? nullptr : symbols.find(symbol->module, initializer.symbol);
      if (target != nullptr && target->function != nullptr) pointed_at_.push_back(target->index);
    }
  }
  remove_repetitions(pointed_at_);
}

void CallGraph::collect(const Symbol& symbol, const SymbolTable& symbols) {
  Uses& uses = uses_[symbol.index];
  for (const Variable& variable : symbol.function->variables) {
    if (variable.space == Space::kShared) uses.shared_variables.push_back(&variable);
  }
  for (const Statement& statement : symbol.function->statements) {
    uses.calls_pointers |= calls_pointer(statement);
    for (const Operand& operand : statement.operands) collect(operand, symbol, symbols);
  }
  remove_repetitions(uses.functions);
  remove_repetitions(uses.shared_variables);
}

void CallGraph::collect(const Operand& operand, const Symbol& symbol, const SymbolTable& symbols) {
  for (const Operand& part : operand.parts) collect(part, symbol, symbols);
  if (operand.kind != Operand::Kind::kSymbol) return;
  const Symbol* used = symbols.find(symbol.module, operand.name);
  if (used == nullptr) return;
  Uses& uses = uses_[symbol.index];
  if (used->function != nullptr)
    uses.functions.push_back(used->index);
  else if (used->variable->space == Space::kShared)
    uses.shared_variables.push_back(used->variable);
}

std::vector<std::uint32_t> CallGraph::reachable(std::uint32_t function) const {
  std::vector<bool> is_found(uses_.size());
  std::vector<std::uint32_t> found = {function};
  is_found[function] = true;
  const auto follow = [&](const std::vector<std::uint32_t>& callees) {
    for (const std::uint32_t callee : callees) {
      if (!is_found[callee]) found.push_back(callee);
      is_found[callee] = true;
    }
  };
  bool follows_pointers = false;
  for (std::size_t next = 0; next < found.size(); ++next) {
    const Uses& uses = uses_[found[next]];
    follow(uses.functions);
    if (uses.calls_pointers && !follows_pointers) follow(pointed_at_);
    follows_pointers |= uses.calls_pointers;
  }
  return found;
}

}  // namespace numpy_plugin::sim
