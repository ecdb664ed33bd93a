// Exception-like object by which pthread_exit() unwinds a thread's stack: `catch (...)` has to
// rethrow it, or the process aborts. Python ends threads in this way when they request the GIL
// during finalization (until 3.13).
#pragma once

#if __has_include(<bits/cxxabi_forced.h>)
#include <cxxabi.h>
#endif

namespace numpy_plugin::base {

#if __has_include(<bits/cxxabi_forced.h>)
using ForcedUnwind = abi::__forced_unwind;
#else
class ForcedUnwind {};  // other C++ libraries do not expose it
#endif

}  // namespace numpy_plugin::base
