// A call with host operands in the cost model of target="auto": the amounts it computes and
// transfers, and the times of earlier calls of its loop.
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
  // The time of the loop is proportional to `n_elements`.
  ModelledCall(UfuncState& state, const run::Loop* loop, std::int64_t n_elements,
               const run::HostTraffic& traffic)
      : state_(state), loop_(loop), n_elements_(n_elements), traffic_(traffic) {}

  const run::Loop& loop() const { return *loop_; }
  const run::HostTraffic& traffic() const { return traffic_; }
  run::TargetChoice choose(const std::shared_ptr<run::Device>& device) const;
  // Makes NumPy's call and records its time.
  nanobind::object time_numpy(PyObject* ufunc, const GivenArguments& given) const;
  // Records the time of an offloaded call, with its transfers.
  void note_device(double seconds) const;

 private:
  UfuncState& state_;
  const run::Loop* loop_;
  std::int64_t n_elements_;
  run::HostTraffic traffic_;
};

// For a generalized call: the number of loop iterations times the sizes of all names. nullopt for
// invalid calls, which NumPy reports.
std::optional<ModelledCall> model_generalized_call(PyObject* ufunc, UfuncState& state,
                                                   const CallArguments& call);

// Seconds since construction.
class Stopwatch {
 public:
  double seconds() const;

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace numpy_plugin::ufunc
