// Arrays in kernels: npp::Array is an operand with core dimensions in a generalized kernel,
// npp::View any part of an array, npp::LocalArray one created by the kernel. Shared by host and
// device code.
#pragma once

#include "npp/core/prelude.hpp"
#if NPP_CHECKS_BOUNDS
#include "npp/cuda/index_fault.hpp"
#endif

// Storage of constant arrays: in constant memory, which serves threads reading the same element in
// one access, or in global memory.
#if NPP_DEVICE
#define NPP_CONSTANT static __constant__ const
#define NPP_LARGE_CONSTANT static __device__ const
#else
#define NPP_CONSTANT static const
#define NPP_LARGE_CONSTANT static const
#endif

namespace npp {

inline constexpr intp kAnySize = -1;

// Whether an index is valid in a dimension; negative ones count from the end.
NPP_FUNCTION constexpr bool is_within(int64 index, int64 size) {
  return -size <= index && index < size;
}

// On a simulated device, which detects mistakes, an index out of bounds aborts the launch.
NPP_FUNCTION void require_within([[maybe_unused]] int64 index, [[maybe_unused]] int axis,
                                 [[maybe_unused]] int64 size) {
#if NPP_CHECKS_BOUNDS
  if (!is_within(index, size)) fail_index(index, axis, size);
#endif
}

// An index that is known not to be negative.
struct Counted {
  int64 value;
  NPP_FUNCTION constexpr operator int64() const { return value; }
};

// Negative indices count from the end of their dimension.
template <class Index>
NPP_FUNCTION int64 index_from_start(Index index, int axis, int64 size) {
  require_within(index, axis, size);
  if constexpr (kIsSame<Index, Counted>) return index;
  return int64(index) + (int64(index) >> 63 & size);
}

// A core dimension: the index of its name in the layout, and its size where the layout fixes it.
template <int name, intp size = kAnySize>
struct Dim {
  static constexpr bool kHasName = true;
  static constexpr intp kSize = size;
  NPP_FUNCTION static intp size_from(const intp* sizes) {
    return size == kAnySize ? sizes[name] : size;
  }
};

// Replaces the core dimensions of an output without any: one element, no stride.
struct One {
  static constexpr bool kHasName = false;
  static constexpr intp kSize = 1;
  NPP_FUNCTION static intp size_from(const intp*) { return 1; }
};

template <class T>
struct Element {
  using Reference = T&;
  NPP_FUNCTION static Reference at(char* address) { return *reinterpret_cast<T*>(address); }
};
// In NumPy any nonzero byte is a valid true; in C++ it is not.
template <>
struct Element<const bool> {
  using Reference = bool;
  NPP_FUNCTION static bool at(char* address) {
    return *reinterpret_cast<const uint8*>(address) != 0;
  }
};

// Elements of type T anywhere in memory, one where there are no dimensions: sizes, and strides in
// bytes. At most one dimension lacks a
// stride: then it is the only one and has one element.
template <class T, int rank, int n_strides = rank>
class View {
 public:
  static constexpr int kRank = rank;
  static constexpr int kStrides = n_strides;
  using Reference = typename Element<T>::Reference;

  View() = default;
  NPP_FUNCTION explicit View(const void* data)
      : data_(const_cast<char*>(static_cast<const char*>(data))) {}

  // Converts a view to a read-only one, or to one with all strides.
  template <class Other, int n_other_strides>
  requires(kIsSame<T, Other> || kIsSame<T, const Other>) NPP_FUNCTION
      View(const View<Other, rank, n_other_strides>& other)
      : View(other.data()) {
    for (int axis = 0; axis < rank; ++axis) {
      const bool has_stride = axis < n_other_strides;
      set(axis, other.shape(axis), has_stride ? other.stride(axis) : 0);
    }
  }

  NPP_FUNCTION char* data() const { return data_; }
  NPP_FUNCTION intp shape(int axis) const { return sizes_[axis]; }
  NPP_FUNCTION intp stride(int axis) const { return strides_[axis]; }
  NPP_FUNCTION void move(intp n_bytes) { data_ += n_bytes; }
  NPP_FUNCTION void set(int axis, intp size, intp stride) {
    sizes_[axis] = size;
    if (axis < kStrides) strides_[axis] = stride;
  }

  template <class... Index>
  NPP_FUNCTION Reference operator()(Index... index) const {
    static_assert(sizeof...(Index) == kRank, "one index a dimension is expected");
    const int64 indices[sizeof...(Index) + 1] = {int64(index)...};
    return element(indices);
  }

  template <class Index>
  NPP_FUNCTION Reference operator[](Index index) const {
    return (*this)(index);
  }

  // As operator(), but indices may be negative.
  template <class... Index>
  NPP_FUNCTION Reference at(Index... index) const {
    static_assert(sizeof...(Index) == kRank, "one index a dimension is expected");
    [[maybe_unused]] int axis = -1;
    const int64 indices[sizeof...(Index) + 1] = {
        (++axis, index_from_start(index, axis, sizes_[axis]))...};
    return element(indices);
  }

 private:
  NPP_FUNCTION Reference element(const int64* indices) const {
    int64 offset = 0;
    for (int axis = 0; axis < kStrides; ++axis) offset += indices[axis] * strides_[axis];
    return Element<T>::at(data_ + offset);
  }

  char* data_;
  intp sizes_[kRank > 0 ? kRank : 1];
  intp strides_[kStrides > 0 ? kStrides : 1];
};

// Indices that select a part of an array, one per dimension: an integer, which removes it, or one
// of these.
struct All {};
struct Slice {
  int64 start, stop, step;  // as in Python, step != 0
};

template <class T, int rank>
class PartBuilder {
 public:
  NPP_FUNCTION explicit PartBuilder(char* data) : part(data) {}

