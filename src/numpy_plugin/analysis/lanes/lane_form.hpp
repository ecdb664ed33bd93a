// Forms of operations on all lanes of a block, of which some are idle.
#pragma once

#include <optional>

#include "numpy_plugin/analysis/tree.hpp"
#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::analysis {

enum class LaneForm : std::uint8_t {
  kPlain,    // a function of templates/npp/lanes that idle lanes may compute, too
  kGuarded,  // likewise, with the mask of the active lanes first
  kMath,     // a function of vectors, of a library or of this package
  kEach      // a scalar function, called for each active lane
};

// As the libraries' functions have it.
LaneForm lane_form(const declare::Expression& call);
// As a kernel's functions have it: all of this package have one for vectors.
LaneForm lane_form(const declare::Expression& call, declare::MathMode math);
// The exponent of a divisor that is a constant power of 2, in a floor division or remainder of
// integers; nullopt for other calls.
std::optional<int> power_of_two_divisor(const declare::Expression& call);
// Whether an operation has 16-bit floating-point numbers as operands.
bool is_of_halves(const declare::Expression& call);
// Whether it computes in float32, between conversions from and to 16 bits.
bool computes_in_float32(const declare::Expression& call);
// Whether a cast to 16 bits is from a type for which lanes have no instructions, so that it is one
// of numbers in memory.
bool is_scalar_cast(const declare::Expression& cast);
// Whether a cast may raise flags.
bool is_guarded_cast(const declare::Expression& cast);

}  // namespace numpy_plugin::analysis
