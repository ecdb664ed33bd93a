// Assignments to multidimensional arrays that overlap their source: array[:, ::-1] = array. Without
// memory for a copy, each element is written after the last read of its old value. Element t takes
// the value of the source's element t; the element `next(t)` overwrites that value, and is written
// after t. These are paths and cycles, since no two elements of either array share an address.
// (In-place permutation by following cycles: Knuth, The Art of Computer Programming, volume 1,
// section 1.3.3.)
#pragma once

#include "npp/core/array.hpp"

namespace npp {

// Elements of a view, numbered in C order.
template <class T, int rank>
class NumberedView {
 public:
  NPP_FUNCTION explicit NumberedView(const View<T, rank>& view) : view_(view) {
    for (int axis = 0; axis < rank; ++axis) insert(axis);
    weights_[rank - 1] = 1;
    for (int axis = rank - 1; axis > 0; --axis) {
      weights_[axis - 1] = weights_[axis] * view.shape(axis);
    }
  }

  NPP_FUNCTION intp size() const { return weights_[0] * view_.shape(0); }

  NPP_FUNCTION char* address(intp number) const {
    char* result = view_.data();
    for (int axis = 0; axis < rank; ++axis) {
      result += number / weights_[axis] % view_.shape(axis) * view_.stride(axis);
    }
    return result;
  }

  // The number of the element at an address; -1 if there is none.
  NPP_FUNCTION intp find(const char* address) const { return find_from<0>(address - view_.data()); }

  // The address range from the lowest to the highest element.
  NPP_FUNCTION const char* begin() const { return view_.data() + lowest(0); }
  NPP_FUNCTION const char* end() const { return view_.data() + highest(0) + sizeof(T); }

 private:
  // Sorts by decreasing strides.
  NPP_FUNCTION void insert(int axis) {
    int place = axis;
    for (; place > 0 && length(order_[place - 1]) < length(axis); --place) {
      order_[place] = order_[place - 1];
    }
    order_[place] = axis;
  }
  NPP_FUNCTION intp length(int axis) const {
    const intp stride = view_.stride(axis);
    return stride < 0 ? -stride : stride;
  }

  // Extent of one axis; lowest and highest offsets of the sorted axes from `first` on.
  NPP_FUNCTION intp reach(int axis) const { return (view_.shape(axis) - 1) * view_.stride(axis); }
  NPP_FUNCTION intp lowest(int first) const {
    intp result = 0;
    for (int i = first; i < rank; ++i) result += reach(order_[i]) < 0 ? reach(order_[i]) : 0;
    return result;
  }
  NPP_FUNCTION intp highest(int first) const {
    intp result = 0;
    for (int i = first; i < rank; ++i) result += reach(order_[i]) > 0 ? reach(order_[i]) : 0;
    return result;
  }

  // Where strides do not exceed each other's extents there is one index to try along each axis.
  template <int place>
  NPP_FUNCTION intp find_from(intp distance) const {
    if constexpr (place == rank) {
      return distance == 0 ? 0 : -1;
    } else {
      const int axis = order_[place];
      const intp stride = view_.stride(axis);
      const intp least = distance - highest(place + 1);
      const intp most = distance - lowest(place + 1);
      for (intp i = first_index(axis, stride < 0 ? most : least); i < view_.shape(axis); ++i) {
        const intp offset = i * stride;
        if (stride < 0 ? offset < least : offset > most) break;
        const intp rest = find_from<place + 1>(distance - offset);
        if (rest >= 0) return i * weights_[axis] + rest;
        if (stride == 0) break;
      }
      return -1;
    }
  }

  // The first index along an axis whose offset reaches a distance.
  NPP_FUNCTION intp first_index(int axis, intp distance) const {
    const intp stride = view_.stride(axis);
    if (stride == 0 || (distance < 0) != (stride < 0)) return 0;
    return (distance + (stride < 0 ? stride + 1 : stride - 1)) / stride;
  }

  View<T, rank> view_;
  int order_[rank];
  intp weights_[rank];
};

// Two arrays of the same shape.
template <class T, int rank>
class Permuter {
 public:
  NPP_FUNCTION Permuter(const View<T, rank>& target, const View<T, rank>& source)
      : target_(target), source_(source), n_(target_.size()) {}

  NPP_FUNCTION bool is_apart() const {
    return target_.end() <= source_.begin() || source_.end() <= target_.begin();
  }

  NPP_FUNCTION void run() const {
    for (intp i = 0; i < n_; ++i) {
      if (source_.find(target_.address(i)) < 0)
        follow(i);
      else if (is_least_of_cycle(i))
        rotate(i);
    }
  }

 private:
  NPP_FUNCTION T read(intp i) const { return Element<T>::at(source_.address(i)); }
  NPP_FUNCTION void write(intp i, T value) const { Element<T>::at(target_.address(i)) = value; }
  NPP_FUNCTION intp next(intp i) const { return target_.find(source_.address(i)); }

  // Steps are counted: arrays with two elements at one address could cause an endless cycle.
  NPP_FUNCTION void follow(intp i) const {
    for (intp steps = 0; i >= 0 && steps < n_; ++steps) {
      write(i, read(i));
      i = next(i);
    }
  }

  NPP_FUNCTION bool is_least_of_cycle(intp i) const {
    intp other = next(i);
    for (intp steps = 0; other > i && steps < n_; ++steps) other = next(other);
    return other == i;
  }

  NPP_FUNCTION void rotate(intp first) const {
    const T overwritten = Element<T>::at(target_.address(first));
    intp i = first;
    for (intp other = next(i); other != first; other = next(i)) {
      write(i, read(i));
      i = other;
    }
    write(i, overwritten);
  }

  NumberedView<T, rank> target_;
  NumberedView<T, rank> source_;
  intp n_;
};

}  // namespace npp
