// Memory that reads as zeros and can't be written, for host arrays that stand for arrays elsewhere:
// of their memory only addresses matter, but whoever prints or copies one reads it.
#pragma once

#include <cstddef>

namespace numpy_plugin::system {

// At least `n_bytes`, aligned to pages, and never given back: arrays may refer to them for as long
// as the process lives. All calls share one region, of address space alone, which at least doubles
// when it is too small. Throws base::Error (kRuntime) where the process has not as many addresses.
char* zero_pages(std::size_t n_bytes);

}  // namespace numpy_plugin::system
