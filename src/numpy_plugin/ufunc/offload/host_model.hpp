// A call with host operands as the model of target="auto" sees it: what it computes and moves, and
// what earlier calls of its loop took.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "numpy_plugin/run/offload/device_rates.hpp"
#include "numpy_plugin/run/offload/host_call.hpp"
#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"

namespace numpy_plugin::ufunc {

class ModelledCall {
 public:
  // `n_elements` is what the time of the loop grows with.
  ModelledCall(UfuncState& state, const run::Loop* loop, std::int64_t n_elements,
               const run::HostTraffic& traffic)
      : state_(state), loop_(loop), n_elements_(n_elements), traffic_(traffic) {}

  const run::HostTraffic& traffic() const { return traffic_; }
  run::TargetChoice choose(const std::shared_ptr<run::Device>& device) const;
  // NumPy's call. Its time is remembered.
  nanobind::object time_numpy(PyObject* ufunc, const GivenArguments& given) const;
  // The time of a call, with its copies to the device and back.
  void note_device(double seconds) const;

 private:
  UfuncState& state_;
  const run::Loop* loop_;
  std::int64_t n_elements_;
  run::HostTraffic traffic_;
};

// Of a generalized call, whose elements are those of the loop dimensions times the sizes of all
// names. Nothing where NumPy has words for what is wrong with it.
std::optional<ModelledCall> model_generalized_call(PyObject* ufunc, UfuncState& state,
                                                   const CallArguments& call);

// Seconds since this was made.
class Stopwatch {
 public:
  double seconds() const;

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace numpy_plugin::ufunc
