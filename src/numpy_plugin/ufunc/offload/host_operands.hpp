// Operands of a call on NumPy arrays, for run/offload/host_call.hpp: NumPy broadcasts them,
// allocates missing outputs, and validates the given ones.
#pragma once

#include <span>
#include <vector>

#include "numpy_plugin/run/offload/host_call.hpp"
#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"

namespace numpy_plugin::ufunc {

class HostOperands {
 public:
  // `dtypes` are the loop's, inputs, then outputs, as NumPy's dtype objects. Throws NumPy's errors.
  HostOperands(const CallArguments& arguments, std::span<const nanobind::object> dtypes);

  // Points into the arrays held here.
  const run::HostCall& call() const { return call_; }
  bool is_empty() const;  // nothing to compute
  // The dtypes in memory, inputs, then outputs.
  std::vector<base::DType> stored() const;

  // After the call: the result of NumPy's call, an array or scalar, or a tuple of them.
  nanobind::object finish() const;

 private:
  void take_inputs(const CallArguments& arguments, std::span<const nanobind::object> dtypes);
  void take_mask(nanobind::handle where);
  void take_outputs(const CallArguments& arguments);
  void broadcast(const CallArguments& arguments, std::span<const nanobind::object> dtypes);
  void read_layout(NpyIter* iterator);
  bool replace_outputs(std::span<const nanobind::object> dtypes);

  struct Result {
    nanobind::object array;
    bool is_given = false;
  };
  struct Copy {
    nanobind::object to, from;
  };
  std::size_t n_inputs_;
  std::size_t n_outputs_;
  std::vector<nanobind::object> arrays_;  // inputs, mask, outputs
  std::vector<bool> is_value_;
  std::vector<Result> results_;
  std::vector<Copy> copies_;  // of temporaries
  run::HostCall call_;
  bool writes_nothing_ = false;  // where=False
  bool returns_arrays_;          // never scalars
};

}  // namespace numpy_plugin::ufunc
