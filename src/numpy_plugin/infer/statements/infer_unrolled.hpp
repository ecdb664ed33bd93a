// `for` over a tuple, or several iterables with a tuple among them: the body is typed and compiled
// once per item, because items have types of their own.
#pragma once

#include "numpy_plugin/infer/statements/iterables.hpp"

namespace numpy_plugin::declare {

void unrolled_loop(FunctionContext& context, const SyntaxNode& node, const Iterable& iterable);

}  // namespace numpy_plugin::declare
