// Statements: blocks, `if`, assignments, stores, `return`, `raise`, expression statements, and
// unsupported ones.
#pragma once

#include <optional>
#include <vector>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

std::vector<Statement> block(FunctionContext& context, const std::vector<SyntaxNode>& statements);
// Suppresses further errors about names that an invalid statement assigns.
void mark_names_as_errors(FunctionContext& context, const SyntaxNode& node);

// Assignments: names, tuples, elements of core arrays; the single type of a variable.
void assign_statement(FunctionContext& context, const SyntaxNode& node);
void annotated_assignment(FunctionContext& context, const SyntaxNode& node);
void augmented_assignment(FunctionContext& context, const SyntaxNode& node);
// A name, a tuple of targets, or part of an array.
void assign_target(FunctionContext& context, const SyntaxNode& target, Value value);
// A tuple of targets: the items of a tuple or an array, all of which are read first.
void unpack(FunctionContext& context, const SyntaxNode& target, Value value);
void assign_variable(FunctionContext& context, int variable, const SyntaxNode& target, Value value);
bool unify_variable(FunctionContext& context, int variable, const SyntaxNode& target,
                    const Value& value);

// Stores to arrays: one element, all elements of a row, a slice or an array, or fields of records.

void store(FunctionContext& context, const SyntaxNode& target, Value value);

// An element of an array, or the number in a record's field, that is read and written.
struct Element {
  Value array;  // of no dimensions for a field
  int owner;    // the local that is indexed
  std::vector<Expression> positions;
};

// Evaluates a target's array and indices; nullopt for other targets, and after an error.
std::optional<Element> target_element(FunctionContext& context, const SyntaxNode& target);
Value element_value(FunctionContext& context, const Element& element, const SyntaxNode& target);
void store(FunctionContext& context, Element element, const SyntaxNode& target, const Value& value);
// `r.x = value`, of a record; `z.real = value`, of an array.
void store_attribute(FunctionContext& context, const SyntaxNode& target, const Value& value);

// Converts a number to the array's element type; where no signature declares that type, the number
// contributes to it.
Expression stored_number(FunctionContext& context, const Value& value, int array,
                         base::DType dtype);
// Whether a store to the target may change what the source reads.
bool may_share_elements(const FunctionContext& context, const Value& target, const Value& source);

// Assignments of elementwise expressions to arrays and their parts: out[:] = a + b, out[1:] *= 2.
// They become the loop that a user would write, without temporary arrays.

// Whether an assignment, plain or augmented, stores an elementwise expression in an array.
bool is_whole_array_store(const FunctionContext& context, const SyntaxNode& statement);
void store_whole_array(FunctionContext& context, const SyntaxNode& statement);

// Whether a statement stores a number to the elements that a mask selects: out[a > 1] = 0. That is
// a loop with an `if`.
bool is_masked_store(const FunctionContext& context, const SyntaxNode& statement);
void store_masked(FunctionContext& context, const SyntaxNode& statement);

// Whether a statement stores to elements that arrays in the index select: out[order] = x,
// m[a > 1, 0] += x.
bool is_selected_store(const FunctionContext& context, const SyntaxNode& statement);
void store_selected(FunctionContext& context, const SyntaxNode& statement);

// Results: return statements, casts to declared types, and missing returns.
void return_statement(FunctionContext& context, const SyntaxNode& node);
void check_end_of_body(FunctionContext& context);
void check_outputs_written(FunctionContext& context);

// `raise` and `assert`: the exception, and the strings and values of its arguments.
void raise_statement(FunctionContext& context, const SyntaxNode& node);
void assert_statement(FunctionContext& context, const SyntaxNode& node);

}  // namespace numpy_plugin::declare
