// The expression after `in`: range, enumerate, zip and reversed, and the values they take.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "numpy_plugin/infer/statements/iterables.hpp"

namespace numpy_plugin::declare {

// The range of a call of `range`, or of another function with its arguments and some keywords;
// nullopt after an error.
std::optional<Iterable> counted_range(FunctionContext& context, const std::string& name,
                                      const SyntaxNode& node,
                                      const std::vector<std::string>& keywords = {});

// The numbers of ranges as they are written; arrays and tuples are settled.
std::optional<Iterable> called_iterable(FunctionContext& context, const SyntaxNode& node,
                                        const std::vector<int>& changed);

}  // namespace numpy_plugin::declare
