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

// Whether a `while` counts by one towards a bound that stays: it ends, as a `for` does.
bool counts_to_bound(const declare::Statement& loop);

}  // namespace numpy_plugin::analysis
