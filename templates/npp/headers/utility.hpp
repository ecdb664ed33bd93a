// <utility> for NVRTC, which has std::move and std::forward itself.
#pragma once

#include "npp/headers/type_traits.hpp"

namespace std {

template <class T>
NPP_FUNCTION T&& declval() noexcept;

template <class T>
NPP_FUNCTION constexpr void swap(T& a, T& b) {
  T kept = a;
  a = b;
  b = kept;
}
template <class T, class Other = T>
NPP_FUNCTION constexpr T exchange(T& value, Other&& other) {
  T kept = value;
  value = other;
  return kept;
}

template <class A, class B>
struct pair {
  using first_type = A;
  using second_type = B;
  A first;
  B second;

  NPP_FUNCTION constexpr pair() : first(), second() {}
  NPP_FUNCTION constexpr pair(const A& a, const B& b) : first(a), second(b) {}
};
template <class A, class B>
NPP_FUNCTION constexpr pair<A, B> make_pair(A a, B b) {
  return {a, b};
}
template <class A, class B>
NPP_FUNCTION constexpr bool operator==(const pair<A, B>& x, const pair<A, B>& y) {
  return x.first == y.first && x.second == y.second;
}
template <class A, class B>
NPP_FUNCTION constexpr bool operator<(const pair<A, B>& x, const pair<A, B>& y) {
  return x.first < y.first || (!(y.first < x.first) && x.second < y.second);
}

}  // namespace std
