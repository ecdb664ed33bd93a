// Collects everything in this package that can change a binary's bytes.
#include "numpy_plugin/jit/cache/cache.hpp"

#include "numpy_plugin/base/digest.hpp"
#include "numpy_plugin/emit/source/emit.hpp"
#include "numpy_plugin/system/fork.hpp"

namespace numpy_plugin::jit {

CacheKey key_with_templates() {
  CacheKey key;
  key.add("templates", emit::templates_digest());
  for (const emit::NamedHeader& header : emit::named_headers()) {
    key.add(header.name, header.for_cuda).add(header.name, header.for_cpu);
  }
  return key;
}

CacheKey source_key(const emit::Source& source) {
  CacheKey key = key_with_templates();
  key.add("cache format", kCacheFormat);
  key.add("target", source.target == emit::Target::kCpu ? "cpu" : "cuda");
  return key.add("source", source.text);
}

}  // namespace numpy_plugin::jit
