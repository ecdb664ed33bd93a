// Square roots of vectors of double, correctly rounded as those of numbers.
#pragma once

#include "npp/core/builtin.hpp"
#include "npp/vector_math/lanes.hpp"

namespace npp::lanes {

template <class V>
NPP_FUNCTION V square_root(V x) {
  if constexpr (kIsNumber<V>) {
    return builtin::sqrt(x);
  } else {
#if NPP_HAS_VARIANTS && NPP_NATIVE_VECTOR_BYTES == 64
    if constexpr (kIsSame<V, Vector<double, 8>>) return __builtin_ia32_sqrtpd512_mask(x, x, -1, 4);
#elif NPP_HAS_VARIANTS
    if constexpr (kIsSame<V, Vector<double, 4>>) return __builtin_ia32_sqrtpd256(x);
#endif
    V root;
    for (int i = 0; i < kCount<V>; ++i) root[i] = builtin::sqrt(x[i]);
    return root;
  }
}

}  // namespace npp::lanes
