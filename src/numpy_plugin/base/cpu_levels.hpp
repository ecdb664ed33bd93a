// Levels of instruction sets: what code that is compiled for other processors than this one is
// compiled for.
#pragma once

#include <span>
#include <string_view>

namespace numpy_plugin::base {

struct CpuLevel {
  std::string_view name;  // as compilers spell it in -march=
  bool is_supported;      // by this processor
};

// From the oldest, which every processor supports. Empty where compilers have no common names.
std::span<const CpuLevel> cpu_levels();

}  // namespace numpy_plugin::base
