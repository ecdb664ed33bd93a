// Arguments of reduce, accumulate and reduceat, changed where NumPy would not find the loop whose
// output dtype equals its first input's.
#pragma once

#include <vector>

#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"

namespace numpy_plugin::ufunc {

enum class Reduction { kReduce, kAccumulate, kReduceAt };

// Borrowed references; null where not given or None.
struct GivenReduction {
  PyObject* array = nullptr;
  PyObject* dtype = nullptr;
  PyObject* out = nullptr;
};

GivenReduction read_reduction(Reduction method, const GivenArguments& given);

// Whether arguments of a ufunc's reductions may have to be changed.
bool changes_reductions(const UfuncState& state);

// Likewise of its reductions of one NumPy array without dtype=.
bool changes_reductions_of(const UfuncState& state, PyObject* array);

// Changes reductions
//  - of lazy ufuncs in another dtype than the array's, by dtype=, out= or the name: NumPy resolves
//    a loop for (dtype, array) as a call does, and takes one of two dtypes that a call compiled.
//    The array is cast beforehand;
//  - of declared ufuncs called "add" and "multiply": NumPy reduces small integers in int64 even
//    where the ufunc has no such loop. They get the dtype= of the loop that a call uses.
class ReductionArguments {
 public:
  ReductionArguments(PyObject* ufunc, Reduction method, const GivenArguments& given);
  GivenArguments given() const { return {values_.data(), n_positional_, names_.ptr()}; }

 private:
  void replace(std::size_t position, const char* name, nanobind::object value);

  std::vector<PyObject*> values_;
  std::size_t n_positional_;
  nanobind::object names_;
  std::vector<nanobind::object> owned_;
};

}  // namespace numpy_plugin::ufunc
