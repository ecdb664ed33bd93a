// The expression after `in`: range, enumerate, zip and reversed, and the values they take.
#pragma once

#include <optional>
#include <vector>

#include "numpy_plugin/infer/loops/iterables.hpp"

namespace numpy_plugin::declare {

// The numbers of ranges as they are written; arrays and tuples are settled.
std::optional<Iterable> called_iterable(FunctionContext& context, const SyntaxNode& node,
                                        const std::vector<int>& changed);

}  // namespace numpy_plugin::declare
