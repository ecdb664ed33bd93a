// npp::Array: what a generalized kernel sees of an operand with core dimensions: a view with sizes
// and strides. Host and device code share it.
#pragma once

#include "numpy_plugin/prelude.hpp"

namespace npp {

inline constexpr intp kAnySize = -1;

// A core dimension: the index of its name in the layout, and its size where the layout freezes it.
template <int name, intp size = kAnySize>
struct Dim {
  static constexpr bool kHasName = true;
  NPP_FUNCTION static intp size_from(const intp* sizes) {
    return size == kAnySize ? sizes[name] : size;
  }
};

// Stands for the missing core dimensions of an output that has none: one element, no stride.
struct One {
  static constexpr bool kHasName = false;
  NPP_FUNCTION static intp size_from(const intp*) { return 1; }
};

template <class T>
struct Element {
  using Reference = T&;
  NPP_FUNCTION static Reference at(char* address) { return *reinterpret_cast<T*>(address); }
};
// NumPy lets any byte that is not zero stand for true; C++ does not.
template <>
struct Element<const bool> {
  using Reference = bool;
  NPP_FUNCTION static bool at(char* address) {
    return *reinterpret_cast<const uint8*>(address) != 0;
  }
};

template <class T, class... Dims>
class Array {
 public:
  static constexpr int kRank = sizeof...(Dims);
  static constexpr int kStrides = (0 + ... + int(Dims::kHasName));
  using Reference = typename Element<T>::Reference;

  // `sizes` of all names of the layout; `strides` in bytes of this operand's own dimensions.
  NPP_FUNCTION Array(char* data, const intp* sizes, const intp* strides)
      : data_(data), sizes_{Dims::size_from(sizes)...} {
    for (int axis = 0; axis < kStrides; ++axis) strides_[axis] = strides[axis];
  }

  NPP_FUNCTION intp shape(int axis) const { return sizes_[axis]; }

  template <class... Index>
  NPP_FUNCTION Reference operator()(Index... index) const {
    static_assert(sizeof...(Index) == kRank, "one index a dimension is expected");
    const int64 indices[] = {int64(index)...};
    return element(indices);
  }

  template <class Index>
  NPP_FUNCTION Reference operator[](Index index) const {
    return (*this)(index);
  }

  // As operator(), but a negative index counts from the end of its dimension.
  template <class... Index>
  NPP_FUNCTION Reference at(Index... index) const {
    static_assert(sizeof...(Index) == kRank, "one index a dimension is expected");
    int64 indices[] = {int64(index)...};
    for (int axis = 0; axis < kRank; ++axis) indices[axis] += indices[axis] >> 63 & sizes_[axis];
    return element(indices);
  }

 private:
  NPP_FUNCTION Reference element(const int64* indices) const {
    int64 offset = 0;
    for (int axis = 0; axis < kStrides; ++axis) offset += indices[axis] * strides_[axis];
    return Element<T>::at(data_ + offset);
  }

  char* data_;
  intp sizes_[kRank];
  intp strides_[kStrides > 0 ? kStrides : 1];
};

}  // namespace npp
