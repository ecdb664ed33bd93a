// Pairwise sums of the library: the tree is that of sums in kernels.
#pragma once

#include <npp/core/pairwise_tree.hpp>

#include <complex>
#include <cstring>

namespace numpy_plugin::run {

// Reads a number or a vector at any address.
template <class Item>
Item load_item(const char* address) {
  Item item;
  std::memcpy(&item, address, sizeof(Item));
  return item;
}

template <class Value>
inline constexpr int kComponents = 1;
template <class Real>
inline constexpr int kComponents<std::complex<Real>> = 2;

// In elements.
template <class Value>
inline constexpr int kBlockAccumulators = npp::kSumAccumulators / kComponents<Value>;
template <class Value>
inline constexpr long kSumBlockElements = npp::kSumBlock / kComponents<Value>;

// A sum that starts from -0 keeps the signs of zeros.
template <class Value>
Value negative_zero() {
  if constexpr (kComponents<Value> == 1) return Value(-0.0);
  if constexpr (kComponents<Value> == 2) return Value(-0.0, -0.0);
}

template <class Value, class SumOf>
Value add_parts(long n, long n_most, const SumOf& sum_of) {
  if (n <= n_most) return sum_of(0, n);  // without room for halves
  return npp::add_parts<Value, kBlockAccumulators<Value>>(n, n_most, sum_of);
}

}  // namespace numpy_plugin::run
