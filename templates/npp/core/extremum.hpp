// The least or the greatest of an array's elements in kernels, and where it is: on a host by
// vectors, with the result of taking one element after the other on every target. That is the first
// NaN, and of equal zeros the one that minimum and maximum choose.
#pragma once

#include "npp/core/element_blocks.hpp"
#include "npp/core/scalar_choices.hpp"
#if !NPP_DEVICE
#include "npp/core/element_vectors.hpp"
#endif

namespace npp {

template <bool is_least, class T>
NPP_FUNCTION T extreme(T a, T b) {
  return is_least ? minimum(a, b) : maximum(a, b);
}

// Whether a number is beyond another, which neither is that is NaN.
template <bool is_least, class T>
NPP_FUNCTION bool is_beyond(T number, T best) {
  return is_least ? less(number, best) : less(best, number);
}

// Whether a number comes before the best so far: the first NaN comes before everything.
template <bool is_least, class T>
NPP_FUNCTION bool is_better(T number, T best) {
  return is_beyond<is_least>(number, best) || (isnan(number) && !isnan(best));
}

#if !NPP_DEVICE
namespace blocks {

template <class T>
inline constexpr int16 kInfinityItem = kIsSame<T, float16> ? 0x7c00 : 0x7f80;

// Of items of T, numbers or vectors.
template <class T>
inline constexpr auto kIsNan = [](auto items) NPP_ELEMENT {
  if constexpr (kIsHalf<T>) return (items & int16(0x7fff)) > kInfinityItem<T>;
  if constexpr (!kIsHalf<T>) return items != items;
};

// Numbers that are ordered like 16-bit floating-point numbers, and back.
template <class T, class V>
NPP_FUNCTION V key(V items) {
  if constexpr (kIsHalf<T>) return items ^ (items >> 15 & int16(0x7fff));
  if constexpr (!kIsHalf<T>) return items;
}

// Of equal zeros the second, as by x86's instruction.
template <bool is_least, class V>
NPP_FUNCTION V better(V a, V b) {
  if constexpr (is_least) return a < b ? a : b;
  if constexpr (!is_least) return a > b ? a : b;
}

template <bool is_least, class V>
NPP_FUNCTION vector::Element<V> best_lane(V best) {
  constexpr int kCount = vector::kCount<V>;
  vector::Element<V> lanes[kCount];
  __builtin_memcpy(lanes, &best, sizeof lanes);
  NPP_UNROLLED
  for (int half = kCount / 2; half > 0; half /= 2) {
    NPP_UNROLLED
    for (int k = 0; k < half; ++k) lanes[k] = better<is_least>(lanes[k], lanes[k + half]);
  }
  return lanes[0];
}

// The zero that is left of numbers of which none is better.
template <class T>
NPP_FUNCTION T chosen_zero(const T* numbers, intp n) {
  if constexpr (kIsSame<T, float16>) {
    const auto is_zero = [](auto items) NPP_ELEMENT { return (items & int16(0x7fff)) == 0; };
    return numbers[first_where(items(numbers), n, is_zero)];
  } else {
    while (truth(numbers[n - 1])) --n;
    return numbers[n - 1];
  }
}

// Whether the zeros of lanes, each of which has the last of its own, may be of both signs.
template <class V>
NPP_FUNCTION bool has_negative_zero(const V (&best)[kVectors]) {
  return any(lanes_of_any(best, [](const V& lanes) NPP_ELEMENT {
    return (lanes == 0) & (vector::bits_of(lanes) < 0);
  }));
}

// Of no fewer numbers than a vector has.
template <bool is_least, class T>
NPP_FUNCTION T best_number(const T* numbers, intp n) {
  using Number = Item<T>;
  Items<Number> best[kVectors];
  for (auto& each : best) each = key<T>(load(items(numbers)));
  for (intp first = 0; first < n; first += kTogether<Number>) {
    const Several<Number> several(items(numbers), first, n);
    if constexpr (kIsFloating<T>) {
      if (any(lanes_of_any(several.vectors, kIsNan<T>))) {
        while (!isnan(numbers[first])) ++first;
        return numbers[first];
      }
    }
    NPP_UNROLLED
    for (int k = 0; k < kVectors; ++k)
      best[k] = better<is_least>(best[k], key<T>(several.vectors[k]));
  }
  const auto found = bit_cast<T>(key<T>(best_lane<is_least>(
      better<is_least>(better<is_least>(best[0], best[1]), better<is_least>(best[2], best[3])))));
  if constexpr (kIsHalf<T>) {
    if (!truth(found)) return chosen_zero(numbers, n);
  } else if constexpr (kIsFloating<T>) {
    if (found == 0 && has_negative_zero(best)) return chosen_zero(numbers, n);
  }
  return found;
}

// Of at least one number.
template <bool is_least, class T>
NPP_LONG_FUNCTION T extremum_of(const T* numbers, intp n) {
  if constexpr (kIsBool<T>) {
    const auto is_sought = [](auto items) NPP_ELEMENT { return items == int(!is_least); };
    return (first_where(items(numbers), n, is_sought) < n) != is_least;
  } else {
    if (n >= kLanes<Item<T>>) return best_number<is_least>(numbers, n);
    T best = numbers[0];
    for (intp i = 1; i < n; ++i) best = extreme<is_least>(best, numbers[i]);
    return best;
  }
}

// The index of the first number that equals one of them, or is NaN as well.
template <class T>
NPP_LONG_FUNCTION intp first_position(const T* numbers, intp n, T sought) {
  const auto item = bit_cast<Item<T>>(sought);
  if (isnan(sought)) {
    intp i = 0;
    while (!isnan(numbers[i])) ++i;
    return i;
  }
  if constexpr (kIsHalf<T>) {
    // -0.0 equals 0.0: both have no bits but the sign.
    const int16 kept = truth(sought) ? -1 : 0x7fff;
    return first_where(items(numbers), n,
                       [=](auto some) NPP_ELEMENT { return (some & kept) == int16(item & kept); });
  } else {
    return first_where(items(numbers), n, [=](auto some) NPP_ELEMENT { return some == item; });
  }
}

}  // namespace blocks
#endif

// The best of a number and of the n elements.
template <bool is_least, class T, class Element>
NPP_FUNCTION T extremum(T best, int64 n, const Element& element) {
#if NPP_DEVICE
  for (int64 i = 0; i < n; ++i) best = extreme<is_least, T>(best, element(i));
#else
  use_blocks<T>(n, element, [&](const T* numbers, int64, int64 count) NPP_ELEMENT {
    best = extreme<is_least>(best, blocks::extremum_of<is_least>(numbers, count));
    return true;
  });
#endif
  return best;
}

// Likewise of the elements from `start` to `stop`.
template <bool is_least, class T, class Element>
NPP_FUNCTION T extremum(T best, int64 start, int64 stop, const Element& element) {
  return extremum<is_least>(best, stop - start, [&](int64 i) NPP_ELEMENT -> decltype(auto) {
    return element(start + i);
  });
}

#if !NPP_DEVICE
// Rows that are not worth the preparation of vectors.
inline constexpr int64 kShortRow = 32;

template <bool is_least, class T, class Element>
NPP_FUNCTION T running_extremum_of_few(T best, int64 n, const Element& element) {
  for (int64 i = 0; i < n; ++i)
    best =
        is_least ? scalar_python_min<T>(best, element(i)) : scalar_python_max<T>(best, element(i));
  return best;
}
#endif

// As `if number < best: best = number` for each element from `start` to `stop`, or with `>`.
template <bool is_least, class T, class Element>
NPP_FUNCTION T running_extremum(T best, int64 start, int64 stop, const Element& element) {
#if NPP_DEVICE
  for (int64 i = start; i < stop; ++i) {
    const T number = element(i);
    if (is_beyond<is_least>(number, best)) best = number;
  }
#else
  const auto from_start = [&](int64 i) NPP_ELEMENT -> decltype(auto) { return element(start + i); };
  if (stop - start < kShortRow)
    return running_extremum_of_few<is_least>(best, stop - start, from_start);
  use_blocks<T>(stop - start, from_start, [&](const T* numbers, int64, int64 n) NPP_ELEMENT {
    const auto at = [&](int64 i) NPP_ELEMENT { return numbers[i]; };
    const T found = blocks::extremum_of<is_least>(numbers, n);
    if (isnan(found)) {
      best = running_extremum_of_few<is_least>(best, n, at);
    } else if (is_beyond<is_least>(found, best)) {
      // Of equal zeros the first.
      best = truth(found) ? found : numbers[blocks::first_position(numbers, n, found)];
    }
    return true;
  });
#endif
  return best;
}

// Likewise sets `place` to the place of the best where that is an element, of which the first has
// the place `next`, and adds the number of elements to this.
template <bool is_least, class T, class Element>
NPP_FUNCTION void find_extremum(T& best, int64& place, int64& next, int64 n,
                                const Element& element) {
#if NPP_DEVICE
  for (int64 i = 0; i < n; ++i) {
    const T number = element(i);
    if (is_better<is_least>(number, best)) {
      best = number;
      place = next + i;
    }
  }
#else
  use_blocks<T>(n, element, [&](const T* numbers, int64 first, int64 count) NPP_ELEMENT {
    const T found = blocks::extremum_of<is_least>(numbers, count);
    // The place of the first element is also that of a best with which all are equal.
    if (next + first == 0 || is_better<is_least>(found, best)) {
      best = found;
      place = next + first + blocks::first_position(numbers, count, found);
    }
    return true;
  });
#endif
  next += n;
}

}  // namespace npp
