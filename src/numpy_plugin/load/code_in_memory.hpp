// Loads a shared object from its bytes. Unlike a file, they can't be changed between the check of
// their origin and their execution.
#pragma once

#include <string>
#include <string_view>

#include "numpy_plugin/system/dynamic_library.hpp"

namespace numpy_plugin::load {

// `name` appears in the process's memory maps. Throws base::Error (kRuntime) where no storage for
// the bytes is available.
base::DynamicLibrary open_code(const std::string& name, std::string_view bytes);

}  // namespace numpy_plugin::load
