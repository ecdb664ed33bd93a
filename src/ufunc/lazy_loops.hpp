// Ufuncs declared without signatures: a promoter compiles for the types of a call and adds the
// loop.
#pragma once

#include "numpy_plugin/ufunc/numpy_api.hpp"

namespace numpy_plugin::ufunc {

// Registers the promoter that answers for all operand types. The contract NumPy has with a
// promoter, as seen with 2.2 to 2.4:
//  - it is called again for each combination of operands that leads to the same loop;
//  - it must not ask for this ufunc's own type resolution;
//  - plain Python numbers arrive as abstract DTypes, which promotion with the others makes
//  concrete;
//  - where `signature` names a DType, that one must be returned;
//  - an exception set by it surfaces unchanged, and is not remembered by NumPy.
void add_promoter(const nanobind::object& ufunc);

}  // namespace numpy_plugin::ufunc
