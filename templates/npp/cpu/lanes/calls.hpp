// Functions of lanes that are defined for numbers only: in a loop that the compiler vectorizes, or
// lane by lane.
#pragma once

#include "npp/cpu/attributes.hpp"
#include "npp/cpu/lanes/operations.hpp"

namespace npp::lanes {

// The lanes of a variable in memory, for loops over them.
template <class T, int size>
struct Buffer {
  alignas(kVectorBytes) T lane[kLanes<size>];

  Buffer() = default;
  NPP_FUNCTION explicit Buffer(const Lanes<T, size>& value) {
    NPP_EACH_PART(k) store_part<T, size>(lane + k * kWidth<size>, value.part[k]);
  }
  NPP_FUNCTION Lanes<T, size> load() const {
    Lanes<T, size> value;
    NPP_EACH_PART(k) value.part[k] = load_part<T, size>(lane + k * kWidth<size>);
    return value;
  }
};

template <class Result, int size, class Function, class... Values>
NPP_FUNCTION Lanes<Result, size> in_buffers(Function function,
                                            const Buffer<Values, size>&... values) {
  Buffer<Result, size> result;
  NPP_ANY_ORDER_BLOCK
  for (int i = 0; i < kLanes<size>; ++i) result.lane[i] = function(values.lane[i]...);
  return result.load();
}

// Calls a function for all lanes at once.
template <class Result, int size, class Function, class... Values>
NPP_FUNCTION Lanes<Result, size> all(Function function, Lanes<Values, size>... values) {
  return in_buffers<Result, size>(function, Buffer<Values, size>(values)...);
}

// Calls a function for each lane of a mask; other lanes are 0.
template <class Result, int size, class Function, class... Values>
NPP_FUNCTION Lanes<Result, size> each(Lanes<bool, size> mask, Function function,
                                      Lanes<Values, size>... values) {
  Lanes<Result, size> result((Result(0)));
  for (int i = 0; i < kLanes<size>; ++i)
    if (mask.lane(i)) result.set_lane(i, function(values.lane(i)...));
  return result;
}

// A mathematical function: with vector functions for all lanes at once, idle ones having `idle` as
// arguments, which raises no flag and is not slow.
template <class Result, int size, class Function, class... Values>
NPP_FUNCTION Lanes<Result, size> math(Lanes<bool, size> mask, [[maybe_unused]] double idle,
                                      Function function, Lanes<Values, size>... values) {
#if defined(NPP_VECTOR_MATH) || defined(NPP_HAS_BLOCKS)
  return all<Result>(function, select(mask, values, Lanes<Values, size>(Values(idle)))...);
#else
  return each<Result>(mask, function, values...);
#endif
}

// ---- functions of native vectors

// Those that hold lanes of a type below the largest; the last one's rest has copies of the first
// lanes.
template <class T, int size>
struct NativeVectors {
  static constexpr int kBytes = sizeof(Lanes<T, size>);
  static constexpr int kCount = (kBytes + kVectorBytes - 1) / kVectorBytes;
  Vector<T, kVectorBytes / sizeof(T)> vector[kCount];

