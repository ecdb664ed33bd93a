// Parts of powers, exponentials and logarithms that each type of numbers defines.
#pragma once

#include "npp/vector/tables.hpp"

namespace npp::vector_math {

using vector::all;
using vector::Bits;
using vector::Element;
using vector::kRounder;

// A sum, and a number near it that is known sooner.
template <class V>
struct Logarithm {
  V high, low, near;
};
// The exponent of a result: an integer in the last bits of `rounded`, and the rest.
template <class V>
struct Exponent {
  V rounded, fraction;
};
// The parts for one type of numbers.
template <class T>
struct PowerParts;

}  // namespace npp::vector_math
