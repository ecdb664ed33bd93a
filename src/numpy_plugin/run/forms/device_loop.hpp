// Device kernels of one loop for the operands' memory layouts, on one device.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <npp/cuda/arguments.hpp>

#include "numpy_plugin/emit/source/emit.hpp"
#include "numpy_plugin/run/device/stream.hpp"
#include "numpy_plugin/run/launch/elementwise_call.hpp"
#include "numpy_plugin/run/launch/kernel_variants.hpp"
#include "numpy_plugin/run/launch/launch_choice.hpp"

namespace numpy_plugin::run {

// How a call is launched, and why.
struct LaunchExplanation {
  analysis::LaunchForm form = analysis::LaunchForm::kContiguous;
  std::string library = {};  // "cublas": its kernel in place of one of this package
  bool is_wide = false;
  bool is_masked = false;
  std::vector<std::string> casts;  // "input 1: int32 to float32"
  unsigned grid = 0;               // blocks; 0: no launch
  unsigned block = 0;              // threads
  int elements_per_thread = 1;
  std::size_t vector_bytes = 0;  // of the widest access; 0 where elements are accessed one by one
  std::string reason;            // "rows of 1000 elements: input 2 is not contiguous across rows"
  emit::Source source = {};      // of the kernel; empty where nothing is launched
};

// Casts between a kernel's dtypes and those in memory, inputs, then outputs.
std::vector<std::string> cast_texts(const declare::TypeSignature& signature,
                                    const std::vector<base::DType>& stored);

// Keeps no device alive. Thread-safe.
class DeviceLoop : public std::enable_shared_from_this<DeviceLoop> {
 public:
  // Source of the kernels.
  struct Recipe {
    emit::Program program;  // of one elementwise kernel
    // The dtypes in memory, inputs, then outputs, without a mask.
    std::vector<base::DType> stored;
    KernelVariants::Compile compile;
    int architecture = 0;  // to emit for; 0: the device's
  };
  DeviceLoop(const std::shared_ptr<Device>& device, Recipe recipe);  // compiles nothing
  DeviceLoop(const DeviceLoop&) = delete;
  DeviceLoop& operator=(const DeviceLoop&) = delete;

  // Makes one launch on a stream of the loop's device, or none for no elements. Call without the
  // GIL. Each form is compiled and loaded at its first launch; failed compilations are retried by
  // the next call. The operands have the stored dtypes, aligned addresses and strides, and no
  // output overlaps another operand. Throws base::Error (kCompiler), load::CudaError.
  void launch(const std::shared_ptr<Stream>& stream, const ElementwiseCall& call) const;

  // Makes the updates of an array's elements, for kernels with one output. Launches of kernels that
  // can raise are waited for; where one raises, nothing is written, and the number of the first
  // update that raises is returned. Throws as launch() does.
  std::optional<std::uint64_t> update(const std::shared_ptr<Stream>& stream,
                                      npp::UpdatesArguments updates) const;

  // Describes what launch() would do, without compiling or launching.
  LaunchExplanation explain(const ElementwiseCall& call) const;

 private:
  // Each form for each limit of dimensions, with long and short vectors, without and with a mask,
  // narrow and wide.
  static constexpr std::size_t kVariants =
      8 * std::size(analysis::kLaunchForms) * std::size(analysis::kDimensionLimits);
  static constexpr std::size_t kUpdates = kVariants;  // the variant of update()

  LaunchTraits launch_traits(LaunchChoice choice, int n_multiprocessors) const;
  const LaunchTraits& traits_of(const LaunchChoice& choice) const;
  LaunchChoice choose(const PlacedCall& placed) const;
  analysis::DeviceForm form(const LaunchChoice& choice) const;
  emit::Source source(const LaunchChoice& choice) const;
  void launch_updates(const std::shared_ptr<Stream>& stream,
                      const npp::UpdatesArguments& updates) const;
  Recipe recipe_;
  int architecture_;
  std::size_t n_inputs_;
  // Without and with a mask, with long and short vectors.
  std::array<std::array<LaunchTraits, 2>, 2> traits_;
  KernelVariants kernels_;
};

}  // namespace numpy_plugin::run
