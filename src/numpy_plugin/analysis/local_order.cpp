#include "numpy_plugin/analysis/generalized_kernel.hpp"

#include <algorithm>
#include <utility>

#include "numpy_plugin/analysis/tree.hpp"

namespace numpy_plugin::analysis {
namespace {

using declare::Expression;
using declare::Statement;
using declare::StatementKind;

void renumber(Expression& expression, const std::vector<int>& places) {
  if (const auto local = declare::named_local(expression)) {
    declare::rename_local(expression, places[static_cast<std::size_t>(*local)]);
  }
  for (Expression& operand : expression.operands) renumber(operand, places);
}

void renumber(Block& block, const std::vector<int>& places) {
  for (Statement& each : block) {
    const bool names_local = each.kind == StatementKind::kAssign ||
                             each.kind == StatementKind::kStore ||
                             each.kind == StatementKind::kForRange;
    if (names_local) each.local = places[static_cast<std::size_t>(each.local)];
    if (each.value) renumber(*each.value, places);
    for (Expression& index : each.indices) renumber(index, places);
    for (Expression& bound : each.range) renumber(bound, places);
    renumber(each.body, places);
    renumber(each.orelse, places);
  }
}

}  // namespace

void put_first(declare::Function& function, std::vector<int> order) {
  for (int local = 0; local < static_cast<int>(function.locals.size()); ++local)
    if (std::find(order.begin(), order.end(), local) == order.end()) order.push_back(local);
  std::vector<int> places(order.size());
  std::vector<declare::Local> locals;
  for (std::size_t i = 0; i < order.size(); ++i) {
    places[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
    locals.push_back(function.locals[static_cast<std::size_t>(order[i])]);
  }
  function.locals = std::move(locals);
  renumber(function.body, places);
}

}  // namespace numpy_plugin::analysis