  NPP_FUNCTION void add(int axis, intp size, intp stride, int64 index) {
    require_within(index, axis, size);
    part.move((index + (index >> 63 & size)) * stride);
  }
  NPP_FUNCTION void add(int, intp size, intp stride, All) { part.set(n_kept_++, size, stride); }
  NPP_FUNCTION void add(int, intp size, intp stride, Slice slice) {
    const bool is_backward = slice.step < 0;
    const int64 start = clip(slice.start, size, is_backward);
    const int64 stop = clip(slice.stop, size, is_backward);
    const int64 length = is_backward ? start - stop : stop - start;
    const int64 step = is_backward ? -slice.step : slice.step;
    part.move(start * stride);
    part.set(n_kept_++, length > 0 ? (length - 1) / step + 1 : 0,
             intp(uint64(stride) * uint64(slice.step)));
  }

  View<T, rank> part;

 private:
  NPP_FUNCTION static int64 clip(int64 bound, intp size, bool is_backward) {
    const int64 lowest = is_backward ? -1 : 0;
    const int64 highest = is_backward ? size - 1 : size;
    if (bound < 0) bound += size;
    return bound < lowest ? lowest : bound > highest ? highest : bound;
  }

  int n_kept_ = 0;
};

template <class T, int rank, class... Items>
NPP_FUNCTION auto part(const View<T, rank>& array, Items... items) {
  static_assert(sizeof...(Items) == rank, "one index a dimension is expected");
  PartBuilder<T, (0 + ... + int(!kIsSame<Items, int64>))> builder(array.data());
  int axis = 0;
  ((builder.add(axis, array.shape(axis), array.stride(axis), items), ++axis), ...);
  return builder.part;
}

// A view with the dimensions reversed.
template <class T, int rank>
NPP_FUNCTION View<T, rank> transposed(const View<T, rank>& array) {
  View<T, rank> result(array.data());
  for (int axis = 0; axis < rank; ++axis) {
    result.set(axis, array.shape(rank - 1 - axis), array.stride(rank - 1 - axis));
  }
  return result;
}

// Views of one of the two parts of complex numbers.
template <class Part, class T, int rank>
NPP_FUNCTION View<Part, rank> parts_at(const View<T, rank>& array, intp offset) {
  View<Part, rank> result(array.data() + offset);
  for (int axis = 0; axis < rank; ++axis) result.set(axis, array.shape(axis), array.stride(axis));
  return result;
}
template <class T, int rank>
NPP_FUNCTION View<T, rank> real_parts(const View<Complex<T>, rank>& array) {
  return parts_at<T>(array, 0);
}
template <class T, int rank>
NPP_FUNCTION View<const T, rank> real_parts(const View<const Complex<T>, rank>& array) {
  return parts_at<const T>(array, 0);
}
template <class T, int rank>
NPP_FUNCTION View<T, rank> imaginary_parts(const View<Complex<T>, rank>& array) {
  return parts_at<T>(array, sizeof(T));
}
template <class T, int rank>
NPP_FUNCTION View<const T, rank> imaginary_parts(const View<const Complex<T>, rank>& array) {
  return parts_at<const T>(array, sizeof(T));
}

// An operand with core dimensions: sizes from the call or fixed by the layout.
template <class T, class... Dims>
class Array : public View<T, sizeof...(Dims), (0 + ... + int(Dims::kHasName))> {
 public:
  // `sizes` of all names of the layout; `strides` in bytes of this operand's own dimensions.
  NPP_FUNCTION Array(char* data, const intp* sizes, const intp* strides)
      : View<T, sizeof...(Dims), (0 + ... + int(Dims::kHasName))>(data) {
    const intp own_sizes[] = {Dims::size_from(sizes)...};
    for (int axis = 0; axis < this->kRank; ++axis)
      this->set(axis, own_sizes[axis], axis < this->kStrides ? strides[axis] : 0);
  }
};

// An array that contains its elements, in C order.
template <class T, intp... extents>
struct LocalArray {
  static constexpr int kRank = sizeof...(extents);

  T elements[(extents * ...)];

  NPP_FUNCTION static constexpr intp shape(int axis) {
    constexpr intp sizes[] = {extents...};
    return sizes[axis];
  }

  template <class... Index>
  NPP_FUNCTION T& at(Index... index) {
    return elements[position(index...)];
  }
  template <class... Index>
  NPP_FUNCTION const T& at(Index... index) const {
    return elements[position(index...)];
  }

  NPP_FUNCTION operator View<T, kRank>() { return view<T>(); }
  NPP_FUNCTION operator View<const T, kRank>() const { return view<const T>(); }

 private:
  template <class... Index>
  NPP_FUNCTION static int64 position(Index... index) {
    static_assert(sizeof...(Index) == kRank, "one index a dimension is expected");
    int64 result = 0;
    int axis = -1;
    ((++axis, result = result * shape(axis) + index_from_start(index, axis, shape(axis))), ...);
    return result;
  }

  template <class Item>
  NPP_FUNCTION View<Item, kRank> view() const {
    View<Item, kRank> result(elements);
    intp stride = sizeof(T);
    for (int axis = kRank - 1; axis >= 0; --axis) {
      result.set(axis, shape(axis), stride);
      stride *= shape(axis);
    }
    return result;
  }
};

}  // namespace npp
