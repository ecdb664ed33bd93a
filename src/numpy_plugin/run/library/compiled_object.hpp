// Emitted source → loaded code for the CPU.
#pragma once

#include <memory>
#include <string>

#include "numpy_plugin/emit/source/emit.hpp"
#include "numpy_plugin/jit/host/host_compiler.hpp"
#include "numpy_plugin/load/shared_object.hpp"

namespace numpy_plugin::run {

// Compiles source, or finds its code in the cache, loads it and connects it with what it calls.
// Throws base::Error.
std::shared_ptr<const load::SharedObject> load_compiled(const std::string& name,
                                                        const emit::Source& source,
                                                        const jit::HostOptions& options);

}  // namespace numpy_plugin::run
