// Forms of operations on all lanes of a block, of which some are idle.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "numpy_plugin/analysis/tree.hpp"
#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::analysis {

enum class LaneForm : std::uint8_t {
  kPlain,    // a function of templates/npp/lanes that idle lanes may compute, too
  kGuarded,  // likewise, with the mask of the active lanes first
  kAll,      // a scalar function without branches, called for all lanes in a loop
  kMath,     // a function of vectors, of a library or of this package
  kEach      // a scalar function, called for each active lane
};

// As the libraries' functions have it.
LaneForm lane_form(const declare::Expression& call);
// As a kernel's functions have it: all of this package have one for vectors.
LaneForm lane_form(const declare::Expression& call, declare::MathMode math);
// A divisor that is a positive constant, in a division or remainder of integers or durations that
// has a form for it; nullopt for other calls.
std::optional<std::uint64_t> known_divisor(const declare::Expression& call);
// Whether it is an operation of dates or durations.
bool is_of_times(const declare::Expression& call);
// Whether it is a floor division, its remainder, or fmod.
bool is_floor_division(const declare::Expression& call);
// Whether an operation has 16-bit floating-point numbers as operands.
bool is_of_halves(const declare::Expression& call);
// Whether it computes in float32, between conversions from and to 16 bits.
bool computes_in_float32(const declare::Expression& call);
// Whether a cast to 16 bits is from a type for which lanes have no instructions, so that it is one
// of numbers in memory.
bool is_scalar_cast(const declare::Expression& cast);
// Whether a cast may raise flags.
bool is_guarded_cast(const declare::Expression& cast);

// Mathematical functions of templates/npp/vector_math, and who calls them instead of a library's.

struct OwnFunction {
  // Types of which lane blocks call it, as bits.
  enum Lanes : std::uint8_t { kNever = 0, kFloat32 = 1, kFloat64 = 2, kBoth = 3 };

  declare::Operation operation;
  std::string_view library_name;  // in npp::library
  std::string_view own_name;      // in npp::vector_math
  std::string_view header;
  int n_arguments;
  Lanes lanes;
  int vector_bytes;  // of the shortest vectors for which they do
  int since;         // glibc's minor version with a vector function
};

std::span<const OwnFunction> own_functions();
// The function for a call, which is what math="reproducible" computes; null for other expressions.
const OwnFunction* own_function(const declare::Expression& expression);
// The function that lane blocks call, on some targets at least; null where they call the library's
// on all, or need none.
const OwnFunction* own_lane_function(const declare::Expression& expression, declare::MathMode math);
// Bytes of the shortest vectors for which they call it beside a vector library; kNoVectors where
// they do not.
inline constexpr int kNoVectors = 1024;
int own_vector_bytes(const declare::Expression& expression, declare::MathMode math);

}  // namespace numpy_plugin::analysis
