// Code loaded on a device, and its functions.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "numpy_plugin/diagnostics/diagnostic.hpp"
#include "numpy_plugin/run/device/device.hpp"

namespace numpy_plugin::run {

// Of the lines that none of a module's sources has: the user, whose headers messages may name, or
// this package, whose templates mean nothing to the user.
enum class CodeAuthor { kUser, kPackage };

// Unloads with this object. Holds a weak reference: keeps no device alive.
class DeviceModule {
 public:
  // `image` is a cubin, or PTX for a simulated device, whose messages quote `sources`; `name` is
  // used in messages. Throws load::CudaError.
  DeviceModule(const std::shared_ptr<Device>& device, const std::string& image,
               const std::string& name, const std::vector<declare::LabelledSource>& sources,
               CodeAuthor author);
  ~DeviceModule();
  DeviceModule(const DeviceModule&) = delete;
  DeviceModule& operator=(const DeviceModule&) = delete;

  // Throws load::CudaError where the module has no such function.
  CUfunction function(const std::string& name) const;
  bool has_function(const std::string& name) const;

  // A variable in the device's memory.
  struct Variable {
    CUdeviceptr address = 0;
    std::size_t n_bytes = 0;
  };
  // nullopt where the module has no such variable.
  std::optional<Variable> variable(const std::string& name) const;

 private:
  std::weak_ptr<Device> device_;
  CUmodule module_ = nullptr;
};

}  // namespace numpy_plugin::run
