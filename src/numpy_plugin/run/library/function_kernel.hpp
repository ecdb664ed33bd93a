// Kernels that users launch with a grid and a block, from Python functions and from operations over
// whole arrays.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "numpy_plugin/cpp_body/indexed_body.hpp"
#include "numpy_plugin/declaration/declaration.hpp"
#include "numpy_plugin/infer/statements/infer_kernel.hpp"
#include "numpy_plugin/run/launch/raw_kernel.hpp"
#include "numpy_plugin/system/mutex.hpp"

namespace numpy_plugin::run {

// A user's device kernel in Python, launched with a grid and a block: typed and emitted for each
// combination of parameter types, each of which is a RawKernel.

class FunctionKernel {
 public:
  // `options` are for NVRTC, after those of this package.
  FunctionKernel(declare::FunctionSyntax function, std::vector<std::string> options)
      : function_(std::move(function)), options_(std::move(options)) {}

  const std::string& name() const { return function_.name; }
  std::size_t n_parameters() const { return function_.parameters.size(); }

  // Typed at first use; not compiled yet. Throws declare::KernelError.
  std::shared_ptr<RawKernel> typed_for(const std::vector<declare::OperandType>& parameters);

  // Returns and clears the warnings collected so far.
  std::vector<declare::KernelWarning> take_warnings();

 private:
  std::shared_ptr<RawKernel> make(const std::vector<declare::OperandType>& parameters);

  declare::FunctionSyntax function_;
  std::vector<std::string> options_;
  system::Mutex mutex_;  // guards the members that follow
  std::map<std::string, std::shared_ptr<RawKernel>> kernels_;
  std::vector<declare::KernelWarning> warnings_;
};

// The kernels of an operation over whole arrays, for the host and for devices.

// A generalized ufunc that runs the operation for all indices in order.
declare::DeclarationText host_declaration(const declare::IndexedOperation& operation);

// A kernel to launch with any number of threads along x. `options` are for NVRTC.
std::shared_ptr<RawKernel> device_kernel(const declare::IndexedOperation& operation,
                                         const std::vector<std::string>& options);

}  // namespace numpy_plugin::run
