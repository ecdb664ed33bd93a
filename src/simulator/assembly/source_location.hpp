// A place in the source that PTX was compiled from, as given by .loc.
#pragma once

#include <cstdint>

namespace numpy_plugin::sim {

constexpr std::uint32_t kNoLocation = UINT32_MAX;

struct SourceLocation {
  std::uint32_t file = 0;  // in PTX: the number of its .file; in a Program: an index of its files
  std::uint32_t line = 0;  // 1-based
  std::uint32_t column = 0;
  std::uint32_t inlined_at = kNoLocation;  // the location of the call, for inlined functions
};

}  // namespace numpy_plugin::sim
