// Loops that no host compiler vectorizes: comparisons in them need no form for vectors.
#pragma once

#include "numpy_plugin/analysis/tree.hpp"

namespace numpy_plugin::analysis {

// Whether elements follow one another: the loop is left early, has loops in it, carries values
// other than sums, or reads other elements of an array that it stores to.
bool is_scalar_loop(const declare::Function& function, const declare::Statement& loop);

// Whether it is a number of float32 or float64.
bool is_number(const declare::Expression& expression);
// Whether both read one local, one element at such indices, or are one constant.
bool is_same_value(const declare::Expression& first, const declare::Expression& second);

// Whether it is a comparison of integers, or of float32 or float64 numbers, of one type; one of
// such numbers' order; Python's min or max of them.
bool is_comparison(const declare::Expression& expression);
bool is_ordering(const declare::Expression& expression);
bool is_python_extremum(const declare::Expression& expression);

// Whether `and` and `or` combine comparisons of locals and constants alone: all of them cost less
// than a branch, and compilers vectorize what has none.
bool is_plain_test(const declare::Expression& expression);

// Branches of such loops.

// Whether a condition of a scalar loop compares with a number that the branch replaces, as the
// search for an extremum does: it rarely holds.
bool is_search(const declare::Statement& conditional);
// Whether its branches give values that decide on a loop's trips, or on what is read in them, as
// those of a binary search do, and the condition is of others: processors run ahead of a branch,
// but not of a selection.
bool is_steering(const declare::Statement& conditional, const declare::Statement& loop);
// Whether its branches only give a few locals values that are there in any case, or are computed
// in no time: of those that search, where one is a number that is compared.
// None steers the loop.
bool is_selection(const declare::Statement& conditional, const declare::Statement& loop);
// Whether each of its branches stores one element, the same, with a value that can be read in any
// case.
bool is_selected_store(const declare::Statement& conditional, const declare::Statement& loop);
// Whether it is `if condition: total = total + value` of float32 or float64 numbers, with a value
// that is there in any case.
bool is_conditional_sum(const declare::Statement& conditional);

// Whether a `while` counts by one towards a bound that stays: it ends, as a `for` does.
bool counts_to_bound(const declare::Statement& loop);

}  // namespace numpy_plugin::analysis
