// A call, or a call of a method, that NumPy rejected for its operands' types, as its type
// resolution saw it.
#pragma once

#include <optional>
#include <vector>

#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"

namespace numpy_plugin::ufunc {

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

}  // namespace numpy_plugin::ufunc
