// Collective functions of a warp's and a block's threads, and bit functions.
#pragma once

#include "npp/core/prelude.hpp"

namespace npp {

// Exchanges a number of any size by the warp's 32-bit exchange.
template <class T, class Exchange>
NPP_FUNCTION T exchange_words(const T& value, const Exchange& exchange) {
  constexpr int kWords = (sizeof(T) + 3) / 4;
  uint32 words[kWords] = {};
  memcpy(words, &value, sizeof(T));
  for (int i = 0; i < kWords; ++i) words[i] = exchange(words[i]);
  T result;
  memcpy(&result, words, sizeof(T));
  return result;
}

template <class T>
NPP_FUNCTION T shuffle(uint32 mask, T value, int32 lane) {
  return exchange_words(value, [=](uint32 word) { return __shfl_sync(mask, word, lane); });
}
template <class T>
NPP_FUNCTION T shuffle_up(uint32 mask, T value, int32 distance) {
  return exchange_words(value, [=](uint32 word) { return __shfl_up_sync(mask, word, distance); });
}
template <class T>
NPP_FUNCTION T shuffle_down(uint32 mask, T value, int32 distance) {
  return exchange_words(value, [=](uint32 word) { return __shfl_down_sync(mask, word, distance); });
}
template <class T>
NPP_FUNCTION T shuffle_xor(uint32 mask, T value, int32 lanes) {
  return exchange_words(value, [=](uint32 word) { return __shfl_xor_sync(mask, word, lanes); });
}

NPP_FUNCTION bool vote_all(uint32 mask, bool vote) { return __all_sync(mask, vote) != 0; }
NPP_FUNCTION bool vote_any(uint32 mask, bool vote) { return __any_sync(mask, vote) != 0; }
NPP_FUNCTION bool vote_equal(uint32 mask, bool vote) {
  const uint32 votes = __ballot_sync(mask, vote);
  return votes == 0 || __all_sync(mask, vote) != 0;
}
NPP_FUNCTION uint32 ballot(uint32 mask, bool vote) { return __ballot_sync(mask, vote); }

// The bits of a number of at most 64 bits.
template <class T>
NPP_FUNCTION auto bits_of(const T& value) {
  Conditional<(sizeof(T) > 4), unsigned long long, uint32> bits = 0;
  memcpy(&bits, &value, sizeof(T));
  return bits;
}

// Numbers match where all their bits do: NaN matches itself, -0.0 and 0.0 do not.
template <class T>
NPP_FUNCTION uint32 match_any(uint32 mask, T value) {
  return __match_any_sync(mask, bits_of(value));
}
template <class T>
NPP_FUNCTION Tuple<uint32, bool> match_all(uint32 mask, T value) {
  int every = 0;
  const uint32 lanes = __match_all_sync(mask, bits_of(value), &every);
  return {lanes, every != 0};
}

NPP_FUNCTION uint32 active_mask() { return __activemask(); }
NPP_FUNCTION uint32 lower_lanes() {
  uint32 mask;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  return mask;
}

NPP_FUNCTION int64 sync_count(bool vote) { return __syncthreads_count(vote); }
NPP_FUNCTION bool sync_and(bool vote) { return __syncthreads_and(vote) != 0; }
NPP_FUNCTION bool sync_or(bool vote) { return __syncthreads_or(vote) != 0; }
NPP_FUNCTION void nanosleep(int32 duration) { __nanosleep(duration < 0 ? 0 : duration); }

// For an integer of any width, in that width.
template <class T>
constexpr int kUnusedBits = (sizeof(T) > 4 ? 64 : 32) - static_cast<int>(8 * sizeof(T));

template <class T>
NPP_FUNCTION int64 pop_count(T value) {
  if constexpr (sizeof(T) > 4) return __popcll(bits_of(value));
  return __popc(static_cast<uint32>(bits_of(value)));
}
template <class T>
NPP_FUNCTION int64 leading_zeros(T value) {
  if constexpr (sizeof(T) > 4) return __clzll(static_cast<long long>(bits_of(value)));
  return __clz(static_cast<int>(bits_of(value))) - kUnusedBits<T>;
}
// 1-based; 0 without a set bit.
template <class T>
NPP_FUNCTION int64 first_set(T value) {
  if constexpr (sizeof(T) > 4) return __ffsll(static_cast<long long>(bits_of(value)));
  return __ffs(static_cast<int>(bits_of(value)));
}
template <class T>
NPP_FUNCTION T reverse_bits(T value) {
  if constexpr (sizeof(T) > 4) return static_cast<T>(__brevll(bits_of(value)));
  return static_cast<T>(__brev(static_cast<uint32>(bits_of(value))) >> kUnusedBits<T>);
}

}  // namespace npp
