// Products of integers: full, low half or high half.
#pragma once

#include "simulator/handlers/common/lanes.hpp"

namespace numpy_plugin::sim::NPP_ISA {

template <class T>
struct WiderOf;
template <>
struct WiderOf<std::uint16_t> {
  using Type = std::uint32_t;
};
template <>
struct WiderOf<std::int16_t> {
  using Type = std::int32_t;
};
template <>
struct WiderOf<std::uint32_t> {
  using Type = std::uint64_t;
};
template <>
struct WiderOf<std::int32_t> {
  using Type = std::int64_t;
};
__extension__ typedef unsigned __int128 Unsigned128;
__extension__ typedef __int128 Signed128;
template <>
struct WiderOf<std::uint64_t> {
  using Type = Unsigned128;
};
template <>
struct WiderOf<std::int64_t> {
  using Type = Signed128;
};
template <class T>
using Wider = typename WiderOf<T>::Type;

struct WideProduct {
  template <class T>
  static Wider<T> apply(T a, T b) {
    return static_cast<Wider<T>>(a) * b;
  }
};

struct LowProduct {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(static_cast<Wider<T>>(a) * b);
  }
};

struct HighProduct {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(WideProduct::apply(a, b) >> (8 * sizeof(T)));
  }
};

// mul and mad without carry.
Handler find_product(const Operation& operation);
// mul24 and mad24.
Handler find_product_of_24(const Operation& operation);

// dp2a, dp4a.
Handler find_byte_sum(const Operation& operation);

}  // namespace numpy_plugin::sim::NPP_ISA
