// Sorts and order statistics of arrays with one dimension in kernels. Numbers are compared as
// integers, in an order without ties of different bits: NaN and NaT last, without signs, and -0.0
// before 0.0. So the result depends on the elements alone, not on the algorithm, and is that of
// every target.
#pragma once

#include "npp/core/array.hpp"
#include "npp/core/integer.hpp"
#include "npp/core/trips.hpp"
#include "npp/sort/keys.hpp"

namespace npp {

// A number as an integer of its size, in the place of the number itself.
template <class Integer>
struct __attribute__((may_alias)) OrderKey {
  Integer value;
};

// An array's elements anywhere in memory; elements side by side are a pointer.
template <class T>
struct StridedItems {
  char* data;
  intp stride;
  NPP_FUNCTION T& operator[](intp i) const { return *reinterpret_cast<T*>(data + i * stride); }
  NPP_FUNCTION StridedItems operator+(intp n) const { return {data + n * stride, stride}; }
};

template <class T>
using KeyOf = SignedOfSize<sizeof(T)>;
template <class T>
inline constexpr bool kIsKey = kIsSigned<T> || kIsBool<T>;

// All bits if a number is NaN, else none: with integers instead of bools, and without branches, the
// loops are vectorized.
template <class T>
NPP_FUNCTION KeyOf<T> nan_mask(KeyOf<T> number) {
  using Integer = KeyOf<T>;
  return Integer(-Integer(Integer(number & kMagnitudeBits<T>) > Integer(kInfinityBits<T>)));
}

// Between a number's bits, where NaN has no sign, and its key.
template <class T>
NPP_FUNCTION KeyOf<T> turned(KeyOf<T> number) {
  if constexpr (kIsSame<T, Ticks>) return integer::subtract(number, int64(1));  // NaT wraps
  constexpr KeyOf<T> kMagnitude = KeyOf<T>(kMagnitudeBits<T>);
  if constexpr (!kIsFloating<T>) return KeyOf<T>(number ^ ~kMagnitude);
  return KeyOf<T>(number ^ (number >> (8 * int(sizeof(T)) - 1) & kMagnitude));
}

template <class T>
NPP_FUNCTION KeyOf<T> turned_back(KeyOf<T> key) {
  if constexpr (kIsSame<T, Ticks>) return integer::add(key, int64(1));
  return turned<T>(key);
}

// Returns whether there is a NaN or NaT.
template <class T, class Items>
NPP_FUNCTION bool turn_to_keys(Items items, intp n) {
  if constexpr (kIsKey<T>) return false;
  KeyOf<T> is_nan = 0;
  for (intp i = 0; i < n; ++i) {
    KeyOf<T> number = items[i].value;
    if constexpr (kIsFloating<T>) {
      is_nan |= nan_mask<T>(number);
      number = KeyOf<T>(number & ~(nan_mask<T>(number) & ~KeyOf<T>(kMagnitudeBits<T>)));
    }
    if constexpr (kIsSame<T, Ticks>) is_nan |= KeyOf<T>(SortKey<T>::is_nan(number));
    items[i].value = turned<T>(number);
  }
  return is_nan != 0;
}

template <class T, class Items>
NPP_FUNCTION void turn_to_numbers(Items items, intp n) {
  if constexpr (kIsKey<T>) return;
  for (intp i = 0; i < n; ++i) items[i].value = turned_back<T>(items[i].value);
}

// ---- sorts

template <class Items, class IsLess>
NPP_FUNCTION void sink(Items items, intp root, intp end, const IsLess& is_less) {
  const auto sunk = items[root];
  for (intp child = 2 * root + 1; child < end; child = 2 * root + 1) {
    if (child + 1 < end && is_less(items[child], items[child + 1])) ++child;
    if (!is_less(sunk, items[child])) break;
    items[root] = items[child];
    root = child;
  }
  items[root] = sunk;
}

// Needs neither memory nor recursion.
template <class Items, class IsLess>
NPP_FUNCTION void sort_by(Items items, intp n, const IsLess& is_less) {
  Trips trips;
  for (intp root = n / 2; root-- > 0;) {
    if (trips.are_interrupted()) return;
    sink(items, root, n, is_less);
  }
  for (intp end = n - 1; end > 0; --end) {
    if (trips.are_interrupted()) return;
    const auto last = items[end];
    items[end] = items[0];
    items[0] = last;
    sink(items, 0, end, is_less);
  }
}

// The exchanges of Batcher's odd-even merge sort.
template <int n>
struct Network {
  int low[n * 8] = {}, high[n * 8] = {};
  int count = 0;

