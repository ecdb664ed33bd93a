// Bessel functions of whole orders: those of real order, except for orders 0 and 1, and for small
// x, where recurrence from these two gives Y, and J of orders below x.
#pragma once

#include "npp/special/bessel_jy_pairs.hpp"
#include "npp/special/bessel_jy_real.hpp"

namespace npp::special {

// Whether a function changes its sign with that of the order.
template <class Order>
NPP_FUNCTION bool is_odd_and_negative(Order order) {
  return is_negative(order) && (order & 1) != 0;
}
template <class Order>
NPP_FUNCTION int order_size(Order order) {
  constexpr uint64 kMost = 0x3fffffff;
  const uint64 size =
      is_negative(order) ? uint64(0) - static_cast<uint64>(order) : static_cast<uint64>(order);
  return static_cast<int>(size < kMost ? size : kMost);
}

NPP_LONG_FUNCTION double jn_of_positive(int order, double x) {
  if (order == 0) return j0(x);
  if (order == 1 || x == 0) return j1(x);
  if (order >= x || x > kFarArgument) return jy_of_positive(order, x).first;
  const PairOfNeighbours start =
      x > 4 ? j_of_small_orders(x) : PairOfNeighbours{{j0(x), 0}, {j1(x), 0}};
  return raised(start, 0, order, x).value;
}
NPP_LONG_FUNCTION double yn_of_positive(int order, double x) {
  if (order == 0) return y0(x);
  if (order == 1) return y1(x);
  if (x <= 4 || x > kFarArgument) return jy_of_positive(order, x).second;
  return raised(y_of_small_orders(x), 0, order, x).value;
}
template <class Order>
NPP_FUNCTION double jn(Order signed_order, double x) {
  const int order = order_size(signed_order);
  if (builtin::isnan(x)) return x;
  const double size = builtin::fabs(x);
  const double value =
      builtin::same_bits(size, Limits<double>::kInfinity) ? 0 : jn_of_positive(order, size);
  const bool flips = is_odd_and_negative(signed_order) != (x < 0 && order % 2 == 1);
  return flips ? -value : value;
}
template <class Order>
NPP_FUNCTION double yn(Order signed_order, double x) {
  const int order = order_size(signed_order);
  const bool is_odd = is_odd_and_negative(signed_order);
  const double value = !is_inside(x) ? y_outside(x) : yn_of_positive(order, x);
  return is_odd ? -value : value;
}

}  // namespace npp::special

namespace npp {

template <class Order, class T>
NPP_FUNCTION T jn(Order order, T x) {
  return static_cast<T>(special::jn(order, static_cast<double>(x)));
}
template <class Order, class T>
NPP_FUNCTION T yn(Order order, T x) {
  return static_cast<T>(special::yn(order, static_cast<double>(x)));
}

}  // namespace npp
