// Definite assignment: the merge of two paths.
#include "numpy_plugin/infer/core/control_flow.hpp"

namespace numpy_plugin::declare {

const Reason* Flow::reason(int variable) const {
  const auto found = reasons_.find(variable);
  return found == reasons_.end() ? nullptr : &found->second;
}

void Flow::assign(int variable) {
  assigned_[static_cast<std::size_t>(variable)] = true;
  perhaps_[static_cast<std::size_t>(variable)] = true;
  none_[static_cast<std::size_t>(variable)] = false;
  perhaps_none_[static_cast<std::size_t>(variable)] = false;
  reasons_.erase(variable);
}

void Flow::assign_none(int variable) {
  assign(variable);
  none_[static_cast<std::size_t>(variable)] = true;
  perhaps_none_[static_cast<std::size_t>(variable)] = true;
}

Flow Flow::join(const Flow& first, const Flow& second, const Reason& only_in_first,
                const Reason& only_in_second) {
  if (!first.is_reachable()) return second;
  if (!second.is_reachable()) return first;
  Flow result = first;
  for (const auto& [variable, reason] : second.reasons_) result.reasons_.emplace(variable, reason);
  for (std::size_t i = 0; i < first.assigned_.size(); ++i) {
    const int variable = static_cast<int>(i);
    result.assigned_[i] = first.assigned_[i] && second.assigned_[i];
    result.perhaps_[i] = first.perhaps_[i] || second.perhaps_[i];
    result.none_[i] = first.none_[i] && second.none_[i];
    result.perhaps_none_[i] = first.perhaps_none_[i] || second.perhaps_none_[i];
    if (result.assigned_[i]) result.reasons_.erase(variable);
    if (first.assigned_[i] && !second.assigned_[i]) {
      result.reasons_.emplace(variable, only_in_first);
    }
    if (!first.assigned_[i] && second.assigned_[i]) {
      result.reasons_.emplace(variable, only_in_second);
    }
  }
  return result;
}

}  // namespace numpy_plugin::declare
