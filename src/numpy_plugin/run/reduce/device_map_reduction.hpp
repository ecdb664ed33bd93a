// Device kernels that map operands and reduce the values, on one device.
#pragma once

#include <memory>
#include <vector>

#include "numpy_plugin/emit/source/emit.hpp"
#include "numpy_plugin/run/device/stream.hpp"
#include "numpy_plugin/run/launch/kernel_variants.hpp"
#include "numpy_plugin/run/reduce/launch_reduction.hpp"
#include "numpy_plugin/run/reduce/reduce_plan.hpp"

namespace numpy_plugin::run {

// Keeps no device alive. Thread-safe.
class DeviceMapReduction : public std::enable_shared_from_this<DeviceMapReduction> {
 public:
  struct Recipe {
    emit::Program program;    // the map, the combining kernel, and the last one where there is one
    bool has_number = false;  // the map's last input is the element's number
    KernelVariants::Compile compile;
  };
  DeviceMapReduction(const std::shared_ptr<Device>& device, Recipe recipe);  // compiles nothing
  DeviceMapReduction(const DeviceMapReduction&) = delete;
  DeviceMapReduction& operator=(const DeviceMapReduction&) = delete;

  // Dtypes of an accumulator's items.
  std::vector<base::DType> items() const;

  // Makes one launch on a stream of the device. Call without the GIL. The operands have the
  // kernels' dtypes, and no output overlaps another operand. Throws base::Error (kCompiler,
  // kValue), load::CudaError.
  void launch(const std::shared_ptr<Stream>& stream, const ReduceCall& call) const;

  // Describes what launch() would do, without compiling or launching.
  ReductionExplanation explain(const ReduceCall& call) const;

 private:
  ReducePlan plan(const ReduceCall& call, const ReduceDimensions& dimensions) const;
  emit::Source source(const ReducePlan& plan) const;
  const declare::TypedKernel& map() const { return recipe_.program.kernels.front(); }

  Recipe recipe_;
  KernelVariants kernels_;
};

}  // namespace numpy_plugin::run
