// Functions of linked code against what they were declared as, where the code can be read.
#pragma once

#include <string>
#include <vector>

#include "numpy_plugin/jit/nvrtc/device_code.hpp"
#include "numpy_plugin/signature/signature.hpp"

namespace numpy_plugin::jit {

// Throws base::Error (kValue) for what is no code for a device.
void check_device_code(const LinkedPart& part);

// Looks for the function in the PTX among the parts. Throws base::Error: kSignature where it has
// other types, kValue where all parts are PTX and none has it.
void check_linked_function(const std::string& name, const declare::TypeSignature& signature,
                           const std::vector<LinkedPart>& parts);

}  // namespace numpy_plugin::jit
