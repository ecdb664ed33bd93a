// Accesses with checked indices: one out of bounds is reported with its axis and size, reads as
// zero and writes nothing. Writes to a dummy element are no alternative: NVRTC 13.0 drops writes
// through a pointer to either device or thread-local memory.
#pragma once

#include "npp/core/array.hpp"
#include "npp/core/errors.hpp"

namespace npp {

template <uint32 exception>
NPP_FUNCTION bool is_index_within(Errors& errors, int64 index, int64 axis, int64 size) {
  if (is_within(index, size)) return true;
  errors.report(exception, index, axis, size);
  return false;
}
template <uint32 exception, class Item>
NPP_FUNCTION bool is_index_within(Errors&, Item, int64, int64) {
  return true;  // slices are clipped
}

template <uint32 exception, class Array, class... Index>
NPP_FUNCTION bool are_indices_within(Errors& errors, const Array& array, Index... index) {
  int axis = 0;
  bool is_inside = true;
  ((is_inside = is_index_within<exception>(errors, index, axis, array.shape(axis)) && is_inside,
    ++axis),
   ...);
  return is_inside;
}

// array.at(index...) for reading.
template <uint32 exception, class Array, class... Index>
NPP_FUNCTION auto checked_load(Errors& errors, Array& array, Index... index) {
  using Value = WithoutConst<WithoutReference<decltype(array.at(index...))>>;
  if (!are_indices_within<exception>(errors, array, int64(index)...)) return Value();
  return Value(array.at(index...));
}

// array.at(index...) for assignment.
template <class T>
class CheckedElement {
 public:
  NPP_FUNCTION explicit CheckedElement(T* element) : element_(element) {}
  NPP_FUNCTION void operator=(T value) const {
    if (element_ != nullptr) *element_ = value;
  }

 private:
  T* element_;
};
template <uint32 exception, class Array, class... Index>
NPP_FUNCTION auto checked_at(Errors& errors, Array& array, Index... index) {
  using Value = WithoutReference<decltype(array.at(index...))>;
  const bool is_inside = are_indices_within<exception>(errors, array, int64(index)...);
  return CheckedElement<Value>(is_inside ? &array.at(index...) : nullptr);
}

// part(array, items...) with checks.
template <uint32 exception, class T, int rank, class... Items>
NPP_FUNCTION auto checked_part(Errors& errors, const View<T, rank>& array, Items... items) {
  if (are_indices_within<exception>(errors, array, items...)) return part(array, items...);
  decltype(part(array, items...)) nothing(nullptr);
  for (int i = 0; i < nothing.kRank; ++i) nothing.set(i, 0, 0);
  return nothing;
}

}  // namespace npp
