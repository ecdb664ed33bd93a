// Loading a shared object from its bytes. Nobody can change them between the check of where they
// came from and the moment they become code, as one could a file that is loaded by its path.
#pragma once

#include <string>
#include <string_view>

namespace numpy_plugin::load {

// dlopen's handle of a file, or nullptr and dlopen's words in `reason`.
void* open_file(const std::string& path, std::string& reason);

// Likewise of an object's bytes. `name` is what maps of the process's memory call it.
void* open_code(const std::string& name, std::string_view bytes, std::string& reason);

}  // namespace numpy_plugin::load
