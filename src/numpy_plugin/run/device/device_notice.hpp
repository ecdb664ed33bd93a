// The notice where a ufunc asked for a GPU and its calls run on the CPU.
#pragma once

#include <string>

namespace numpy_plugin::run {

// "no GPU can be used (...)".
std::string missing_device_reason();

// One sentence: what was asked for, why it can't be had here, and what happens instead.
std::string missing_device_notice();

}  // namespace numpy_plugin::run
