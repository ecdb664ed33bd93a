// What stores to whole arrays and to selected elements share.
#pragma once

#include "numpy_plugin/infer/arrays/element_loop.hpp"
#include "numpy_plugin/infer/statements/infer_statements.hpp"

namespace numpy_plugin::declare {

bool is_augmented(const SyntaxNode& statement);
// The only target; null where there are several.
const SyntaxNode* only_target(const SyntaxNode& statement);

// The array, or the part of one, that is written; unknown after an error.
Value stored_array(FunctionContext& context, const SyntaxNode& target);
// An array in a local, or its copy where a store to the target may change what it reads; unknown
// after an error.
Value read_before(FunctionContext& context, const Value& target, const Value& read);
// Whether a value has no more dimensions than the loop's first source, which is stored to.
bool check_dimensions(FunctionContext& context, const ElementLoop& loop, const SyntaxNode& value);
// As NumPy does, copies what the loop would overwrite before it is read.
bool copy_overlaps(FunctionContext& context, ElementLoop& loop);
// Stores the elements of the statement's value, whose arrays `loop` has.
void store_values(FunctionContext& context, const SyntaxNode& statement, Value array,
                  ElementLoop loop);

}  // namespace numpy_plugin::declare
