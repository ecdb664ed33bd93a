// Variants of powers for vectors, of the types that a kernel has powers of.
#pragma once

#include "npp/vector/native.hpp"

#if NPP_OWN_POW || NPP_OWN_POWF
#include "npp/vector_math/power.hpp"
#include "npp/vector_math/variants.hpp"

namespace npp::variants {

#if NPP_OWN_POWF
NPP_VARIANTS_OF_TWO(float, powf, vector_math::pow, vector_math::flagged_pow)
#endif
#if NPP_OWN_POW
NPP_VARIANTS_OF_TWO(double, pow, vector_math::pow, vector_math::flagged_pow)
#endif

}  // namespace npp::variants

#endif