  NPP_FUNCTION constexpr Network() {
    for (int run = 1; run < n; run *= 2) {
      for (int step = run; step > 0; step /= 2) {
        for (int i = step % run; i + step < n; ++i) {
          const bool is_first = (i - step % run) / step % 2 == 0;
          if (!is_first || i / (2 * run) != (i + step) / (2 * run)) continue;
          low[count] = i;
          high[count++] = i + step;
        }
      }
    }
  }
};
template <int n>
inline constexpr Network<n> kNetwork = Network<n>();

template <int i, int n, class Integer>
NPP_FUNCTION void exchange(Integer (&keys)[n]) {
  constexpr int kLow = kNetwork<n>.low[i], kHigh = kNetwork<n>.high[i];
  const Integer low = keys[kLow], high = keys[kHigh];
  const bool is_ordered = !(high < low);
  keys[kLow] = is_ordered ? low : high;
  keys[kHigh] = is_ordered ? high : low;
}

template <int n, class Integer, int... i>
NPP_FUNCTION void run_network(Integer (&keys)[n], Indices<i...>) {
  (exchange<i>(keys), ...);
}

// At most `width` items, in registers.
template <int width, class Items>
NPP_LONG_FUNCTION void sort_few(Items items, intp n) {
  using Integer = WithoutReference<decltype((items[0].value))>;
  Integer keys[width];
  for (int i = 0; i < width; ++i) keys[i] = i < n ? items[i].value : Limits<Integer>::kMax;
  run_network(keys, MakeIndices<kNetwork<width>.count>());
  for (int i = 0; i < width; ++i) {
    if (i < n) items[i].value = keys[i];
  }
}

#if !NPP_DEVICE
template <class T>
inline constexpr SortedNumbers kSortedKind = kIsSame<T, double>   ? SortedNumbers::kFloat64
                                             : kIsSame<T, uint64> ? SortedNumbers::kUInt64
                                             : sizeof(T) == 1     ? SortedNumbers::kInt8
                                             : sizeof(T) == 2     ? SortedNumbers::kInt16
                                             : sizeof(T) == 4     ? SortedNumbers::kInt32
                                                                  : SortedNumbers::kInt64;

NPP_FUNCTION bool sort_by_library(void* numbers, intp n, SortedNumbers kind) {
  const auto sort = npp_driver->sorts[int(kind)];
  return sort != nullptr && sort(numbers, n, nullptr) == 0;
}
#endif

inline constexpr intp kFewKeys = 16;

template <class Items>
NPP_LONG_FUNCTION void sort_without_library(Items items, intp n) {
  if (n <= kFewKeys / 2) return sort_few<kFewKeys / 2>(items, n);
  if (n <= kFewKeys) return sort_few<kFewKeys>(items, n);
  sort_by(items, n, [](auto a, auto b) { return a.value < b.value; });
}

// By NumPy's sort on a host, which has the processor's vectors.
template <class Items>
NPP_FUNCTION void sort_keys(Items items, intp n) {
#if !NPP_DEVICE
  if constexpr (requires { *items; }) {
    if (sort_by_library(items, n, kSortedKind<decltype(items->value)>)) return;
  }
#endif
  sort_without_library(items, n);
}

#if !NPP_DEVICE
// The number of -0.0; -1 where there is a NaN.
NPP_FUNCTION intp count_negative_zeros(const double* numbers, intp n) {
  int64 found = 0;
  for (intp i = 0; i < n; ++i) {
    const int64 bits = bit_cast<int64>(numbers[i]);
    found |= nan_mask<double>(bits) | -int64(bits == Limits<int64>::kMin);
  }
  intp count = 0;
  for (intp i = 0; found != 0 && i < n; ++i) {
    if (numbers[i] != numbers[i]) return -1;
    count += bit_cast<int64>(numbers[i]) == Limits<int64>::kMin;
  }
  return count;
}

// Sorted as float64, of which processors with AVX2 have vector instructions for the lesser and the
// greater number. These may give two zeros the sign of one. False where there is a NaN.
NPP_FUNCTION bool sort_doubles(double* numbers, intp n) {
  intp n_negative_zeros = count_negative_zeros(numbers, n);
  if (n_negative_zeros < 0 || !sort_by_library(numbers, n, SortedNumbers::kFloat64)) return false;
  if (n_negative_zeros == 0) return true;
  intp i = 0;
  while (numbers[i] < 0) ++i;
  for (; i < n && numbers[i] == 0; ++i) numbers[i] = n_negative_zeros-- > 0 ? -0.0 : 0.0;
  return true;
}
#endif

// ---- selection

// Moves the items that are less than the limit, or equal to it as well, to the front; returns their
// number. Without branches that depend on the items.
template <bool takes_equal, class Items, class Integer>
NPP_FUNCTION intp split(Items items, intp n, Integer limit) {
  intp n_front = 0;
  for (intp i = 0; i < n; ++i) {
    const auto item = items[i];
    items[i] = items[n_front];
    items[n_front] = item;
    n_front += takes_equal ? item.value <= limit : item.value < limit;
  }
  return n_front;
}

// A selection among `items[low:high]`, those that may have the rank: quickselect, with limits on
// both sides of the rank, from a sorted sample.
template <class Items, class Integer>
struct Selection {
  Items items;
  intp rank, low, high;

#if NPP_DEVICE
  static constexpr int kSample = 7, kMargin = 2;
  static constexpr intp kSorted = kFewKeys;
#else
  static constexpr int kSample = 31, kMargin = 3;
  static constexpr intp kSorted = 96;
#endif
  // Rounds with poor samples end after this many passes, so that the time of a sort is the longest.
  static constexpr intp kMostPasses = 16;

