// Ufuncs declared without signatures: a promoter accepts operands of any type, with a loop compiled
// for them.
#pragma once

#include "numpy_plugin/ufunc/api/numpy_api.hpp"

namespace numpy_plugin::ufunc {

// Registers the promoter. NumPy's undocumented contract, observed with 2.2 to 2.4:
//  - it is called again for each combination of operands that leads to the same loop;
//  - it must not trigger this ufunc's own type resolution;
//  - plain Python numbers arrive as abstract DTypes, which promotion with the others makes
//    concrete;
//  - where `signature` names a DType, that one must be returned;
//  - an answer equal to the query counts as no answer, even where its loop is new: a query that
//    names all DTypes of a loop is answered by those of its inputs alone;
//  - reduce, accumulate and reduceat query (nothing, array, nothing); with dtype=, and for "add"
//    and "multiply" of small integers, (dtype, array, dtype); with out= the same as a call;
//  - an exception set by it propagates unchanged and is not cached by NumPy.
void add_promoter(const nanobind::object& ufunc);

// While one exists, the loops that this thread's queries lead to get no code for the CPU: for
// device calls, which compile the kernel themselves.
class TypesOnly {
 public:
  TypesOnly();
  ~TypesOnly();
  TypesOnly(const TypesOnly&) = delete;
  TypesOnly& operator=(const TypesOnly&) = delete;

  // Whether one exists in this thread.
  static bool is_active();
};

}  // namespace numpy_plugin::ufunc
