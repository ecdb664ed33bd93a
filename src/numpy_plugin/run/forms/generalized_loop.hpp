// Device kernels of one generalized loop, on one device.
#pragma once

#include "numpy_plugin/analysis/scratch/scratch_sizes.hpp"
#include "numpy_plugin/run/forms/cublas_product.hpp"
#include "numpy_plugin/run/forms/device_loop.hpp"
#include "numpy_plugin/run/forms/generalized_choice.hpp"
#include "numpy_plugin/run/forms/generalized_launch.hpp"
#include "numpy_plugin/run/launch/launch_arguments.hpp"
#include "numpy_plugin/run/memory/device_memory.hpp"

namespace numpy_plugin::run {

// Keeps no device alive. Thread-safe.
class GeneralizedLoop : public std::enable_shared_from_this<GeneralizedLoop> {
 public:
  // `program` has one generalized kernel. Compiles nothing. With `may_use_cublas`, products of
  // matrices are cuBLAS's where there is one, whose results differ in their last bits.
  GeneralizedLoop(const std::shared_ptr<Device>& device, emit::Program program,
                  KernelVariants::Compile compile, bool may_use_cublas = false);
  GeneralizedLoop(const GeneralizedLoop&) = delete;
  GeneralizedLoop& operator=(const GeneralizedLoop&) = delete;

  // Makes one launch on a stream of the loop's device, or none where there is nothing to write.
  // Call without the GIL. Each form is compiled and loaded at its first launch. The operands have
  // the kernel's own dtypes, aligned addresses and strides, and no output overlaps another operand.
  // Throws base::Error (kCompiler), load::CudaError.
  void launch(const std::shared_ptr<Stream>& stream, const GeneralizedCall& call) const;

  // Describes what launch() would do, without compiling or launching.
  LaunchExplanation explain(const GeneralizedCall& call) const;

 private:
  struct Plan;
  Plan plan(const GeneralizedCall& call, bool is_recorded, ArgumentBuffer& arguments) const;
  std::int64_t fit_scratch_of(const GeneralizedCall& call, GeneralizedGrid& grid) const;
  std::shared_ptr<DeviceBuffer> make_scratch(const std::shared_ptr<Stream>& stream,
                                             const Plan& plan) const;
  emit::Source source(const Plan& plan) const;

  emit::Program program_;
  GeneralizedTraits traits_;
  bool has_scratch_;
  analysis::DeviceScratch scratch_;
  ScratchLimits scratch_limits_;
  bool may_use_cublas_;
  load::FoundCublas cublas_;
  KernelVariants kernels_;
};

}  // namespace numpy_plugin::run
