// Replacements for names that CUDA kernels have elsewhere and do not have here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace numpy_plugin::declare {

// `name` as in "cuda.atomic.nanmax"; nothing where there is no advice.
std::string_view device_hint(std::string_view name);

// The names below "cuda" and "cuda.atomic", by the owner's name; none for others.
std::vector<std::string> device_names(std::string_view owner);

}  // namespace numpy_plugin::declare
