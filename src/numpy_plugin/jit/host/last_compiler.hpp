// The compiler of the cache's newest entry. Keys of entries name their compiler: a machine that has
// none finds them by this record, and runs what is cached.
#pragma once

#include <optional>

#include "numpy_plugin/jit/cache/cache.hpp"
#include "numpy_plugin/jit/host/host_compiler.hpp"

namespace numpy_plugin::jit {

// Records a compiler that has stored an entry.
void remember_compiler(const Cache& cache, const HostCompiler& compiler);

// The recorded compiler, which may not exist any more. nullopt where none is recorded.
std::optional<HostCompiler> last_compiler(const Cache& cache);

}  // namespace numpy_plugin::jit
