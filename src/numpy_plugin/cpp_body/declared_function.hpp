// Functions defined elsewhere, as declare_device is told of them, checked as far as texts go.
#pragma once

#include <memory>
#include <string>

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::declare {

// Throws base::Error: kSignature for a name or a signature that no such function has, kValue for a
// source without the function.
std::shared_ptr<const ExternalFunction> declare_external_function(const std::string& name,
                                                                  const std::string& signature,
                                                                  DeclaredCode code,
                                                                  DeviceCodes linked);

}  // namespace numpy_plugin::declare
