// Flags that NumPy reports as warnings; devices have none.
#pragma once

#include "npp/core/prelude.hpp"

namespace npp {

NPP_FUNCTION void raise_divide_by_zero() {
#if !NPP_DEVICE
  volatile float zero = 0.0f;
  zero = 1.0f / zero;
#endif
}
NPP_FUNCTION void raise_overflow() {
#if !NPP_DEVICE
  volatile float large = Limits<float>::kMax;
  large = large * large;
#endif
}
NPP_FUNCTION void raise_invalid() {
#if !NPP_DEVICE
  volatile float zero = 0.0f;
  zero = zero / zero;
#endif
}

}  // namespace npp
