// Regardless of the order of statements, a local holds the arrays of every local that is assigned
// to it. Only locals with uses outside of the innermost loop keep an array from trip to trip: all
// others are assigned anew before they are read.
#include "numpy_plugin/analysis/scratch/scratch_sizes.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace numpy_plugin::analysis {
namespace {

using declare::Expression;
using declare::ExpressionKind;
using declare::Statement;
using declare::StatementKind;
using declare::ValueType;

bool is_site(const Statement& statement) {
  return statement.kind == StatementKind::kAssign &&
         statement.value->kind == ExpressionKind::kScratchArray;
}

bool holds_array(const ValueType& type) {
  return type.kind == ValueType::Kind::kArray ||
         std::any_of(type.items.begin(), type.items.end(), holds_array);
}

void add_arrays(const ValueType& type, HeldArray array, std::vector<HeldArray>& arrays) {
  if (type.kind == ValueType::Kind::kArray) arrays.push_back(array);
  for (std::size_t item = 0; item < type.items.size(); ++item) {
    HeldArray inner = array;
    inner.items.push_back(static_cast<int>(item));
    add_arrays(type.items[item], std::move(inner), arrays);
  }
}

int count_mentions(const Block& block, int local) {
  int n_mentions = 0;
  visit_expressions(block, [&](const Expression& expression) {
    n_mentions += declare::named_local(expression) == local;
  });
  visit_statements(block, [&](const Statement& statement) {
    const bool names_local = statement.kind == StatementKind::kAssign ||
                             statement.kind == StatementKind::kStore ||
                             statement.kind == StatementKind::kForRange;
    n_mentions += names_local && statement.local == local;
  });
  return n_mentions;
}

class SiteSearch {
 public:
  explicit SiteSearch(const declare::Function& function) : function_(function) {}

  std::vector<ScratchSite> run() {
    search(function_.body, nullptr);
    if (!sites_.empty()) find_holders();
    for (std::size_t i = 0; i < sites_.size(); ++i) {
      if (sites_[i].is_in_loop) find_held(sites_[i], *loops_[i]);
    }
    return std::move(sites_);
  }

 private:
  using Sites = std::set<const Statement*>;

  void search(const Block& block, const Statement* loop) {
    for (const Statement& each : block) {
      if (is_site(each)) {
        sites_.push_back({&each, loop != nullptr, {}});
        loops_.push_back(loop);
      }
      const Statement* const inner = is_loop(each) ? &each : loop;
      search(each.body, inner);
      search(each.orelse, inner);
    }
  }

  void find_holders() {
    std::size_t n_before = 0;
    do {
      n_before = n_holdings_;
      visit_statements(function_.body, [&](const Statement& each) {
        if (each.kind != StatementKind::kAssign || !holds_array(each.value->type)) return;
        if (is_site(each)) hold(each.local, {&each});
        visit_expressions({each}, [&](const Expression& part) {
          const auto source = declare::read_local(part);
          if (source && *source != each.local) hold(each.local, Sites(holders_[*source]));
        });
      });
    } while (n_holdings_ != n_before);
  }

  void hold(int local, const Sites& sites) {
    Sites& held = holders_[local];
    n_holdings_ -= held.size();
    held.insert(sites.begin(), sites.end());
    n_holdings_ += held.size();
  }

  void find_held(ScratchSite& site, const Statement& loop) {
    for (const auto& [local, sites] : holders_) {
      if (local == site.statement->local || !sites.contains(site.statement)) continue;
      if (count_mentions(function_.body, local) == count_mentions(loop.body, local)) continue;
      add_arrays(function_.locals[static_cast<std::size_t>(local)].type, {local, {}}, site.held);
    }
  }

  const declare::Function& function_;
  std::vector<ScratchSite> sites_;
  std::vector<const Statement*> loops_;  // the innermost one around each site
  std::map<int, Sites> holders_;         // sites of the arrays in each local
  std::size_t n_holdings_ = 0;
};

}  // namespace

std::vector<ScratchSite> find_scratch_sites(const declare::Function& function) {
  return SiteSearch(function).run();
}

}  // namespace numpy_plugin::analysis
