// Variants of powers for vectors, of the types that a kernel has powers of.
#pragma once

#include "npp/vector_math/power.hpp"
#include "npp/vector_math/variants.hpp"

namespace npp::variants {

#if NPP_OWN_POWF
NPP_FLOAT_VARIANTS_OF_TWO(powf, vector_math::power_of_vector, vector_math::rare_power)
#endif
#if NPP_OWN_POW
NPP_DOUBLE_VARIANTS_OF_TWO(pow, vector_math::power_of_vector, vector_math::rare_power)
#endif

}  // namespace npp::variants
