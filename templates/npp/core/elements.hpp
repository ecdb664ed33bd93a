// Assignments to many elements at once: array[1:] = number, array[:] = other. Dimensions of size 1
// in the source, and missing ones, are broadcast as in NumPy.
#pragma once

#include "npp/core/array.hpp"
#include "npp/core/cast.hpp"
#include "npp/core/errors.hpp"
#include "npp/core/permute_elements.hpp"

namespace npp {

template <int axis, class T, int rank>
NPP_FUNCTION void fill_from(const View<T, rank>& target, char* to, T value) {
  for (intp i = 0; i < target.shape(axis); ++i, to += target.stride(axis)) {
    if constexpr (axis + 1 < rank)
      fill_from<axis + 1>(target, to, value);
    else
      Element<T>::at(to) = value;
  }
}

template <class T, int rank>
NPP_FUNCTION void fill_elements(const View<T, rank>& target, T value) {
  fill_from<0>(target, target.data(), value);
}

// The first axis of the target that the source can't be broadcast to; -1 where it fits.
template <class Target, class Source>
NPP_FUNCTION int find_misfit(const Target& target, const Source& source) {
  constexpr int kFirst = Target::kRank - Source::kRank;
  for (int axis = kFirst; axis < Target::kRank; ++axis) {
    const intp size = source.shape(axis - kFirst);
    if (size != target.shape(axis) && size != 1) return axis;
  }
  return -1;
}

template <class Target, class Source>
NPP_FUNCTION void require_fit([[maybe_unused]] const Target& target,
                              [[maybe_unused]] const Source& source) {
#if NPP_CHECKS_BOUNDS
  const int axis = find_misfit(target, source);
  if (axis < 0) return;
  fail_fit(source.shape(axis - Target::kRank + Source::kRank), axis, target.shape(axis));
#endif
}

template <int axis, class To, int rank, class From, int source_rank>
NPP_FUNCTION void copy_from(const View<To, rank>& target, const View<From, source_rank>& source,
                            char* to, char* from) {
  constexpr int kSourceAxis = axis - (rank - source_rank);
  intp step = 0;
  if constexpr (kSourceAxis >= 0) {
    if (source.shape(kSourceAxis) == target.shape(axis)) step = source.stride(kSourceAxis);
  }
  for (intp i = 0; i < target.shape(axis); ++i, to += target.stride(axis), from += step) {
    if constexpr (axis + 1 < rank)
      copy_from<axis + 1>(target, source, to, from);
    else
      Element<To>::at(to) = cast<To>(Element<const From>::at(from));
  }
}

// Copies elements that do not overlap the target.
template <class To, int rank, class From, int source_rank>
NPP_FUNCTION void copy_elements(const View<To, rank>& target,
                                const View<From, source_rank>& source) {
  require_fit(target, source);
  copy_from<0>(target, source, target.data(), source.data());
}

// Two rows of equal length that may overlap. Element i of the target is element j of the source
// where i * to_step + distance == j * from_step.
template <class T>
class Mover {
 public:
  NPP_FUNCTION Mover(const View<T, 1>& target, const View<T, 1>& source)
      : to_(target.data()),
        from_(source.data()),
        n_(target.shape(0)),
        to_step_(target.stride(0)),
        from_step_(source.stride(0)),
        distance_(to_ - from_) {}

  // Reads each element before it is overwritten.
  NPP_FUNCTION void run() const {
    if (to_step_ == from_step_) return shift();
    if (to_step_ == -from_step_) return reverse();
    const intp width = to_step_ < 0 ? -to_step_ : to_step_;
    const intp from_width = from_step_ < 0 ? -from_step_ : from_step_;
    width > from_width ? inward() : outward();
  }

 private:
  NPP_FUNCTION T read(intp i) const { return Element<T>::at(from_ + i * from_step_); }
  NPP_FUNCTION void write(intp i, T value) const { Element<T>::at(to_ + i * to_step_) = value; }
  NPP_FUNCTION void take(intp i) const { write(i, read(i)); }

  NPP_FUNCTION void shift() const {
    if (distance_ != 0 && (distance_ > 0) == (to_step_ > 0)) {
      for (intp i = n_; i-- > 0;) take(i);
    } else {
      for (intp i = 0; i < n_; ++i) take(i);
    }
  }

