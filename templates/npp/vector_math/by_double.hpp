// Functions of float by way of double: correctly rounded but for rare ties.
#pragma once

#include "npp/vector_math/lanes.hpp"

namespace npp::lanes {

template <class V>
inline constexpr bool kIsFloat = kIsSame<Element<V>, float>;

#if NPP_DEVICE
template <class V, class Function, class... More>
NPP_FUNCTION V by_double(Function function, V x, More... more) {
  return static_cast<float>(function(static_cast<double>(x), static_cast<double>(more)...));
}
#else
// Half of the elements, from a place in bytes, as doubles.
template <class V>
NPP_FUNCTION auto half_of(const V& value, int place) {
  Vector<float, kCount<V> / 2> half;
  __builtin_memcpy(&half, reinterpret_cast<const char*>(&value) + place, sizeof half);
  return __builtin_convertvector(half, Vector<double, kCount<V> / 2>);
}

// The function of double at elements of float.
template <class V, class Function, class... More>
NPP_FUNCTION V by_double(Function function, V x, More... more) {
  if constexpr (kIsNumber<V>) {
    return static_cast<float>(function(static_cast<double>(x), static_cast<double>(more)...));
  } else {
    using Half = Vector<float, kCount<V> / 2>;
    V result;
    for (int place = 0; place < int(sizeof(V)); place += int(sizeof(Half))) {
      const auto wide = function(half_of(x, place), half_of(more, place)...);
      const Half half = __builtin_convertvector(wide, Half);
      __builtin_memcpy(reinterpret_cast<char*>(&result) + place, &half, sizeof half);
    }
    return result;
  }
}
#endif

}  // namespace npp::lanes
