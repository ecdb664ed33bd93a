// CUDA's integer intrinsics, such as __popc, and loads such as __ldg, for the host.
#pragma once

#include "npp/math/cmath.hpp"

#if !NPP_DEVICE
namespace npp::cmath {

#define NPP_BITS_OF(name, Result, Bits, ...)               \
  template <class T>                                       \
  requires(kIsReal<T>) NPP_FUNCTION Result name(T value) { \
    const Bits bits = static_cast<Bits>(value);            \
    return static_cast<Result>(__VA_ARGS__);               \
  }
#define NPP_REVERSED(byte_swapped, Bits, a, b, c)    \
  [](Bits x) {                                       \
    x = ((x >> 1) & Bits(a)) | ((x & Bits(a)) << 1); \
    x = ((x >> 2) & Bits(b)) | ((x & Bits(b)) << 2); \
    x = ((x >> 4) & Bits(c)) | ((x & Bits(c)) << 4); \
    return byte_swapped(x);                          \
  }(bits)
NPP_BITS_OF(__popc, int, uint32, __builtin_popcount(bits))
NPP_BITS_OF(__popcll, int, uint64, __builtin_popcountl(bits))
NPP_BITS_OF(__clz, int, uint32, bits == 0 ? 32 : __builtin_clz(bits))
NPP_BITS_OF(__clzll, int, uint64, bits == 0 ? 64 : __builtin_clzl(bits))
NPP_BITS_OF(__ffs, int, uint32, __builtin_ffs(int(bits)))
NPP_BITS_OF(__ffsll, int, uint64, __builtin_ffsl(int64(bits)))
NPP_BITS_OF(__brev, unsigned, uint32,
            NPP_REVERSED(__builtin_bswap32, uint32, 0x55555555, 0x33333333, 0x0f0f0f0f))
NPP_BITS_OF(__brevll, unsigned long long, uint64,
            NPP_REVERSED(__builtin_bswap64, uint64, 0x5555555555555555, 0x3333333333333333,
                         0x0f0f0f0f0f0f0f0f))
#undef NPP_BITS_OF
#undef NPP_REVERSED

#define NPP_INTEGERS_OF(name, Result, Number, ...)                                 \
  template <class A, class B>                                                      \
  requires(kIsReal<A> && kIsReal<B>) NPP_FUNCTION Result name(A first, B second) { \
    const Number a = static_cast<Number>(first), b = static_cast<Number>(second);  \
    return static_cast<Result>(__VA_ARGS__);                                       \
  }
// The product of the lower 24 bits.
NPP_INTEGERS_OF(__mul24, int, int32, ((a << 8) >> 8) * ((b << 8) >> 8))
NPP_INTEGERS_OF(__umul24, unsigned, uint32, (a & 0xffffffu) * (b & 0xffffffu))
NPP_INTEGERS_OF(__mulhi, int, int32, (int64(a) * b) >> 32)
NPP_INTEGERS_OF(__umulhi, unsigned, uint32, (uint64(a) * b) >> 32)
NPP_INTEGERS_OF(__mul64hi, long long, int64, (static_cast<__int128>(a) * b) >> 64)
NPP_INTEGERS_OF(__umul64hi, unsigned long long, uint64,
                (static_cast<unsigned __int128>(a) * b) >> 64)
// Averages, rounded down or up.
NPP_INTEGERS_OF(__uhadd, unsigned, uint32, (uint64(a) + b) >> 1)
NPP_INTEGERS_OF(__urhadd, unsigned, uint32, (uint64(a) + b + 1) >> 1)
#undef NPP_INTEGERS_OF
template <class A, class B>
requires(kIsInteger<A>&& kIsInteger<B>) NPP_FUNCTION int __hadd(A a, B b) {
  return static_cast<int>((int64(int32(a)) + int32(b)) >> 1);
}
template <class A, class B>
requires(kIsInteger<A>&& kIsInteger<B>) NPP_FUNCTION int __rhadd(A a, B b) {
  return static_cast<int>((int64(int32(a)) + int32(b) + 1) >> 1);
}

// |x - y| + z
template <class A, class B, class C>
requires(kIsReal<A>&& kIsReal<B>&& kIsReal<C>) NPP_FUNCTION unsigned __sad(A a, B b, C c) {
  const int64 distance = int64(static_cast<int32>(a)) - static_cast<int32>(b);
  return static_cast<uint32>(distance < 0 ? -distance : distance) + static_cast<uint32>(c);
}
template <class A, class B, class C>
requires(kIsReal<A>&& kIsReal<B>&& kIsReal<C>) NPP_FUNCTION unsigned __usad(A a, B b, C c) {
  const int64 distance = int64(static_cast<uint32>(a)) - static_cast<uint32>(b);
  return static_cast<uint32>(distance < 0 ? -distance : distance) + static_cast<uint32>(c);
}

// Bits of two words side by side, shifted; by at most 31 or, with 'c', 32 places.
#define NPP_FUNNEL(name, ...)                                                                \
  template <class A, class B, class C>                                                       \
  requires(kIsReal<A> && kIsReal<B> && kIsReal<C>) NPP_FUNCTION unsigned name(A low, B high, \
                                                                              C count) {     \
    const uint64 bits = uint64(static_cast<uint32>(high)) << 32 | static_cast<uint32>(low);  \
    const uint32 n = static_cast<uint32>(count);                                             \
    return static_cast<unsigned>(__VA_ARGS__);                                               \
  }
NPP_FUNNEL(__funnelshift_l, (bits << (n & 31)) >> 32)
NPP_FUNNEL(__funnelshift_r, bits >> (n & 31))
NPP_FUNNEL(__funnelshift_lc, (bits << (n < 32 ? n : 32)) >> 32)
NPP_FUNNEL(__funnelshift_rc, bits >> (n < 32 ? n : 32))
#undef NPP_FUNNEL

// Four bytes chosen out of eight by the lower three bits of the selector's nibbles.
template <class A, class B, class C>
requires(kIsReal<A>&& kIsReal<B>&& kIsReal<C>) NPP_FUNCTION
    unsigned __byte_perm(A low, B high, C selector) {
  const uint64 bytes = uint64(static_cast<uint32>(high)) << 32 | static_cast<uint32>(low);
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned chosen = (static_cast<uint32>(selector) >> (4 * i)) & 7;
    result |= static_cast<unsigned>((bytes >> (8 * chosen)) & 0xff) << (8 * i);
  }
  return result;
}

template <class T>
NPP_FUNCTION T __ldg(const T* where) {
  return *where;
}

}  // namespace npp::cmath
#endif
