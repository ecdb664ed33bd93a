// Foundation of every kernel: type names, traits, limits, tuples and bit operations. Includes only
// headers of this package: the same text is compiled by g++, clang and NVRTC, and NVRTC provides
// none.
#pragma once

// NPP_LONG_FUNCTION: never inlined.
#if defined(__CUDACC_RTC__)
#define NPP_DEVICE 1
#define NPP_FUNCTION __device__ __forceinline__
#define NPP_LONG_FUNCTION __device__ __noinline__
#else
#define NPP_DEVICE 0
#define NPP_FUNCTION __attribute__((always_inline)) inline
#define NPP_LONG_FUNCTION __attribute__((noinline)) inline
#endif

namespace npp {

using int8 = signed char;
using int16 = short;
using int32 = int;
using int64 = long;
using uint8 = unsigned char;
using uint16 = unsigned short;
using uint32 = unsigned int;
using uint64 = unsigned long;
using intp = long;
static_assert(sizeof(intp) == 8 && sizeof(intp) == sizeof(void*), "a 64-bit Linux is expected");

template <class To, class From>
NPP_FUNCTION constexpr To bit_cast(From from) {
  return __builtin_bit_cast(To, from);
}

// ---- types as values

template <class A, class B>
inline constexpr bool kIsSame = false;
template <class A>
inline constexpr bool kIsSame<A, A> = true;

template <class T, class... Others>
inline constexpr bool kIsOneOf = (kIsSame<T, Others> || ...);

template <bool Condition, class A, class B>
struct ConditionalType {
  using Type = A;
};
template <class A, class B>
struct ConditionalType<false, A, B> {
  using Type = B;
};
template <bool Condition, class A, class B>
using Conditional = typename ConditionalType<Condition, A, B>::Type;

template <class T>
struct WithoutConstType {
  using Type = T;
};
template <class T>
struct WithoutConstType<const T> {
  using Type = T;
};
template <class T>
using WithoutConst = typename WithoutConstType<T>::Type;

template <class T>
struct WithoutReferenceType {
  using Type = T;
};
template <class T>
struct WithoutReferenceType<T&> {
  using Type = T;
};
template <class T>
using WithoutReference = typename WithoutReferenceType<T>::Type;

// ---- integer sequences, lists of types, tuples

template <int... indices>
struct Indices {};

template <int count, int... indices>
struct IndicesUpTo : IndicesUpTo<count - 1, count - 1, indices...> {};
template <int... indices>
struct IndicesUpTo<0, indices...> {
  using Type = Indices<indices...>;
};
// Indices<0, 1, ..., count - 1>.
template <int count>
using MakeIndices = typename IndicesUpTo<count>::Type;

template <int index, class First, class... Rest>
struct TypeAtIndex : TypeAtIndex<index - 1, Rest...> {};
template <class First, class... Rest>
struct TypeAtIndex<0, First, Rest...> {
  using Type = First;
};

template <class... Ts>
struct Types {
  static constexpr int kCount = sizeof...(Ts);
};

template <int index, class List>
struct TypeInList;
template <int index, class... Ts>
struct TypeInList<index, Types<Ts...>> : TypeAtIndex<index, Ts...> {};
// The type at `index` of a Types<...>.
template <int index, class List>
using TypeAt = typename TypeInList<index, List>::Type;

template <int index, class T>
struct TupleLeaf {
  T value;
};

template <class Sequence, class... Ts>
struct TupleBase;
template <int... indices, class... Ts>
struct TupleBase<Indices<indices...>, Ts...> : TupleLeaf<indices, Ts>... {
  TupleBase() = default;
  NPP_FUNCTION constexpr explicit TupleBase(Ts... values) : TupleLeaf<indices, Ts>{values}... {}
};

template <class... Ts>
struct Tuple : TupleBase<MakeIndices<sizeof...(Ts)>, Ts...> {
  Tuple() = default;
  NPP_FUNCTION constexpr Tuple(Ts... values)
      : TupleBase<MakeIndices<sizeof...(Ts)>, Ts...>(values...) {}
};
template <>
struct Tuple<> {};

template <int index, class T>
NPP_FUNCTION constexpr T& get(TupleLeaf<index, T>& leaf) {
  return leaf.value;
}
template <int index, class T>
NPP_FUNCTION constexpr const T& get(const TupleLeaf<index, T>& leaf) {
  return leaf.value;
}

// ---- the dtypes

struct float16;
struct bfloat16;

template <class T>
struct Complex {
  T real, imag;

