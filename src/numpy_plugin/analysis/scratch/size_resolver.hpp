// Sizes of arrays as expressions of the sizes of a function's parameters.
#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::analysis {

// Replaces variables in sizes by their values, where these are the same in every thread. A kSlice
// in a result is the size of a slice; its operands are the dimension's size, start, stop and step.
class SizeResolver {
 public:
  explicit SizeResolver(const declare::Function& function) : function_(function) {}

  // nullopt where a size depends on elements, or on variables with several values.
  std::optional<declare::Expression> resolve(const declare::Expression& size);

 private:
  using Size = std::optional<declare::Expression>;

  Size resolve_operands(declare::Expression expression);
  Size resolve_value(int local);
  Size size_of(int array, int axis);
  Size size_of(const declare::Expression& array, int axis);
  Size size_of_view(const declare::Expression& view, int axis);
  std::vector<const declare::Expression*> values_of(int local) const;

  const declare::Function& function_;
  std::set<std::pair<int, int>> open_;  // arrays and axes whose sizes are being resolved
};

}  // namespace numpy_plugin::analysis
