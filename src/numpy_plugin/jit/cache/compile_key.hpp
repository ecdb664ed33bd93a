// The part of cache keys that all compilations share.
#pragma once

#include "numpy_plugin/emit/source/emit.hpp"
#include "numpy_plugin/jit/cache/cache.hpp"

namespace numpy_plugin::jit {

// Adds everything beside its text that a source with headers of templates/ depends on.
CacheKey key_with_templates();

// Source, templates and formats; the compiler's part is added by its caller.
CacheKey source_key(const emit::Source& source);

}  // namespace numpy_plugin::jit
