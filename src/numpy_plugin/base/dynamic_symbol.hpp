// A function of a library that was opened at run time.
#pragma once

#include <dlfcn.h>

namespace numpy_plugin::base {

// Whether the library has a function of that name, which `function` is then.
template <class Function>
bool find_symbol(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(::dlsym(library, name));
  return function != nullptr;
}

}  // namespace numpy_plugin::base
