// <algorithm> for NVRTC: what kernels use of it; std::min, max and clamp are there anyway.
#pragma once

#include "npp/headers/utility.hpp"

namespace std {

struct LessThan {
  template <class A, class B>
  NPP_FUNCTION constexpr bool operator()(const A& a, const B& b) const {
    return a < b;
  }
};

template <class Iterator, class T>
NPP_FUNCTION constexpr void fill(Iterator first, Iterator last, const T& value) {
  for (; first != last; ++first) *first = value;
}
template <class Iterator, class Count, class T>
NPP_FUNCTION constexpr Iterator fill_n(Iterator first, Count count, const T& value) {
  for (; count > 0; --count) *first++ = value;
  return first;
}
template <class Input, class Output>
NPP_FUNCTION constexpr Output copy(Input first, Input last, Output result) {
  for (; first != last; ++first) *result++ = *first;
  return result;
}
template <class Input, class Output, class Function>
NPP_FUNCTION constexpr Output transform(Input first, Input last, Output result, Function function) {
  for (; first != last; ++first) *result++ = function(*first);
  return result;
}
template <class Iterator, class Function>
NPP_FUNCTION constexpr Function for_each(Iterator first, Iterator last, Function function) {
  for (; first != last; ++first) function(*first);
  return function;
}
template <class Iterator>
NPP_FUNCTION constexpr void reverse(Iterator first, Iterator last) {
  while (first != last && first != --last) std::swap(*first++, *last);
}

template <class Iterator, class Test>
NPP_FUNCTION constexpr Iterator find_if(Iterator first, Iterator last, Test test) {
  while (first != last && !test(*first)) ++first;
  return first;
}
template <class Iterator, class T>
NPP_FUNCTION constexpr Iterator find(Iterator first, Iterator last, const T& value) {
  while (first != last && !(*first == value)) ++first;
  return first;
}
template <class Iterator, class Test>
NPP_FUNCTION constexpr bool any_of(Iterator first, Iterator last, Test test) {
  return std::find_if(first, last, test) != last;
}
template <class Iterator, class Test>
NPP_FUNCTION constexpr bool all_of(Iterator first, Iterator last, Test test) {
  while (first != last && test(*first)) ++first;
  return first == last;
}
template <class Iterator, class T>
NPP_FUNCTION constexpr long count(Iterator first, Iterator last, const T& value) {
  long found = 0;
  for (; first != last; ++first) found += *first == value ? 1 : 0;
  return found;
}

template <class Iterator, class Less = LessThan>
NPP_FUNCTION constexpr Iterator min_element(Iterator first, Iterator last, Less less = {}) {
  Iterator least = first;
  for (; first != last; ++first) least = less(*first, *least) ? first : least;
  return least;
}
template <class Iterator, class Less = LessThan>
NPP_FUNCTION constexpr Iterator max_element(Iterator first, Iterator last, Less less = {}) {
  Iterator most = first;
  for (; first != last; ++first) most = less(*most, *first) ? first : most;
  return most;
}

// ---- sorted ranges

template <class Iterator, class T, class Less = LessThan>
NPP_FUNCTION constexpr Iterator lower_bound(Iterator first, Iterator last, const T& value,
                                            Less less = {}) {
  for (auto count = last - first; count > 0;) {
    const auto half = count / 2;
    const bool is_before = less(first[half], value);
    if (is_before) first += half + 1;
    count = is_before ? count - half - 1 : half;
  }
  return first;
}
template <class Iterator, class T, class Less = LessThan>
NPP_FUNCTION constexpr Iterator upper_bound(Iterator first, Iterator last, const T& value,
                                            Less less = {}) {
  for (auto count = last - first; count > 0;) {
    const auto half = count / 2;
    const bool is_before = !less(value, first[half]);
    if (is_before) first += half + 1;
    count = is_before ? count - half - 1 : half;
  }
  return first;
}

template <class Iterator, class Count, class Less>
NPP_FUNCTION constexpr void sift_down(Iterator heap, Count at, Count count, Less less) {
  for (Count child = 2 * at + 1; child < count; at = child, child = 2 * at + 1) {
    if (child + 1 < count && less(heap[child], heap[child + 1])) ++child;
    if (!less(heap[at], heap[child])) return;
    std::swap(heap[at], heap[child]);
  }
}
// A heap sort: threads have small stacks.
template <class Iterator, class Less = LessThan>
NPP_FUNCTION constexpr void sort(Iterator first, Iterator last, Less less = {}) {
  auto count = last - first;
  for (auto at = count / 2; at-- > 0;) std::sift_down(first, at, count, less);
  while (count > 1) {
    --count;
    std::swap(first[0], first[count]);
    std::sift_down(first, decltype(count)(0), count, less);
  }
}

}  // namespace std