  // Element i of the target overwrites the source of element `sum - i`, and vice versa.
  NPP_FUNCTION void reverse() const {
    const bool shares = distance_ % to_step_ == 0;
    const intp sum = -distance_ / to_step_;
    for (intp i = 0; i < n_; ++i) {
      const intp other = shares ? sum - i : -1;
      const bool has_other = other >= 0 && other < n_;
      if (has_other && other < i) continue;
      const T value = read(i);
      if (has_other) write(other, read(other));
      write(i, value);
    }
  }

  // Around the meeting point of both rows, the one with the longer step leads: if it is the target,
  // copying begins at the far ends, if it is the source, in the middle.
  NPP_FUNCTION intp distance_to_meeting_point(intp i) const {
    const intp gap = i * (to_step_ - from_step_) + distance_;
    return gap < 0 ? -gap : gap;
  }
  NPP_FUNCTION void inward() const {
    for (intp low = 0, high = n_ - 1; low <= high;)
      take(distance_to_meeting_point(low) > distance_to_meeting_point(high) ? low++ : high--);
  }
  NPP_FUNCTION void outward() const {
    intp high = 0;
    while (high < n_ && distance_to_meeting_point(high + 1) < distance_to_meeting_point(high))
      ++high;
    for (intp low = high - 1; low >= 0 || high < n_;) {
      const bool is_low = high >= n_ || (low >= 0 && distance_to_meeting_point(low) <
                                                         distance_to_meeting_point(high));
      take(is_low ? low-- : high++);
    }
  }

  char* to_;
  char* from_;
  intp n_;
  intp to_step_;
  intp from_step_;
  intp distance_;
};

// As copy_elements for one dimension, where target and source may overlap.
template <class T>
NPP_FUNCTION void move_elements(const View<T, 1>& target, const View<T, 1>& source) {
  require_fit(target, source);
  const bool is_repeated = source.shape(0) != target.shape(0) || source.stride(0) == 0;
  if (!is_repeated)
    Mover<T>(target, source).run();
  else if (target.shape(0) > 0)
    fill_elements(target, Element<T>::at(source.data()));
}

// Likewise for several dimensions. Along dimensions that the source lacks or broadcasts, the first
// elements of the target become the source for the others.
template <class T, int rank, int source_rank>
NPP_LONG_FUNCTION void move_elements(const View<T, rank>& target,
                                     const View<T, source_rank>& source) {
  require_fit(target, source);
  View<T, rank> first = target;
  View<T, rank> moved(source.data());
  bool is_repeated = false;
  for (int axis = 0; axis < rank; ++axis) {
    const intp size = target.shape(axis);
    if (size == 0) return;
    const int source_axis = axis - (rank - source_rank);
    const intp step =
        source_axis < 0 || source.shape(source_axis) != size ? 0 : source.stride(source_axis);
    is_repeated = is_repeated || (step == 0 && size > 1);
    first.set(axis, step == 0 ? 1 : size, target.stride(axis));
    moved.set(axis, step == 0 ? 1 : size, step);
  }
  const Permuter<T, rank> permuter(first, moved);
  if (permuter.is_apart())
    copy_elements(first, moved);
  else
    permuter.run();
  if (is_repeated) copy_elements(target, first);
}

// Reports a source with mismatched shape, and leaves the target unchanged.
template <uint32 exception, class Target, class Source>
NPP_FUNCTION bool is_fit(Errors& errors, const Target& target, const Source& source) {
  const int axis = find_misfit(target, source);
  if (axis < 0) return true;
  errors.report(exception, int64(source.shape(axis - Target::kRank + Source::kRank)), int64(axis),
                int64(target.shape(axis)));
  return false;
}
template <uint32 exception, class Target, class Source>
NPP_FUNCTION void checked_copy(Errors& errors, const Target& target, const Source& source) {
  if (is_fit<exception>(errors, target, source)) copy_elements(target, source);
}
template <uint32 exception, class Target, class Source>
NPP_FUNCTION void checked_move(Errors& errors, const Target& target, const Source& source) {
  if (is_fit<exception>(errors, target, source)) move_elements(target, source);
}

}  // namespace npp