  Complex() = default;
  // Implicit from real numbers, and from narrower complex ones, as for C++'s own complex numbers.
  NPP_FUNCTION constexpr Complex(T real_part, T imag_part = 0) : real(real_part), imag(imag_part) {}
  template <class Wider>
  requires(sizeof(Wider) > sizeof(T)) NPP_FUNCTION constexpr operator Complex<Wider>() const {
    return {real, imag};
  }
  template <class Narrower>
  requires(sizeof(Narrower) < sizeof(T)) NPP_FUNCTION constexpr explicit
  operator Complex<Narrower>() const {
    return {static_cast<Narrower>(real), static_cast<Narrower>(imag)};
  }
};
using complex64 = Complex<float>;
using complex128 = Complex<double>;

template <class T>
inline constexpr bool kIsSigned = kIsOneOf<T, signed char, short, int, long, long long> ||
                                  (kIsSame<T, char> && char(-1) < 0);
template <class T>
inline constexpr bool kIsInteger =
    kIsSigned<T> ||
    kIsOneOf<T, unsigned char, unsigned short, unsigned, unsigned long, unsigned long long, char>;
template <class T>
inline constexpr bool kIsBool = kIsSame<T, bool>;
template <class T>
inline constexpr bool kIsHalf = kIsOneOf<T, float16, bfloat16>;
template <class T>
inline constexpr bool kIsFloating = kIsOneOf<T, float, double, float16, bfloat16>;
template <class T>
inline constexpr bool kIsComplex = kIsOneOf<T, complex64, complex128>;
template <class T>
inline constexpr bool kIsReal = kIsBool<T> || kIsInteger<T> || kIsFloating<T>;

// NVRTC warns about `value < 0` for unsigned types.
template <class T>
NPP_FUNCTION constexpr bool is_negative(T value) {
  if constexpr (kIsSigned<T>) {
    return value < 0;
  } else {
    return false;
  }
}

// Integers of a given size.
template <int n_bytes>
using UnsignedOfSize =
    Conditional<n_bytes == 1, uint8,
                Conditional<n_bytes == 2, uint16, Conditional<n_bytes == 4, uint32, uint64>>>;
template <int n_bytes>
using SignedOfSize =
    Conditional<n_bytes == 1, int8,
                Conditional<n_bytes == 2, int16, Conditional<n_bytes == 4, int32, int64>>>;
template <class T>
using Unsigned = UnsignedOfSize<sizeof(T)>;

// The component type of a complex type; other types map to themselves.
template <class T>
struct RealType {
  using Type = T;
};
template <class T>
struct RealType<Complex<T>> {
  using Type = T;
};
template <class T>
using Real = typename RealType<T>::Type;

// The type of arithmetic: float for the 16-bit floating-point types.
template <class T>
using Compute = Conditional<kIsHalf<T>, float, T>;

// Limits of integers; for floating-point types the exponent and mantissa fields.
template <class T>
struct Limits {
  static constexpr T kMax = kIsSigned<T> ? T((1ull << (sizeof(T) * 8 - 1)) - 1) : T(~T(0));
  static constexpr T kMin = kIsSigned<T> ? T(~kMax) : T(0);
};
template <>
struct Limits<float> {
  static constexpr int kMantissaBits = 23;
  static constexpr int kExponentBias = 127;
  static constexpr float kInfinity = __builtin_bit_cast(float, 0x7f800000u);
  static constexpr float kNan = __builtin_bit_cast(float, 0x7fc00000u);
  static constexpr float kMax = 0x1.fffffep127f;
};
template <>
struct Limits<double> {
  static constexpr int kMantissaBits = 52;
  static constexpr int kExponentBias = 1023;
  static constexpr double kInfinity = __builtin_bit_cast(double, 0x7ff0000000000000ul);
  static constexpr double kNan = __builtin_bit_cast(double, 0x7ff8000000000000ul);
  static constexpr double kMax = 0x1.fffffffffffffp1023;
};

}  // namespace npp

#ifndef NPP_WITHOUT_FLOAT16
#include "npp/core/half.hpp"  // defines the two incomplete types above
#endif