  NativeVectors() = default;
  NPP_FUNCTION explicit NativeVectors(const Lanes<T, size>& value) {
    for (int at = 0; at < int(sizeof(vector)); at += kBytes)
      __builtin_memcpy(reinterpret_cast<char*>(vector) + at, &value, kBytes);
  }
  NPP_FUNCTION Lanes<T, size> lanes() const {
    Lanes<T, size> value;
    __builtin_memcpy(&value, vector, kBytes);
    return value;
  }
};

template <class T, int size, class Function, class... Values>
NPP_FUNCTION Lanes<T, size> vectors(Function function, Lanes<T, size> first, Values... more) {
  if constexpr (sizeof(T) == size) {
    NPP_EACH_PART(k) first.part[k] = function(first.part[k], more.part[k]...);
    return first;
  } else {
    using Natives = NativeVectors<T, size>;
    const auto call = [&](auto... natives) {
      Natives result;
      _Pragma("GCC unroll 4") for (int k = 0; k < Natives::kCount; ++k) result.vector[k] =
          function(natives.vector[k]...);
      return result.lanes();
    };
    return call(Natives(first), Natives(more)...);
  }
}
// Likewise, idle lanes having `idle` as arguments.
template <int size, class Function, class... Values>
NPP_FUNCTION auto vectors(Lanes<bool, size> mask, double idle, Function function,
                          Values... values) {
  return vectors(function, select(mask, values, Values(idle))...);
}

// A function of this package for vectors of `own_bytes` and more, and where glibc 2.`since` with
// its vector functions is absent; else the library's. With a mask, idle lanes have `idle` as
// arguments.
template <int own_bytes, int since>
inline constexpr bool kCallsOwn = kVectorBytes >= own_bytes || NPP_LIBMVEC < since;
template <int own_bytes, int since, class T, int size, class Own, class Library, class... Values>
NPP_FUNCTION Lanes<T, size> own_or_math(double idle, Own own, Library library, Lanes<T, size> first,
                                        Values... more) {
  if constexpr (kCallsOwn<own_bytes, since>) {
    return vectors(own, first, more...);
  } else {
    return math<T>(Lanes<bool, size>(true), idle, library, first, more...);
  }
}
template <int own_bytes, int since, class T, int size, class Own, class Library, class... Values>
NPP_FUNCTION Lanes<T, size> own_or_math(Lanes<bool, size> mask, double idle, Own own,
                                        Library library, Lanes<T, size> first, Values... more) {
  if constexpr (kCallsOwn<own_bytes, since>) {
    return vectors(mask, idle, own, first, more...);
  } else {
    return math<T>(mask, idle, library, first, more...);
  }
}

// ---- casts

template <class T, int size>
NPP_FUNCTION Lanes<T, size> opaque(Lanes<T, size> value) {
  const Lanes<Unsigned<T>, size> zero(static_cast<Unsigned<T>>(kOpaqueZero));
  return from_bits<T>(bitwise_xor(bits(value), zero));
}

// Integers without instructions for conversions from and to floating-point numbers.
template <class T>
inline constexpr bool kIsNarrow = kIsInteger<T> && sizeof(T) < 4;

// With the values of npp::cast.
template <class To, class From, int size>
NPP_FUNCTION Lanes<To, size> cast(Lanes<From, size> value) {
  if constexpr (kIsSame<To, From>) {
    return value;
  } else if constexpr (kIsHalf<From>) {
    return cast<To>(widen(value));
  } else if constexpr (kIsBool<To>) {
    return truth(value);
  } else if constexpr (kIsBool<From>) {
    return select(value, Lanes<To, size>(To(1)), Lanes<To, size>(To(0)));
  } else if constexpr (kIsHalf<To> && kIsSame<From, float>) {
    return narrow_to<To>(value);
  } else if constexpr (kIsHalf<To> && kIsNarrow<From>) {
    return cast<To>(cast<float>(value));
  } else if constexpr (kIsHalf<To>) {
    return all<To>([](From from) { return npp::cast<To>(from); }, value);  // rounds once
  } else if constexpr (kIsNarrow<From> && kIsFloating<To>) {
    Lanes<int32, size> wide = cast<int32>(value);
    NPP_EACH_PART(k) wide.part[k] = settled(wide.part[k]);
    return cast<To>(wide);
  } else if constexpr (kIsFloating<From> && kIsNarrow<To>) {
    return cast<To>(cast<int32>(value));
  } else if constexpr (kIsFloating<From> && kIsInteger<To> && !kIsSigned<To>) {
    return all<To>([](From from) { return npp::cast<To>(from); }, value);
  } else {
    constexpr bool kTruncates = kIsFloating<From> && kIsInteger<To>;
    if constexpr (kTruncates) value = opaque(value);
    if constexpr (kIsNarrow<From> || kIsNarrow<To>)
      NPP_EACH_PART(k) value.part[k] = settled(value.part[k]);
    Lanes<To, size> result;
    NPP_EACH_PART(k) result.part[k] = converted<To, From, size>(value.part[k]);
    if constexpr (kTruncates) return opaque(result);
    return result;
  }
}
template <class To, class From, int size>
NPP_FUNCTION Lanes<To, size> cast(Lanes<bool, size> mask, Lanes<From, size> value) {
  return cast<To>(select(mask, value, Lanes<From, size>(From(0))));
}

template <class T, int size>
NPP_FUNCTION Lanes<T, size> sqrt(Lanes<bool, size> mask, Lanes<T, size> value) {
  return sqrt(select(mask, value, Lanes<T, size>(T(1))));
}

}  // namespace npp::lanes
