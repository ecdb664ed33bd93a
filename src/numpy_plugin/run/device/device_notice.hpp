// Notice that a ufunc requested a GPU and its calls run on the CPU.
#pragma once

#include <string>

namespace numpy_plugin::run {

// "no GPU can be used (...)".
std::string missing_device_reason();

// One sentence: the request, why it can't be met, and the consequence.
std::string missing_device_notice();

}  // namespace numpy_plugin::run
