// Notes on NumPy's errors about a call.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "numpy_plugin/ufunc/api/numpy_api.hpp"
#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"

namespace numpy_plugin::ufunc {

// A call, or a call of a method, that NumPy rejected for its operands' types, as its type
// resolution saw it.

enum class CalledAs { kReduce, kAccumulate, kReduceAt, kOuter, kAt, kCall };

class RefusedCall {
 public:
  // Throws NumPy's exceptions for malformed arguments.
  RefusedCall(PyObject* ufunc, const UfuncState& state, CalledAs called_as,
              const GivenArguments& given);

  CalledAs called_as() const { return called_as_; }
  bool is_reduction() const { return called_as_ <= CalledAs::kReduceAt; }
  // Whether the number of operands is complete and no input is missing: NumPy crashes when asked
  // about others.
  bool has_all_operands() const;
  std::size_t n_inputs() const { return n_inputs_; }
  std::size_t n_operands() const { return operands_.size(); }
  // Inputs, then outputs; null for outputs not given. A reduction has its array twice.
  nanobind::handle operand(std::size_t index) const { return operands_[index]; }
  // In the form f.resolve_dtypes takes: a dtype, a Python type, or None.
  nanobind::handle type(std::size_t index) const { return types_[index]; }
  // Whether any input is more than a Python number.
  bool has_arrays() const;
  // A NumPy dtype, also for Python numbers.
  nanobind::object dtype(std::size_t index) const;
  const char* name_of_types() const { return name_of_types_; }  // "dtype", "signature" or null
  nanobind::handle casting() const { return casting_; }         // null where it was not given

  // Dtypes of the loop that NumPy finds with unsafe casting, with or without dtype= and signature=;
  // nullopt where it finds none.
  std::optional<std::vector<nanobind::object>> find_loop(bool with_named_types = true) const;

 private:
  void read_call(const CallArguments& call);
  void read_reduction(const GivenArguments& given);
  void read_at(const GivenArguments& given);
  void add(nanobind::handle operand);
  void name_types(nanobind::handle dtype, nanobind::handle signature);

  nanobind::handle ufunc_;
  CalledAs called_as_;
  std::size_t n_inputs_;
  std::vector<nanobind::object> operands_;
  std::vector<nanobind::object> types_;
  const char* name_of_types_ = nullptr;
  nanobind::object named_types_ = nanobind::none();  // in the form signature= takes
  nanobind::object casting_;
};

// Conversion hints for operands of a type that no loop accepts.

// Whether NumPy casts an operand to a loop's dtype. The type is a dtype, or the class of a Python
// number, which adapts to any dtype of its kind.
bool takes(nanobind::handle type, nanobind::handle wanted, NPY_CASTING casting);

// Code that converts an operand of such a dtype to the wanted dtype. Python numbers are weak next
// to arrays: they take the arrays' dtype.
std::string conversion(nanobind::handle operand, const nanobind::object& dtype,
                       nanobind::handle wanted, const std::string& name, bool is_weak);

// The nearest kernel dtype for a dtype that no kernel has; null for structured dtypes.
nanobind::object nearest_kernel_dtype(const nanobind::object& dtype);

// Notes on NumPy's errors about a ufunc's operand types: the types, the available loops, and a
// hint. Added to NumPy's exception, whose class and text are unchanged. Adds the note to the
// current exception, where that is NumPy's rejection of types.
void note_refused_types(PyObject* ufunc, CalledAs called_as, const GivenArguments& given);

// Core dimensions of outputs only, "(n)->(m)": their sizes come from `out`, which NumPy's error for
// a call without it does not mention. Adds a note to the Python error of a failed call that had to
// allocate an output of unknown size.
void note_unsized_output(PyObject* ufunc, const UfuncState& state, const GivenArguments& given);

}  // namespace numpy_plugin::ufunc