  // Sorted items from the rank on: returns their end.
  NPP_FUNCTION intp run() {
    const intp most_work = kMostPasses * (high - low);
    for (intp work = 0; high - low > kSorted && work < most_work; work += high - low) {
      if (narrow()) return high;
    }
    sort_keys(items + low, high - low);
    return high;
  }

 private:
  // Whether all that is left is equal.
  NPP_FUNCTION bool narrow() {
    const intp n_left = high - low;
    OrderKey<Integer> sample[kSample];
    for (int i = 0; i < kSample; ++i) {
      sample[i] = items[low + (2 * i + 1) * n_left / (2 * kSample)];
    }
    sort_keys(sample + 0, kSample);
    const int place = int((rank - low) * kSample / n_left);
    if (place + kMargin < kSample) keep_side<false>(sample[place + kMargin].value);
    if (place >= kMargin) keep_side<false>(sample[place - kMargin].value);
    if (high - low < n_left) return false;
    // Many are equal to both.
    const Integer limit = sample[place].value;
    return !keep_side<false>(limit) && keep_side<true>(limit);
  }

  // Whether the rank is among those in front.
  template <bool takes_equal>
  NPP_FUNCTION bool keep_side(Integer limit) {
    const intp middle = low + split<takes_equal>(items + low, high - low, limit);
    const bool is_in_front = rank < middle;
    (is_in_front ? high : low) = middle;
    return is_in_front;
  }
};

// Moves the items of ranks from `first` to `end` to their places.
template <class Integer, class Items>
NPP_FUNCTION void place_ranks(Items items, intp n, intp first, intp end) {
  intp next = Selection<Items, Integer>{items, first, 0, n}.run();
  for (; next < end; ++next) {
    intp least = next;
    for (intp i = next + 1; i < n; ++i) {
      if (items[i].value < items[least].value) least = i;
    }
    const auto item = items[least];
    items[least] = items[next];
    items[next] = item;
  }
}

template <class T, class Items>
NPP_FUNCTION void place_numbers(Items items, intp n, intp first, intp end) {
  const bool has_nan = turn_to_keys<T>(items, n);
  place_ranks<KeyOf<T>>(items, n, first, end);
  if (has_nan && end < n) place_ranks<KeyOf<T>>(items + end, n - end, n - end - 1, n - end);
  turn_to_numbers<T>(items, n);
}

// ---- sorted indices: a stable order, in which all NaN are equal, as are -0.0 and 0.0

using Index = OrderKey<int64>;

// A short number's key above its index, as one integer.
template <class T, class Indices, class Numbers>
NPP_FUNCTION void sort_with_indices(Indices indices, Numbers numbers, intp n) {
  for (intp i = 0; i < n; ++i) {
    const uint64 key = SortKey<T>::template get<0>(numbers[i]);
    indices[i].value = int64(key << 32 | uint64(i)) ^ Limits<int64>::kMin;
  }
  sort_keys(indices, n);
  for (intp i = 0; i < n; ++i) indices[i].value &= 0xffffffff;
}

#if !NPP_DEVICE
// By NumPy's sort, after which equal numbers have their indices in any order.
template <class T>
NPP_FUNCTION bool argsort_by_library(Index* indices, const T* numbers, intp n) {
  if (!npp_driver->argsort(numbers, indices, n, kSortedKind<T>)) return false;
  for (intp first = 0; first < n;) {
    const T number = numbers[indices[first].value];
    const bool is_nan = number != number;  // as are all behind it
    intp end = is_nan ? n : first + 1;
    while (end < n && numbers[indices[end].value] == number) ++end;
    if (end - first > 1) sort_keys(indices + first, end - first);
    first = end;
  }
  return true;
}
#endif

template <class T, class Indices, class Numbers>
NPP_FUNCTION void sort_indices(Indices indices, Numbers numbers, intp n) {
  if constexpr (sizeof(T) <= 4) {
    if (n >> 32 == 0) return sort_with_indices<T>(indices, numbers, n);
  }
  for (intp i = 0; i < n; ++i) indices[i].value = i;
#if !NPP_DEVICE
  if constexpr (sizeof(T) == 8 && kIsSame<Indices, Index*> && kIsSame<Numbers, const T*>) {
    if (argsort_by_library(indices, numbers, n)) return;
  }
#endif
  sort_by(indices, n, [&](Index i, Index j) {
    const auto key = SortKey<T>::template get<0>(numbers[i.value]);
    const auto other = SortKey<T>::template get<0>(numbers[j.value]);
    return key < other || (key == other && i.value < j.value);
  });
}

template <class Items>
NPP_FUNCTION void reverse(Items items, intp n) {
  for (intp low = 0, high = n - 1; low < high; ++low, --high) {
    const auto item = items[low];
    items[low] = items[high];
    items[high] = item;
  }
}

// As integers, among which NaT is the least; then those of NaT are moved behind the others.
template <class Indices, class Numbers>
NPP_FUNCTION void sort_indices_of_ticks(Indices indices, Numbers numbers, intp n) {
  sort_indices<int64>(indices, numbers, n);
  intp n_missing = 0;
  while (n_missing < n && SortKey<Ticks>::is_nan(numbers[indices[n_missing].value])) ++n_missing;
  if (n_missing == 0) return;
  reverse(indices, n_missing);
  reverse(indices + n_missing, n - n_missing);
  reverse(indices, n);
}

// ---- arrays

// Calls a function with an array's elements as items of another type of their size.
template <class Item, class T, class Function>
NPP_FUNCTION void with_items(const View<T, 1>& array, const Function& function) {
#if !NPP_DEVICE
  if (array.stride(0) == sizeof(Item)) return function(reinterpret_cast<Item*>(array.data()));
#endif
  function(StridedItems<Item>{array.data(), array.stride(0)});
}

// T: what the elements are.
template <class T, class Element>
NPP_FUNCTION void sort_as(const View<Element, 1>& array) {
  const intp n = array.shape(0);
  with_items<OrderKey<KeyOf<T>>>(array, [n](auto items) {
    turn_to_keys<T>(items, n);
    sort_keys(items, n);
    turn_to_numbers<T>(items, n);
  });
}

// Sorts. The functions `sort_times` do so with dates and durations.
template <class T>
NPP_FUNCTION void sort_elements(const View<T, 1>& array) {
#if !NPP_DEVICE
  if constexpr (kIsSame<T, double>) {
    const intp n = array.shape(0);
    const bool is_long_line = n > kFewKeys && array.stride(0) == sizeof(T);
    if (is_long_line && sort_doubles(reinterpret_cast<T*>(array.data()), n)) return;
  }
#endif
  sort_as<T>(array);
}
NPP_FUNCTION void sort_times(const View<int64, 1>& array) { sort_as<Ticks>(array); }

// Moves the elements of ranks from `first` to `end`, which there are, to their places in the sorted
// array: lesser ones are before them, greater ones behind. The last element is NaN if any is.
template <class T>
NPP_LONG_FUNCTION void sort_elements(const View<T, 1>& array, int64 first, int64 end) {
  with_items<OrderKey<KeyOf<T>>>(
      array, [=](auto items) { place_numbers<T>(items, array.shape(0), first, end); });
}
NPP_LONG_FUNCTION void sort_times(const View<int64, 1>& array, int64 first, int64 end) {
  with_items<OrderKey<int64>>(
      array, [=](auto items) { place_numbers<Ticks>(items, array.shape(0), first, end); });
}

// Writes the indices that sort an array.
template <class T>
NPP_LONG_FUNCTION void sort_elements(const View<int64, 1>& indices, const View<T, 1>& array) {
  using Number = WithoutConst<T>;
  with_items<Index>(indices, [&](auto items) {
    with_items<const StoredOf<Number>>(
        array, [&](auto numbers) { sort_indices<Number>(items, numbers, array.shape(0)); });
  });
}

template <class T>
NPP_LONG_FUNCTION void sort_times(const View<int64, 1>& indices, const View<T, 1>& array) {
  with_items<Index>(indices, [&](auto items) {
    with_items<const int64>(
        array, [&](auto numbers) { sort_indices_of_ticks(items, numbers, array.shape(0)); });
  });
}

}  // namespace npp
