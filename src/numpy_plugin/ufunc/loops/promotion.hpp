// Ufuncs declared without signatures: a promoter answers for all types of operands, with a loop
// compiled for them.
#pragma once

#include "numpy_plugin/ufunc/api/numpy_api.hpp"

namespace numpy_plugin::ufunc {

// Registers the promoter. The contract NumPy has with it, as seen with 2.2 to 2.4:
//  - it is called again for each combination of operands that leads to the same loop;
//  - it must not ask for this ufunc's own type resolution;
//  - plain Python numbers arrive as abstract DTypes, which promotion with the others makes
//  concrete;
//  - where `signature` names a DType, that one must be returned;
//  - an answer that is the question is taken for none, even where its loop is new: a loop that was
//  asked for by all its DTypes is answered by its inputs' alone;
//  - reduce, accumulate and reduceat ask with (nothing, array, nothing), with dtype= and for "add"
//  and "multiply" of small integers with (dtype, array, dtype), with out= as a call does;
//  - an exception set by it surfaces unchanged, and is not remembered by NumPy.
void add_promoter(const nanobind::object& ufunc);

}  // namespace numpy_plugin::ufunc
