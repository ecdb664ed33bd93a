// Arrays and indices of operations that run once for each index: RawArray is an operand that the
// operation indexes itself, Indexer the index, with CuPy's names.
#pragma once

#include "npp/core/array.hpp"

namespace npp {

// On devices the threads of a launch share the indices.
NPP_FUNCTION intp first_index() {
#if NPP_DEVICE
  return intp(blockIdx.x) * blockDim.x + threadIdx.x;
#else
  return 0;
#endif
}
NPP_FUNCTION intp index_step() {
#if NPP_DEVICE
  return intp(blockDim.x) * gridDim.x;
#else
  return 1;
#endif
}

// Sizes of dimensions, and the position of an element in C order.
template <int rank>
class Indexer {
 public:
  static constexpr int ndim = rank;

  NPP_FUNCTION explicit Indexer(const intp (&sizes)[rank]) {
    for (int axis = 0; axis < rank; ++axis) {
      sizes_[axis] = sizes[axis];
      size_ *= sizes[axis];
    }
  }

  NPP_FUNCTION intp size() const { return size_; }
  NPP_FUNCTION const intp* shape() const { return sizes_; }
  // The index along each dimension of the element that was set.
  NPP_FUNCTION const intp* get() const { return index_; }
  NPP_FUNCTION void set(intp element) {
    for (int axis = rank - 1; axis > 0; --axis) {
      index_[axis] = element % sizes_[axis];
      element /= sizes_[axis];
    }
    index_[0] = element;
  }

 private:
  intp sizes_[rank];
  intp index_[rank] = {};
  intp size_ = 1;
};

// An array indexed by elements in C order, or by one index per dimension.
template <class T, int rank>
class RawArray {
 public:
  static constexpr int ndim = rank;
  using Reference = typename Element<T>::Reference;

  template <class Operand>
  NPP_FUNCTION explicit RawArray(const Operand& operand) : data_(operand.data()) {
    for (int axis = rank - 1; axis >= 0; --axis) {
      sizes_[axis] = operand.shape(axis);
      strides_[axis] = operand.stride(axis);
      is_contiguous_ &= sizes_[axis] == 1 || strides_[axis] == size_ * intp(sizeof(T));
      size_ *= sizes_[axis];
    }
  }

  NPP_FUNCTION intp size() const { return size_; }
  NPP_FUNCTION const intp* shape() const { return sizes_; }
  NPP_FUNCTION const intp* strides() const { return strides_; }

  template <class Index>
  NPP_FUNCTION Reference operator[](const Index& element) const {
    return Element<T>::at(data_ + offset(element));
  }
  template <class Index>
  NPP_FUNCTION Reference operator[](const Index (&index)[rank]) const {
    intp bytes = 0;
    for (int axis = 0; axis < rank; ++axis) bytes += intp(index[axis]) * strides_[axis];
    return Element<T>::at(data_ + bytes);
  }
  NPP_FUNCTION Reference operator[](const intp* index) const {
    intp bytes = 0;
    for (int axis = 0; axis < rank; ++axis) bytes += index[axis] * strides_[axis];
    return Element<T>::at(data_ + bytes);
  }
  NPP_FUNCTION Reference operator[](intp* index) const {
    return (*this)[static_cast<const intp*>(index)];
  }

 private:
  // Empty arrays have no elements, and would divide by zero.
  NPP_FUNCTION intp offset(intp element) const {
    if (is_contiguous_ || size_ == 0) return element * intp(sizeof(T));
    intp bytes = 0;
    for (int axis = rank - 1; axis > 0; --axis) {
      bytes += element % sizes_[axis] * strides_[axis];
      element /= sizes_[axis];
    }
    return bytes + element * strides_[0];
  }

  char* data_;
  intp sizes_[rank];
  intp strides_[rank];
  intp size_ = 1;
  bool is_contiguous_ = true;
};

template <class T, class Operand>
NPP_FUNCTION RawArray<T, Operand::kRank> as_raw(const Operand& operand) {
  return RawArray<T, Operand::kRank>(operand);
}

template <class T, class Operand>
NPP_FUNCTION T* address_of(const Operand& operand) {
  return reinterpret_cast<T*>(operand.data());
}

template <class T, class Operand>
NPP_FUNCTION typename Element<T>::Reference element_at(const Operand& operand, const intp* index) {
  intp bytes = 0;
  for (int axis = 0; axis < Operand::kRank; ++axis) bytes += index[axis] * operand.stride(axis);
  return Element<T>::at(operand.data() + bytes);
}

}  // namespace npp
