// Compiled kernels of one declaration: eagerly for declared signatures, otherwise lazily for the
// types of calls. Shared by all ufunc objects made from the declaration.
#pragma once

#include <exception>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "numpy_plugin/declaration/declaration.hpp"
#include "numpy_plugin/emit/source/emit.hpp"
#include "numpy_plugin/load/shared_object.hpp"
#include "numpy_plugin/run/cpu/parallel_loop.hpp"
#include "numpy_plugin/run/device/device.hpp"
#include "numpy_plugin/run/device/per_device.hpp"
#include "numpy_plugin/run/forms/device_loop.hpp"
#include "numpy_plugin/run/forms/generalized_loop.hpp"
#include "numpy_plugin/run/offload/device_rates.hpp"
#include "numpy_plugin/run/reduce/device_reduction.hpp"
#include "numpy_plugin/system/mutex.hpp"

namespace numpy_plugin::run {

// Device code that was compiled ahead of time, together with the module of its ufunc.

struct BuiltImage {
  std::string digest;  // of the emitted source
  std::string arch;    // "sm_90" for machine code, "compute_90" for PTX
  int driver_version;  // of the oldest driver that loads it, 13000 for CUDA 13.0
  std::string bytes;
};

std::string digest_of(const emit::Source& source);

class BuiltImages {
 public:
  explicit BuiltImages(std::vector<BuiltImage> images) : images_(std::move(images)) {}

  // The best code of a source for a device and its driver: machine code of its architecture or an
  // earlier one of its major version, else the newest PTX that it supports; nullptr where there is
  // none.
  const std::string* find(const emit::Source& source, const Device& device) const;

  // The architecture that sources are emitted for, so that this code is theirs; 0: the device's.
  int architecture_for(const Device& device) const;

 private:
  std::vector<BuiltImage> images_;
};

// A NumPy inner loop and its kernel. A loop for the types of a call has no code for the CPU.
struct Loop {
  declare::TypedKernel kernel;
  ParallelLoop parallel;  // `parallel.loop` is the loop itself
  std::shared_ptr<const load::SharedObject> object;
  std::string missing = {};  // why it cannot run on the CPU: `parallel.loop` is then null

  bool is_compiled() const { return object != nullptr || !missing.empty(); }
};

class KernelLibrary {
 public:
  // Types, compiles and loads the declared signatures, all in one translation unit.
  // Throws declare::KernelError, base::Error.
  explicit KernelLibrary(declare::Declaration declaration);

  // Likewise for devices alone: a module built ahead of time has the loops for the CPU, and these
  // images. Others are compiled. Throws declare::KernelError.
  KernelLibrary(declare::Declaration declaration, std::shared_ptr<const BuiltImages> images);

  const declare::Declaration& declaration() const { return declaration_; }

  // The loops of the declared signatures whose units are known, in their order; their addresses are
  // stable.
  std::span<const Loop> declared_loops() const { return declared_; }

  // The loop for a call's input types, typed lazily; without signatures, or with the units of dates
  // that one leaves to calls. Inputs that are `plain` are Python ints:
  // int64, and weak in promotion; empty: none. Thread-safe. Errors are cached.
  const Loop& loop_for(const std::vector<base::DType>& inputs, const std::vector<bool>& plain = {});

  // The same loop with its code for the CPU, compiled lazily. Thread-safe: one thread compiles,
  // others wait. Lasting failures are cached and raise the same error without a compilation.
  const Loop& compiled(const Loop& loop);

  // Result dtypes of the loop for a call's input types, without compiling it. Throws
  // declare::KernelError.
  std::vector<base::DType> result_dtypes(const std::vector<base::DType>& inputs,
                                         const std::vector<bool>& plain = {}) const;

  // Adds a loop for a call's types to loops(): NumPy has it, so calls of these types succeed.
  void note_registered(const Loop& loop);

  // All existing loops: the declared ones, then those registered for calls.
  std::vector<const Loop*> loops();

  // Kernels of an elementwise loop on a device for operands of these dtypes in memory, inputs, then
  // outputs; created at first use, compiled at first launch.
  std::shared_ptr<const DeviceLoop> device_loop(const std::shared_ptr<Device>& device,
                                                const Loop& loop,
                                                const std::vector<base::DType>& stored);

  // Likewise for a generalized loop.
  std::shared_ptr<const GeneralizedLoop> generalized_loop(const std::shared_ptr<Device>& device,
                                                          const Loop& loop);

  // Lets cuBLAS compute products of matrices on devices. Called before the first call.
  void use_cublas() { uses_cublas_ = true; }

  // Kernels of the reductions by a binary loop, for these dtypes of the array and the result in
  // memory. With `is_reorderable`, NumPy's word for it, elements may be regrouped and exchanged
  // whatever the body.
  std::shared_ptr<const DeviceReduction> device_reduction(const std::shared_ptr<Device>& device,
                                                          const Loop& loop,
                                                          const std::vector<base::DType>& stored,
                                                          bool is_reorderable);

  // Times of its loops on the CPU, and of whole offloaded calls.
  LoopRates<Loop>& cpu_rates() { return cpu_rates_; }
  LoopRates<Loop>& device_call_rates() { return device_call_rates_; }

  // Whether any of its kernels can raise, including those of types not called yet.
  bool can_raise() const;

  // Returns and clears the warnings collected so far.
  std::vector<declare::KernelWarning> take_warnings();

  // Input of a translation unit for these kernels.
  emit::Program program(std::vector<declare::TypedKernel> kernels) const;

 private:
  // A result, or the error that takes its place.
  struct Made {
    std::unique_ptr<const Loop> loop;
    std::exception_ptr error;

    const Loop* get() const;  // nullptr where nothing was made yet
  };
  // Dtypes of inputs, and which of them are Python ints.
  using LoopKey = std::pair<std::vector<base::DType>, std::vector<bool>>;
  struct LazyLoop {
    Made typed;
    Made compiled;
    bool is_registered = false;
  };

  declare::TypeSignature lazy_signature(const std::vector<base::DType>& inputs) const;
  declare::FrontEndResult type_kernel(const declare::TypeSignature& signature,
                                      const std::vector<bool>& plain = {}) const;
  // Returns the kernel and collects its warnings.
  declare::TypedKernel kernel_of(declare::FrontEndResult result);
  LazyLoop& lazy_loop_of(const Loop& typed);
  const Loop* find_typed(const LoopKey& key);
  const Loop* find_compiled(const Loop& typed);
  template <class Make>
  static Made made_by(const Make& make);
  void add_warning(declare::KernelWarning warning);
  std::vector<Loop> compile(std::vector<declare::TypedKernel> kernels) const;
  KernelVariants::Compile compiler_for(const Device& device) const;

  declare::Declaration declaration_;
  std::shared_ptr<const BuiltImages> images_;  // null without a built module
  bool uses_cublas_ = false;
  std::vector<Loop> declared_;
  PerDevice<std::pair<const Loop*, std::vector<base::DType>>, DeviceLoop> device_loops_;
  PerDevice<std::tuple<const Loop*, std::vector<base::DType>, bool>, DeviceReduction> reductions_;
  LoopRates<Loop> cpu_rates_;
  LoopRates<Loop> device_call_rates_;
  PerDevice<const Loop*, GeneralizedLoop> generalized_loops_;
  system::Mutex making_;  // one loop at a time
  system::Mutex mutex_;   // guards the members that follow, held briefly
  std::map<LoopKey, LazyLoop> lazy_;
  std::vector<declare::KernelWarning> warnings_;  // without duplicates
  std::size_t n_warnings_taken_ = 0;
};

}  // namespace numpy_plugin::run
