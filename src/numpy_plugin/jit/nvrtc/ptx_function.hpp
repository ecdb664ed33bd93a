// Checks functions of linked code against their declarations, where the code is readable.
#pragma once

#include <string>
#include <vector>

#include "numpy_plugin/jit/nvrtc/device_code.hpp"
#include "numpy_plugin/signature/signature.hpp"

namespace numpy_plugin::jit {

// Throws base::Error (kValue) for anything but device code.
void check_device_code(const LinkedPart& part);

// Searches the PTX among the parts for the function. Throws base::Error: kSignature where its types
// differ, kValue where all parts are PTX and none defines it.
void check_linked_function(const std::string& name, const declare::TypeSignature& signature,
                           const std::vector<LinkedPart>& parts);

}  // namespace numpy_plugin::jit
