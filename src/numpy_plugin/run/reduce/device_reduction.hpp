// Device kernels of the reductions by one loop, on one device.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "numpy_plugin/emit/source/emit.hpp"
#include "numpy_plugin/run/device/stream.hpp"
#include "numpy_plugin/run/launch/kernel_variants.hpp"
#include "numpy_plugin/run/reduce/launch_reduction.hpp"
#include "numpy_plugin/run/reduce/reduce_plan.hpp"

namespace numpy_plugin::run {

// Keeps no device alive. Thread-safe.
class DeviceReduction : public std::enable_shared_from_this<DeviceReduction> {
 public:
  struct Recipe {
    emit::Program program;       // of one binary kernel, whose result is its first operand again
    base::DType stored_input{};  // in memory
    base::DType stored_output{};
    std::string why_in_order;  // empty: elements may be regrouped and exchanged
    KernelVariants::Compile compile;
  };
  DeviceReduction(const std::shared_ptr<Device>& device, Recipe recipe);  // compiles nothing
  DeviceReduction(const DeviceReduction&) = delete;
  DeviceReduction& operator=(const DeviceReduction&) = delete;

  // Makes one launch on a stream of the device, or several where segments_at_once() says so. Call
  // without the GIL. The output overlaps no other operand. Throws base::Error (kCompiler, kValue),
  // load::CudaError.
  void launch(const std::shared_ptr<Stream>& stream, const ReduceCall& call) const;

  // Describes what launch() would do, without compiling or launching.
  ReductionExplanation explain(const ReduceCall& call) const;

 private:
  ReducePlan plan(const ReduceCall& call, const ReduceDimensions& dimensions) const;
  emit::Source source(const ReducePlan& plan) const;
  void launch_once(const std::shared_ptr<Stream>& stream, const ReduceCall& call,
                   const ReduceDimensions& dimensions) const;
  const declare::TypedKernel& kernel() const { return recipe_.program.kernels.front(); }

  Recipe recipe_;
  KernelVariants kernels_;
};

}  // namespace numpy_plugin::run
