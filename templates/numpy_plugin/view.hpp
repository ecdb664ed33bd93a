// npp::View: an array as a parameter of a device kernel, passed by value: where it begins, its
// shape and its strides in bytes.
#pragma once

#include "numpy_plugin/array.hpp"

namespace npp {

template <class T, int kRank>
struct View {
  char* data;
  int64 sizes[kRank];
  int64 strides[kRank];

  NPP_FUNCTION int64 shape(int axis) const { return sizes[axis]; }

  // A negative index counts from the end of its dimension.
  template <class... Index>
  NPP_FUNCTION T& at(Index... index) const {
    static_assert(sizeof...(Index) == kRank, "one index a dimension is expected");
    const int64 indices[] = {int64(index)...};
    int64 offset = 0;
    for (int axis = 0; axis < kRank; ++axis)
      offset += (indices[axis] + (indices[axis] >> 63 & sizes[axis])) * strides[axis];
    return Element<T>::at(data + offset);
  }
};

}  // namespace npp
