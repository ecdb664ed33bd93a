// Which assignments of a name belong to one variable: those that a common use may read. A name that
// is given to another value, in `t = int(t)`, is another variable from then on.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "numpy_plugin/syntax/syntax.hpp"

namespace numpy_plugin::declare {
namespace {

// By name, the assignments that may have given it its value; nullopt where no path leads.
using Reaching = std::map<std::string, std::set<int>>;
using Paths = std::optional<Reaching>;

void join(Paths& paths, const Paths& others) {
  if (!others) return;
  if (!paths) paths.emplace();
  for (const auto& [name, assignments] : *others) {
    (*paths)[name].insert(assignments.begin(), assignments.end());
  }
}

bool has_own_names(SyntaxKind kind) {
  return kind == SyntaxKind::kGeneratorExp || kind == SyntaxKind::kListComp ||
         kind == SyntaxKind::kSetComp || kind == SyntaxKind::kDictComp;
}

// Names in these have their values at other times than the path to them tells.
bool is_outside_of_paths(SyntaxKind kind) {
  return kind == SyntaxKind::kLambda || kind == SyntaxKind::kFunctionDef ||
         kind == SyntaxKind::kNamedExpr || kind == SyntaxKind::kTry || kind == SyntaxKind::kWith ||
         kind == SyntaxKind::kGlobal || kind == SyntaxKind::kNonlocal;
}

class Versions {
 public:
  explicit Versions(FunctionSyntax& function) {
    paths_.emplace();
    for (const SyntaxNode& parameter : function.parameters) {
      (*paths_)[parameter.text] = {add(parameter.text)};
    }
    visit_statements(function.body);
  }

  void write() {
    std::map<std::string, std::vector<int>> roots;
    const auto version_of = [&](const std::string& name, int assignment) {
      std::vector<int>& known = roots[name];
      const auto found = std::find(known.begin(), known.end(), root(assignment));
      const auto version = static_cast<int>(found - known.begin());
      if (found == known.end()) known.push_back(root(assignment));
      return version;
    };
    for (std::size_t i = 0; i < names_.size(); ++i) version_of(names_[i], static_cast<int>(i));
    for (const auto& [node, assignment] : assignment_of_) {
      if (!kept_.contains(node->text)) node->version = version_of(node->text, assignment);
    }
  }

 private:
  struct Loop {
    Paths at_break;
    Paths at_continue;
  };

  int add(const std::string& name) {
    names_.push_back(name);
    parents_.push_back(static_cast<int>(parents_.size()));
    return parents_.back();
  }

  int root(int assignment) const {
    while (parents_[static_cast<std::size_t>(assignment)] != assignment) {
      assignment = parents_[static_cast<std::size_t>(assignment)];
    }
    return assignment;
  }

  // The first assignment of a variable stands for it.
  void unite(int left, int right) {
    const auto [first, second] = std::minmax({root(left), root(right)});
    parents_[static_cast<std::size_t>(second)] = first;
  }

  void keep_names(const SyntaxNode& node) {
    kept_.insert(node.text);
    for (const auto& [field, children] : node.fields) {
      for (const SyntaxNode& child : children) keep_names(child);
    }
  }

  void read(SyntaxNode& name) {
    if (!paths_) return;
    const auto found = paths_->find(name.text);
    if (found == paths_->end()) return;
    for (const int assignment : found->second) unite(*found->second.begin(), assignment);
    assignment_of_[&name] = *found->second.begin();
  }

  void assign(SyntaxNode& name) {
    auto found = assignment_of_.find(&name);
    if (found == assignment_of_.end()) found = assignment_of_.emplace(&name, add(name.text)).first;
    if (paths_) (*paths_)[name.text] = {found->second};
  }

  void visit_children(SyntaxNode& node) {
    for (auto& [field, children] : node.fields) {
      for (SyntaxNode& child : children) visit(child);
    }
  }

  void visit(SyntaxNode& node) {
    if (node.kind == SyntaxKind::kName) return read(node);
    if (is_outside_of_paths(node.kind)) return keep_names(node);
    if (has_own_names(node.kind)) {
      for (const SyntaxNode& part : node.children("generators")) keep_names(*part.child("target"));
    }
    visit_children(node);
  }

