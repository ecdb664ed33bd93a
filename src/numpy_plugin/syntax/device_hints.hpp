// Replacements for names of other CUDA packages that are not supported here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace numpy_plugin::declare {

// `name` as in "cuda.atomic.nanmax"; empty where there is no hint.
std::string_view device_hint(std::string_view name);

// The names below "cuda" and "cuda.atomic", by the owner's name; empty for others.
std::vector<std::string> device_names(std::string_view owner);

}  // namespace numpy_plugin::declare
