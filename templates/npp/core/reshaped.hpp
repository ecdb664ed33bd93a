// Arrays with another shape: views of the same elements, or of copies.
#pragma once

#include "npp/core/elements.hpp"

namespace npp {

// Whether elements are evenly spaced in C order.
template <class T, int rank>
NPP_FUNCTION bool is_even(const View<T, rank>& array) {
  intp step = 0;
  for (int axis = rank - 1; axis >= 0; --axis) {
    const intp size = array.shape(axis);
    if (size == 0) return true;
    if (size == 1) continue;
    if (step != 0 && array.stride(axis) != step) return false;
    step = array.stride(axis) * size;
  }
  return true;
}

// A view of evenly spaced elements, in C order, with other sizes.
template <class T, int rank, class... Sizes>
NPP_FUNCTION View<T, sizeof...(Sizes)> reshaped(const View<T, rank>& array, Sizes... sizes) {
  constexpr int kRank = sizeof...(Sizes);
  const intp all[] = {intp(sizes)...};
  intp stride = 0;
  for (int axis = 0; axis < rank; ++axis)
    if (array.shape(axis) != 1) stride = array.stride(axis);
  View<T, kRank> result(array.data());
  for (int axis = kRank - 1; axis >= 0; --axis) {
    result.set(axis, all[axis], stride);
    stride *= all[axis];
  }
  return result;
}

// Likewise of others' copies.
template <class T, int rank, class Item, class... Sizes>
NPP_FUNCTION View<T, sizeof...(Sizes)> reshaped(const View<T, rank>& array,
                                                const View<Item, rank>& copy, Sizes... sizes) {
  if (is_even(array)) return reshaped(array, sizes...);
  copy_elements(copy, array);
  return reshaped(View<T, rank>(copy), sizes...);
}

}  // namespace npp
