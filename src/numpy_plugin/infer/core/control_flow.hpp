// Flow facts at one point of a function: which variables have a value there, and if not, why; and
// which are None.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "numpy_plugin/diagnostics/diagnostic.hpp"

namespace numpy_plugin::declare {

// Why a variable may have no value: the deciding condition or range.
struct Reason {
  enum class Kind { kOnlyWhenTrue, kOnlyWhenFalse, kZeroTrips };
  Kind kind = Kind::kOnlyWhenTrue;
  SourceSpan place;
};

// The statement that makes the following ones unreachable.
struct PathEnd {
  std::string what;  // "the function returns here"; empty where the rest is left out on purpose
  SourceSpan place;
};

class Flow {
 public:
  explicit Flow(std::size_t n_variables)
      : assigned_(n_variables),
        perhaps_(n_variables),
        none_(n_variables),
        perhaps_none_(n_variables) {}

  bool is_reachable() const { return !end_; }
  const std::optional<PathEnd>& end() const { return end_; }
  void stop(PathEnd end) { end_ = std::move(end); }

  bool is_assigned(int variable) const { return assigned_[static_cast<std::size_t>(variable)]; }
  bool is_perhaps_assigned(int variable) const {
    return perhaps_[static_cast<std::size_t>(variable)];
  }
  const Reason* reason(int variable) const;
  bool is_none(int variable) const { return none_[static_cast<std::size_t>(variable)]; }
  bool is_perhaps_none(int variable) const {
    return perhaps_none_[static_cast<std::size_t>(variable)];
  }

  void assign(int variable);
  void assign_none(int variable);
  // After a test that a variable is not None, and where the test no longer counts.
  void exclude_none(int variable) { perhaps_none_[static_cast<std::size_t>(variable)] = false; }
  void allow_none(int variable) { perhaps_none_[static_cast<std::size_t>(variable)] = true; }
  void assign_perhaps(int variable) {
    perhaps_[static_cast<std::size_t>(variable)] = true;
    none_[static_cast<std::size_t>(variable)] = false;
  }

  // Merges two paths. A variable assigned by only one of them gets a reason.
  static Flow join(const Flow& first, const Flow& second, const Reason& only_in_first,
                   const Reason& only_in_second);

 private:
  std::vector<bool> assigned_;
  std::vector<bool> perhaps_;
  std::vector<bool> none_;
  std::vector<bool> perhaps_none_;
  std::map<int, Reason> reasons_;
  std::optional<PathEnd> end_;
};

}  // namespace numpy_plugin::declare
