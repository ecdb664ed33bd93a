// Shared by floating-point handlers: layouts, NaNs, flushing of subnormals.
#pragma once

#include "simulator/handlers/common/elements.hpp"

namespace numpy_plugin::sim::NPP_ISA {

template <class T>
struct FloatLayout;
template <>
struct FloatLayout<Half> {
  static constexpr std::uint16_t kInfinity = 0x7c00;
  static constexpr std::uint16_t kOne = 0x3c00;
};
template <>
struct FloatLayout<BFloat16> {
  static constexpr std::uint16_t kInfinity = 0x7f80;
  static constexpr std::uint16_t kOne = 0x3f80;
};
template <>
struct FloatLayout<float> {
  static constexpr std::uint32_t kInfinity = 0x7f80'0000;
  static constexpr std::uint32_t kOne = 0x3f80'0000;
};
template <>
struct FloatLayout<double> {
  static constexpr std::uint64_t kInfinity = 0x7ff0'0000'0000'0000;
  static constexpr std::uint64_t kOne = 0x3ff0'0000'0000'0000;
};

template <class T>
constexpr Bits<T> kSignBit = static_cast<Bits<T>>(Bits<T>{1} << (8 * sizeof(T) - 1));
template <class T>
constexpr Bits<T> kMagnitudeBits = static_cast<Bits<T>>(~kSignBit<T>);
template <class T>
constexpr Bits<T> kCanonicalNan = kMagnitudeBits<T>;

template <class T>
inline Bits<T> bits_of(T value) {
  return bit_cast<Bits<T>>(value);
}

template <class T>
inline bool is_nan(T value) {
  return static_cast<Bits<T>>(bits_of(value) & kMagnitudeBits<T>) > FloatLayout<T>::kInfinity;
}

// Bits of NaN on GPUs: in f32 and narrower types the canonical one, as the ISA says (9.7.3); in
// f64, where it leaves the bits open, the first NaN among the operands with its quiet bit set, or a
// new one. A host's own choice depends on its processor and on the order of the compiler's
// operands.
inline double passed_nan() { return bit_cast<double>(std::uint64_t{0xfff8'0000'0000'0000}); }
template <class... Rest>
inline double passed_nan(double first, Rest... rest) {
  constexpr std::uint64_t kQuiet = 0x0008'0000'0000'0000;
  return first != first ? bit_cast<double>(bits_of(first) | kQuiet) : passed_nan(rest...);
}

template <class... Floats>
inline float settle_nan(float result, Floats...) {
  return result != result ? bit_cast<float>(kCanonicalNan<float>) : result;
}
template <class... Doubles>
inline double settle_nan(double result, Doubles... operands) {
  return result != result ? passed_nan(operands...) : result;
}
template <class Narrow>
inline Narrow settle_narrow_nan(Narrow result) {
  return is_nan(result) ? bit_cast<Narrow>(kCanonicalNan<Narrow>) : result;
}

// Function with those NaNs.
template <class Function>
struct Settled {
  template <class T, class... Rest>
  static T apply(T first, Rest... rest) {
    return settle_nan(Function::apply(first, rest...), first, rest...);
  }
};

// .ftz: subnormals become zeros of their sign.
inline float flush(float value) {
  const std::uint32_t bits = bits_of(value);
  return bit_cast<float>((bits & FloatLayout<float>::kInfinity) == 0 ? bits & kSignBit<float>
                                                                     : bits);
}

template <bool kFlush>
inline float flush_if(float value) {
  if constexpr (kFlush) return flush(value);
  return value;
}

// .sat: NaN becomes zero.
template <class T>
inline T saturate(T value) {
  const T above = value > T{0} ? value : T{0};
  return above < T{1} ? above : T{1};
}

}  // namespace numpy_plugin::sim::NPP_ISA
