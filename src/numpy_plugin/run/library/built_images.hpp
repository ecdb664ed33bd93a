// Device code that was compiled ahead of time, together with the module of its ufunc.
#pragma once

#include <string>
#include <vector>

#include "numpy_plugin/emit/source/emit.hpp"
#include "numpy_plugin/run/device/device.hpp"

namespace numpy_plugin::run {

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

}  // namespace numpy_plugin::run
