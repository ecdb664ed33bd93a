// What to write instead of names that kernels for CUDA have elsewhere and here have not.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace numpy_plugin::declare {

// `name` as in "cuda.atomic.nanmax"; nothing where there is no advice.
std::string_view device_hint(std::string_view name);

// What there is below "cuda" and "cuda.atomic", by the owner's name; none for others.
std::vector<std::string> device_names(std::string_view owner);

}  // namespace numpy_plugin::declare
