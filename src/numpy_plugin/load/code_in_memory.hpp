// Loading a shared object from its bytes. Nobody can change them between the check of where they
// came from and the moment they become code, as one could a file that is loaded by its path.
#pragma once

#include <string>
#include <string_view>

#include "numpy_plugin/system/dynamic_library.hpp"

namespace numpy_plugin::load {

// `name` is what maps of the process's memory call it. Throws base::Error (kRuntime) where the
// bytes can be kept nowhere.
base::DynamicLibrary open_code(const std::string& name, std::string_view bytes);

}  // namespace numpy_plugin::load
