// The exception-like object by which pthread_exit() unwinds a thread's stack: `catch (...)` has to
// throw it on, or the process aborts. Python ends threads so that ask for the GIL while it
// finalizes (until 3.13).
#pragma once

#if __has_include(<bits/cxxabi_forced.h>)
#include <cxxabi.h>
#endif

namespace numpy_plugin::base {

#if __has_include(<bits/cxxabi_forced.h>)
using ForcedUnwind = abi::__forced_unwind;
#else
class ForcedUnwind {};  // other C++ libraries show it to nobody
#endif

}  // namespace numpy_plugin::base
