// Operations on lanes, with the names, values and flags of those on numbers (core/ops.hpp).
#pragma once

#include "npp/cpu/lanes/halves.hpp"
#include "npp/cpu/lanes/registers.hpp"

namespace npp::lanes {

// ---- masks

template <class T, int size>
NPP_FUNCTION Lanes<T, size> select(Lanes<bool, size> mask, Lanes<T, size> a, Lanes<T, size> b) {
  if constexpr (kIsBool<T>) {
    NPP_EACH_PART(k) a.part[k] = (a.part[k] & mask.part[k]) | (b.part[k] & ~mask.part[k]);
  } else {
    NPP_EACH_PART(k) a.part[k] = blend<T, size>(mask.part[k], a.part[k], b.part[k]);
  }
  return a;
}

// The value in the lanes of a mask, 0 in others.
template <class T, int size>
NPP_FUNCTION Lanes<T, size> kept(Lanes<bool, size> mask, Lanes<T, size> value) {
  if constexpr (kIsBool<T>) {
    NPP_EACH_PART(k) value.part[k] &= mask.part[k];
  } else {
    NPP_EACH_PART(k) value.part[k] = kept<T, size>(mask.part[k], value.part[k]);
  }
  return value;
}
template <int size, class... Ts, int... indices>
NPP_FUNCTION Tuple<Ts...> kept_items(Lanes<bool, size> mask, const Tuple<Ts...>& value,
                                     Indices<indices...>);
template <int size, class... Ts>
NPP_FUNCTION Tuple<Ts...> kept(Lanes<bool, size> mask, const Tuple<Ts...>& value) {
  return kept_items(mask, value, MakeIndices<sizeof...(Ts)>{});
}
template <int size, class... Ts, int... indices>
NPP_FUNCTION Tuple<Ts...> kept_items(Lanes<bool, size> mask, const Tuple<Ts...>& value,
                                     Indices<indices...>) {
  return Tuple<Ts...>(kept(mask, get<indices>(value))...);
}
template <class T, int size>
NPP_FUNCTION Lanes<T, size> counted(Lanes<bool, size> mask, Lanes<T, size> value) {
  NPP_EACH_PART(k) value.part[k] = counted<T, size>(mask.part[k], value.part[k]);
  return value;
}

template <int size, class... Ts, int... indices>
NPP_FUNCTION Tuple<Ts...> select_items(Lanes<bool, size> mask, const Tuple<Ts...>& a,
                                       const Tuple<Ts...>& b, Indices<indices...>);
template <int size, class... Ts>
NPP_FUNCTION Tuple<Ts...> select(Lanes<bool, size> mask, const Tuple<Ts...>& a,
                                 const Tuple<Ts...>& b) {
  return select_items(mask, a, b, MakeIndices<sizeof...(Ts)>{});
}
template <int size, class... Ts, int... indices>
NPP_FUNCTION Tuple<Ts...> select_items(Lanes<bool, size> mask, const Tuple<Ts...>& a,
                                       const Tuple<Ts...>& b, Indices<indices...>) {
  return Tuple<Ts...>(select(mask, get<indices>(a), get<indices>(b))...);
}

#define NPP_LANE_BITS(name, expression)                                  \
  template <class T, int size>                                           \
  NPP_FUNCTION Lanes<T, size> name(Lanes<T, size> a, Lanes<T, size> b) { \
    NPP_EACH_PART(k) a.part[k] = (expression);                           \
    return a;                                                            \
  }
NPP_LANE_BITS(bitwise_and, a.part[k] & b.part[k])
NPP_LANE_BITS(bitwise_or, a.part[k] | b.part[k])
NPP_LANE_BITS(bitwise_xor, a.part[k] ^ b.part[k])
NPP_LANE_BITS(and_not, a.part[k] & ~b.part[k])
#undef NPP_LANE_BITS

template <class T, int size>
NPP_FUNCTION Lanes<T, size> invert(Lanes<T, size> value) {
  NPP_EACH_PART(k) value.part[k] = ~value.part[k];
  return value;
}

// ---- comparisons

#define NPP_LANE_COMPARISON(name, number)                                               \
  template <class T, int size>                                                          \
  NPP_FUNCTION Lanes<bool, size> name(Lanes<T, size> a, Lanes<T, size> b) {             \
    if constexpr (kIsHalf<T>) {                                                         \
      return name(widen(a), widen(b));                                                  \
    } else {                                                                            \
      Lanes<bool, size> result;                                                         \
      NPP_EACH_PART(k) result.part[k] = compare<number, T, size>(a.part[k], b.part[k]); \
      return result;                                                                    \
    }                                                                                   \
  }
NPP_LANE_COMPARISON(less, kIsLess)
NPP_LANE_COMPARISON(less_equal, kIsLessEqual)
NPP_LANE_COMPARISON(number_equal, kIsEqual)
#undef NPP_LANE_COMPARISON

template <class T, int size>
NPP_FUNCTION Lanes<bool, size> equal(Lanes<T, size> a, Lanes<T, size> b) {
  if constexpr (kIsBool<T>) {
    return invert(bitwise_xor(a, b));
  } else {
    return number_equal(a, b);
  }
}
template <class T, int size>
NPP_FUNCTION Lanes<bool, size> not_equal(Lanes<T, size> a, Lanes<T, size> b) {
  return invert(equal(a, b));
}
template <class T, int size>
NPP_FUNCTION Lanes<bool, size> greater(Lanes<T, size> a, Lanes<T, size> b) {
  return less(b, a);
}
template <class T, int size>
NPP_FUNCTION Lanes<bool, size> greater_equal(Lanes<T, size> a, Lanes<T, size> b) {
  return less_equal(b, a);
}

// ---- arithmetic, in which idle lanes raise no flags where the target has masked instructions

#define NPP_LANE_ARITHMETIC(name, symbol)                                                        \
  template <class T, int size>                                                                   \
  NPP_FUNCTION Lanes<T, size> name(Lanes<T, size> a, Lanes<T, size> b) {                         \
    NPP_EACH_PART(k) a.part[k] = a.part[k] symbol b.part[k];                                     \
    return a;                                                                                    \
  }                                                                                              \
  template <class T, int size>                                                                   \
  NPP_FUNCTION Lanes<T, size> name(Lanes<bool, size> mask, Lanes<T, size> a, Lanes<T, size> b) { \
    NPP_EACH_PART(k) a.part[k] = masked_##name<T, size>(mask.part[k], a.part[k], b.part[k]);     \
    return a;                                                                                    \
  }
NPP_LANE_ARITHMETIC(add, +)
NPP_LANE_ARITHMETIC(subtract, -)
NPP_LANE_ARITHMETIC(multiply, *)
NPP_LANE_ARITHMETIC(true_divide, /)
#undef NPP_LANE_ARITHMETIC

template <class T, int size>
NPP_FUNCTION Lanes<T, size> negative(Lanes<T, size> value) {
  if constexpr (kIsHalf<T>) {
    NPP_EACH_PART(k) value.part[k] = value.part[k] ^ builtin::kSignMask<T>;
  } else {
    NPP_EACH_PART(k) value.part[k] = -value.part[k];
  }
  return value;
}
template <class T, int size>
NPP_FUNCTION Lanes<T, size> positive(Lanes<T, size> value) {
  return value;
}
template <class T, int size>
NPP_FUNCTION Lanes<T, size> square(Lanes<T, size> value) {
  return multiply(value, value);
}
template <class T, int size>
NPP_FUNCTION Lanes<T, size> square(Lanes<bool, size> mask, Lanes<T, size> value) {
  return multiply(mask, value, value);
}
template <class T, int size>
NPP_FUNCTION Lanes<T, size> reciprocal(Lanes<T, size> value) {
  return true_divide(Lanes<T, size>(T(1)), value);
}
template <class T, int size>
NPP_FUNCTION Lanes<T, size> reciprocal(Lanes<bool, size> mask, Lanes<T, size> value) {
  return true_divide(mask, Lanes<T, size>(T(1)), value);
}
template <class T, int size>
NPP_FUNCTION Lanes<T, size> degrees(Lanes<T, size> value) {
  return multiply(value, Lanes<T, size>(T(180) / T(3.14159265358979323846)));
}
template <class T, int size>
NPP_FUNCTION Lanes<T, size> radians(Lanes<T, size> value) {
  return multiply(value, Lanes<T, size>(T(3.14159265358979323846) / T(180)));
}

// Counts outside of the type's bits leave only the sign.
template <class T, int size>
NPP_FUNCTION Lanes<T, size> shift_left(Lanes<T, size> value, Lanes<T, size> count) {
  NPP_EACH_PART(k) {
    using Bits = PartOf<Unsigned<T>, size>;
    const auto is_inside = (Bits)count.part[k] < Unsigned<T>(sizeof(T) * 8);
    const Bits shifted = (Bits)value.part[k] << (Bits)(count.part[k] & is_inside);
    value.part[k] = (PartOf<T, size>)(shifted & (Bits)is_inside);
  }
  return value;
}
template <class T, int size>
NPP_FUNCTION Lanes<T, size> shift_right(Lanes<T, size> value, Lanes<T, size> count) {
  NPP_EACH_PART(k) {
    constexpr T kLast = sizeof(T) * 8 - 1;
    using Bits = PartOf<Unsigned<T>, size>;
    const auto is_inside = (PartOf<T, size>)((Bits)count.part[k] <= Unsigned<T>(kLast));
    const auto most = (count.part[k] & is_inside) | (kLast & ~is_inside);
    const auto shifted = value.part[k] >> most;
    value.part[k] = kIsSigned<T> ? shifted : shifted & is_inside;
  }
  return value;
}

// ---- bits of floating-point numbers

template <class T, int size>
using BitsOf = PartOf<Unsigned<T>, size>;

template <class T, int size>
NPP_FUNCTION Lanes<Unsigned<T>, size> bits(Lanes<T, size> value) {
  Lanes<Unsigned<T>, size> result;
  NPP_EACH_PART(k) result.part[k] = (BitsOf<T, size>)value.part[k];
  return result;
}
// Bits of a magnitude.
template <class T, int size>
NPP_FUNCTION Lanes<Unsigned<T>, size> magnitude(Lanes<T, size> value) {
  return bitwise_and(bits(value), Lanes<Unsigned<T>, size>(Unsigned<T>(~builtin::kSignMask<T>)));
}
template <class T, int size>
NPP_FUNCTION Lanes<T, size> from_bits(Lanes<Unsigned<T>, size> value) {
  Lanes<T, size> result;
  NPP_EACH_PART(k) result.part[k] = (PartOf<T, size>)value.part[k];
  return result;
}

template <class T, int size>
NPP_FUNCTION Lanes<bool, size> isnan(Lanes<T, size> value) {
  return less(Lanes<Unsigned<T>, size>(kExponentMask<T>), magnitude(value));
}
template <class T, int size>
NPP_FUNCTION Lanes<bool, size> isinf(Lanes<T, size> value) {
  return equal(Lanes<Unsigned<T>, size>(kExponentMask<T>), magnitude(value));
}
template <class T, int size>
NPP_FUNCTION Lanes<bool, size> isfinite(Lanes<T, size> value) {
  return less(magnitude(value), Lanes<Unsigned<T>, size>(kExponentMask<T>));
}
template <class T, int size>
NPP_FUNCTION Lanes<bool, size> signbit(Lanes<T, size> value) {
  return less_equal(Lanes<Unsigned<T>, size>(builtin::kSignMask<T>), bits(value));
}
template <class T, int size>
NPP_FUNCTION Lanes<T, size> copysign(Lanes<T, size> value, Lanes<T, size> sign) {
  const Lanes<Unsigned<T>, size> mask(builtin::kSignMask<T>);
  return from_bits<T>(bitwise_or(magnitude(value), bitwise_and(bits(sign), mask)));
}
template <class T, int size>
NPP_FUNCTION Lanes<T, size> absolute(Lanes<T, size> value) {
  if constexpr (kIsFloating<T>) {
    return from_bits<T>(magnitude(value));
  } else if constexpr (kIsSigned<T>) {
    return select(less(value, Lanes<T, size>(T(0))), negative(value), value);
  } else {
    return value;
  }
}

// ---- choices

// As npp::is_chosen, or where `nan` is NaN.
template <class T, int size>
NPP_FUNCTION Lanes<bool, size> is_chosen(Lanes<T, size> a, Lanes<T, size> b, Lanes<T, size> nan) {
  if constexpr (kIsSame<T, float16>) {
    return bitwise_or(less_equal(a, b), isnan(nan));
  } else if constexpr (kIsFloating<T>) {
    return bitwise_or(less(a, b), isnan(nan));
  } else {
    return less(a, b);
  }
}
template <class T, int size>
NPP_FUNCTION Lanes<T, size> minimum(Lanes<T, size> a, Lanes<T, size> b) {
  return select(is_chosen(a, b, a), a, b);
}
template <class T, int size>
NPP_FUNCTION Lanes<T, size> maximum(Lanes<T, size> a, Lanes<T, size> b) {
  return select(is_chosen(b, a, a), a, b);
}
template <class T, int size>
NPP_FUNCTION Lanes<T, size> fmin(Lanes<T, size> a, Lanes<T, size> b) {
  return select(is_chosen(a, b, b), a, b);
}
template <class T, int size>
NPP_FUNCTION Lanes<T, size> fmax(Lanes<T, size> a, Lanes<T, size> b) {
  return select(is_chosen(b, a, b), a, b);
}
template <class T, int size>
NPP_FUNCTION Lanes<T, size> python_min(Lanes<T, size> a, Lanes<T, size> b) {
  return select(less(b, a), b, a);
}
template <class T, int size>
NPP_FUNCTION Lanes<T, size> python_max(Lanes<T, size> a, Lanes<T, size> b) {
  return select(less(a, b), b, a);
}

template <class T, int size>
NPP_FUNCTION Lanes<T, size> sign(Lanes<T, size> value) {
  const Lanes<T, size> zero(T(0)), one(T(1));
  if constexpr (kIsFloating<T>) {
    const Lanes<T, size> result = select(equal(value, zero), zero, copysign(one, value));
    return select(isnan(value), value, result);
  } else {
    const Lanes<T, size> result = select(equal(value, zero), zero, one);
    return kIsSigned<T> ? select(less(value, zero), Lanes<T, size>(T(-1)), result) : result;
  }
}

// ---- truth

template <class T, int size>
NPP_FUNCTION Lanes<bool, size> truth(Lanes<T, size> value) {
  if constexpr (kIsBool<T>) {
    return value;
  } else {
    return not_equal(value, Lanes<T, size>(T(0)));
  }
}
template <class T, int size>
NPP_FUNCTION Lanes<bool, size> logical_not(Lanes<T, size> value) {
  return invert(truth(value));
}

// ---- rounding

#define NPP_LANE_ROUNDING(name)                                           \
  template <class T, int size>                                            \
  NPP_FUNCTION Lanes<T, size> name(Lanes<T, size> value) {                \
    if constexpr (kIsFloating<T>)                                         \
      NPP_EACH_PART(k) value.part[k] = registers::name<T>(value.part[k]); \
    return value;                                                         \
  }
NPP_LANE_ROUNDING(floor)
NPP_LANE_ROUNDING(ceil)
NPP_LANE_ROUNDING(trunc)
NPP_LANE_ROUNDING(rint)
NPP_LANE_ROUNDING(sqrt)
#undef NPP_LANE_ROUNDING

}  // namespace npp::lanes
