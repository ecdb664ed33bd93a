// The fastmath option of declarations: which liberties compilers may take. None is an obligation.
#pragma once

#include <span>
#include <string>

#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::base {

struct FastMath {
#define NPP_FAST_MATH(name, description) bool name = false;
#include "numpy_plugin/base/fast_math.def"
  bool operator==(const FastMath&) const = default;
};

inline constexpr const char* kFastMathNames[] = {
#define NPP_FAST_MATH(name, description) #name,
#include "numpy_plugin/base/fast_math.def"
};

// From names of the table.
inline FastMath fast_math(std::span<const std::string> names) {
  FastMath result;
  for (const std::string& given : names) {
    bool is_known = false;
#define NPP_FAST_MATH(name, description) \
  if (given == #name) is_known = result.name = true;
#include "numpy_plugin/base/fast_math.def"
    NPP_ASSERT(is_known, given);
  }
  return result;
}

// All liberties.
constexpr FastMath all_fast_math() {
  return {
#define NPP_FAST_MATH(name, description) .name = true,
#include "numpy_plugin/base/fast_math.def"
  };
}

}  // namespace numpy_plugin::base
