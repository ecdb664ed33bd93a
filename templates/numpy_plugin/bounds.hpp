// Accesses of kernels that check their indices: one out of bounds is reported with its axis and the
// size there, and the kernel goes on with an element, or a part, that belongs to no array.
#pragma once

#include "numpy_plugin/array.hpp"
#include "numpy_plugin/errors.hpp"

namespace npp {

template <class Result>
struct Nothing {  // of an element that is read only, and given as a value
  NPP_FUNCTION static Result in(Errors&) { return Result(); }
};
template <class T>
struct Nothing<T&> {
  NPP_FUNCTION static T& in(Errors& errors) {
    static_assert(sizeof(T) <= sizeof(errors.nothing));
    for (unsigned char& byte : errors.nothing) byte = 0;
    return *reinterpret_cast<T*>(errors.nothing);
  }
};

template <uint32 exception>
NPP_FUNCTION bool is_index_within(Errors& errors, int64 index, int64 axis, int64 size) {
  if (is_within(index, size)) return true;
  errors.report(exception, index, axis, size);
  return false;
}
template <uint32 exception, class Item>
NPP_FUNCTION bool is_index_within(Errors&, Item, int64, int64) {
  return true;  // a slice is clipped
}

// As array.at(index...).
template <uint32 exception, class Array, class... Index>
NPP_FUNCTION decltype(auto) checked_at(Errors& errors, Array& array, Index... index) {
  using Result = decltype(array.at(index...));
  int axis = 0;
  bool is_inside = true;
  ((is_inside =
        is_index_within<exception>(errors, int64(index), axis, array.shape(axis)) && is_inside,
    ++axis),
   ...);
  if (!is_inside) return Nothing<Result>::in(errors);
  return array.at(index...);
}

// As part(array, items...).
template <uint32 exception, class T, int rank, class... Items>
NPP_FUNCTION auto checked_part(Errors& errors, const View<T, rank>& array, Items... items) {
  int axis = 0;
  bool is_inside = true;
  ((is_inside = is_index_within<exception>(errors, items, axis, array.shape(axis)) && is_inside,
    ++axis),
   ...);
  if (is_inside) return part(array, items...);
  decltype(part(array, items...)) nothing(nullptr);
  for (int i = 0; i < nothing.kRank; ++i) nothing.set(i, 0, 0);
  return nothing;
}

}  // namespace npp
