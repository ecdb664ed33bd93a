// The part of cache keys that every compilation shares.
#pragma once

#include "numpy_plugin/emit/source/emit.hpp"
#include "numpy_plugin/jit/cache/cache.hpp"

namespace numpy_plugin::jit {

// Adds all that a source with headers of templates/ depends on, beside its text.
CacheKey key_with_templates();

// Source, templates, formats; a compiler adds itself and its flags.
CacheKey source_key(const emit::Source& source);

}  // namespace numpy_plugin::jit
