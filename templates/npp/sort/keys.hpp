// Keys whose order as unsigned integers is NumPy's order of the values: NaN last, -0.0 equal to
// 0.0, complex numbers by their real, then their imaginary parts, those with NaN last, as is NaT.
#pragma once

#include "npp/core/prelude.hpp"

namespace npp {

template <class T>
inline constexpr int kFloatingBits = 8 * int(sizeof(T));

// A floating-point number's bits but for the sign; those of infinity.
template <class T>
inline constexpr Unsigned<T> kMagnitudeBits = Unsigned<T>(Unsigned<T>(~Unsigned<T>(0)) >> 1);
template <class T>
inline constexpr int kMantissaBits = kIsSame<T, double>     ? 52
                                     : kIsSame<T, float>    ? 23
                                     : kIsSame<T, bfloat16> ? 7
                                                            : 10;
template <class T>
inline constexpr Unsigned<T> kInfinityBits = Unsigned<T>(kMagnitudeBits<T> >>
                                                         kMantissaBits<T> << kMantissaBits<T>);

// Whether the bits are those of a NaN: all above infinity's.
template <class T>
NPP_FUNCTION bool is_nan_bits(Unsigned<T> bits) {
  return Unsigned<T>(bits & kMagnitudeBits<T>) > kInfinityBits<T>;
}

template <class T>
NPP_FUNCTION Unsigned<T> floating_key(T value) {
  using Bits = Unsigned<T>;
  constexpr Bits kSign = Bits(Bits(1) << (kFloatingBits<T> - 1));
  const Bits bits = bit_cast<Bits>(value);
  if (is_nan_bits<T>(bits)) return Bits(~Bits(0));
  if (bits == kSign) return kSign;  // -0.0
  return Bits((bits & kSign) != 0 ? ~bits : bits | kSign);
}

// The parts of a value's key, the most significant last, and the value as it is stored.
template <class T>
struct SortKey {
  using Stored = Conditional<kIsBool<T>, uint8, T>;
  using Part = Unsigned<T>;
  static constexpr int kParts = 1;

  template <int part>
  NPP_FUNCTION static Part get(Stored value) {
    if constexpr (kIsBool<T>)
      return value != 0;
    else if constexpr (kIsFloating<T>)
      return floating_key(value);
    else if constexpr (kIsSigned<T>)
      return Part(Part(value) ^ Part(Part(1) << (kFloatingBits<T> - 1)));
    else
      return value;
  }
  NPP_FUNCTION static bool is_nan(Stored value) {
    if constexpr (kIsFloating<T>)
      return is_nan_bits<T>(bit_cast<Unsigned<T>>(value));
    else
      return false;
  }
};

// Dates and durations, which are int64 of which the least is NaT.
struct Ticks {
  int64 value;
};
template <>
struct SortKey<Ticks> {
  using Stored = int64;
  using Part = uint64;
  static constexpr int kParts = 1;

  // One less than an integer's key: that of NaT wraps.
  template <int part>
  NPP_FUNCTION static Part get(Stored value) {
    return SortKey<int64>::get<part>(value) - 1;
  }
  NPP_FUNCTION static bool is_nan(Stored value) { return value == Limits<int64>::kMin; }
};

template <class R>
struct SortKey<Complex<R>> {
  using Stored = Complex<R>;
  using Part = Unsigned<R>;
  static constexpr int kParts = 3;

  template <int part>
  NPP_FUNCTION static Part get(Stored value) {
    if constexpr (part == 0) return floating_key(value.imag);
    if constexpr (part == 1) return floating_key(value.real);
    return Part(2 * SortKey<R>::is_nan(value.real) + SortKey<R>::is_nan(value.imag));
  }
  NPP_FUNCTION static bool is_nan(Stored value) {
    return SortKey<R>::is_nan(value.real) || SortKey<R>::is_nan(value.imag);
  }
};

template <class T>
using StoredOf = typename SortKey<T>::Stored;

// All parts of a key, compared from the last one on.
template <class T>
struct WholeKey {
  using Key = SortKey<T>;
  typename Key::Part parts[Key::kParts];

  NPP_FUNCTION static WholeKey of(StoredOf<T> value) {
    return of(value, MakeIndices<Key::kParts>());
  }
  template <int... part>
  NPP_FUNCTION static WholeKey of(StoredOf<T> value, Indices<part...>) {
    return {{Key::template get<part>(value)...}};
  }
  NPP_FUNCTION static WholeKey last() {
    WholeKey key;
    for (int i = 0; i < Key::kParts; ++i) key.parts[i] = typename Key::Part(~typename Key::Part(0));
    return key;
  }
  // Negative, 0 or positive, as this key is less than the other one, equal to it, or greater.
  NPP_FUNCTION int compare(const WholeKey& other) const {
    for (int i = Key::kParts - 1; i >= 0; --i) {
      if (parts[i] != other.parts[i]) return parts[i] < other.parts[i] ? -1 : 1;
    }
    return 0;
  }
};

}  // namespace npp