  std::vector<SyntaxNode>& field(SyntaxNode& node, std::string_view name) {
    const auto found = std::find_if(node.fields.begin(), node.fields.end(),
                                    [name](const auto& each) { return each.first == name; });
    return found == node.fields.end() ? nothing_ : found->second;
  }

  void visit_field(SyntaxNode& node, std::string_view name) {
    for (SyntaxNode& child : field(node, name)) visit(child);
  }

  void visit_target(SyntaxNode& node) {
    if (node.kind == SyntaxKind::kName) return assign(node);
    if (node.kind != SyntaxKind::kTuple && node.kind != SyntaxKind::kList &&
        node.kind != SyntaxKind::kStarred) {
      return visit(node);
    }
    for (auto& [name, children] : node.fields) {
      for (SyntaxNode& child : children) visit_target(child);
    }
  }

  void visit_statements(std::vector<SyntaxNode>& statements) {
    for (SyntaxNode& statement : statements) visit_statement(statement);
  }

  void visit_statement(SyntaxNode& node) {
    switch (node.kind) {
      case SyntaxKind::kAssign:
        visit_field(node, "value");
        for (SyntaxNode& target : field(node, "targets")) visit_target(target);
        return;
      case SyntaxKind::kAnnAssign:
        visit_field(node, "value");
        return visit_target(field(node, "target").front());
      case SyntaxKind::kAugAssign:
        return visit_update(node);
      case SyntaxKind::kIf:
        return visit_branches(node);
      case SyntaxKind::kFor:
        visit_field(node, "iter");
        return visit_loop(node);
      case SyntaxKind::kWhile:
        return visit_loop(node);
      case SyntaxKind::kBreak:
      case SyntaxKind::kContinue:
        return leave_trip(node.kind == SyntaxKind::kBreak);
      default:
        visit(node);
        if (node.kind == SyntaxKind::kReturn || node.kind == SyntaxKind::kRaise) paths_.reset();
    }
  }

  // `x += 1` changes the variable that it reads.
  void visit_update(SyntaxNode& node) {
    SyntaxNode& target = field(node, "target").front();
    visit_field(node, "value");
    if (target.kind != SyntaxKind::kName) return visit_target(target);
    const std::set<int> before = paths_ ? (*paths_)[target.text] : std::set<int>();
    assign(target);
    for (const int assignment : before) unite(assignment_of_[&target], assignment);
  }

  void visit_branches(SyntaxNode& node) {
    visit_field(node, "test");
    const Paths before = paths_;
    visit_statements(field(node, "body"));
    const Paths after_body = std::exchange(paths_, before);
    visit_statements(field(node, "orelse"));
    join(paths_, after_body);
  }

  void leave_trip(bool is_break) {
    if (!loops_.empty()) {
      Loop& loop = *loops_.back();
      join(is_break ? loop.at_break : loop.at_continue, paths_);
    }
    paths_.reset();
  }

  // Repeated until no trip adds an assignment that reaches the next one.
  void visit_loop(SyntaxNode& node) {
    Loop loop;
    loops_.push_back(&loop);
    Paths after_trips;
    for (Paths before = paths_;;) {
      paths_ = before;
      visit_field(node, "test");
      after_trips = paths_;
      for (SyntaxNode& target : field(node, "target")) visit_target(target);
      visit_statements(field(node, "body"));
      join(paths_, loop.at_continue);
      Paths next = before;
      join(next, paths_);
      if (next == before) break;
      before = std::move(next);
    }
    loops_.pop_back();
    paths_ = std::move(after_trips);
    visit_statements(field(node, "orelse"));
    join(paths_, loop.at_break);
  }

  std::vector<std::string> names_;  // by assignment
  std::vector<int> parents_;        // by assignment: another of the same variable, or itself
  std::map<SyntaxNode*, int> assignment_of_;
  std::set<std::string> kept_;  // names that have one variable
  Paths paths_;
  std::vector<Loop*> loops_;
  std::vector<SyntaxNode> nothing_;
};

}  // namespace

void number_versions(FunctionSyntax& function) { Versions(function).write(); }

}  // namespace numpy_plugin::declare
