// Square roots of vectors, correctly rounded as those of numbers.
#pragma once

#include "npp/core/builtin.hpp"
#include "npp/vector/operations.hpp"

namespace npp::vector {

template <class V>
NPP_FUNCTION V square_root(V x) {
  if constexpr (kIsNumber<V>) {
    return builtin::sqrt(x);
  } else {
#if NPP_NEON
    if constexpr (sizeof(V) <= 16) return neon::sqrt(x);
#elif NPP_HAS_VARIANTS && NPP_NATIVE_VECTOR_BYTES == 64
    if constexpr (kIsSame<V, Vector<double, 8> >) return __builtin_ia32_sqrtpd512_mask(x, x, -1, 4);
    if constexpr (kIsSame<V, Vector<float, 16> >) return __builtin_ia32_sqrtps512_mask(x, x, -1, 4);
#elif NPP_HAS_VARIANTS
    if constexpr (kIsSame<V, Vector<double, 4> >) return __builtin_ia32_sqrtpd256(x);
    if constexpr (kIsSame<V, Vector<float, 8> >) return __builtin_ia32_sqrtps256(x);
#endif
    V root;
    for (int i = 0; i < kCount<V>; ++i) root[i] = builtin::sqrt(x[i]);
    return root;
  }
}

}  // namespace npp::vector
