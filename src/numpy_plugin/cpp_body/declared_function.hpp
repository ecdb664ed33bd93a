// External functions as declared by declare_device, checked as far as their text permits.
#pragma once

#include <memory>
#include <string>

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::declare {

// Throws base::Error: kSignature for an invalid name or signature, kValue for a source without the
// function.
std::shared_ptr<const ExternalFunction> declare_external_function(const std::string& name,
                                                                  const std::string& signature,
                                                                  DeclaredCode code,
                                                                  DeviceCodes linked);

}  // namespace numpy_plugin::declare
