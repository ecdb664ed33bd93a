// A stable radix sort of long rows, 8 bits a pass, the least significant first: tiles count their
// digits, the counts of earlier tiles are summed for each digit, and each tile moves its elements
// behind those of smaller digits and earlier tiles.
#pragma once

#include "npp/select/scan.hpp"
#include "npp/sort/arguments.hpp"
#include "npp/sort/keys.hpp"

namespace npp {

// A block's tile of a row.
struct SortTile {
  uint64 row;
  uint64 tile;   // of the row
  uint64 begin;  // of the row, in elements
  uint64 first;  // of the tile, in the row
  uint64 n;      // elements of the row

  NPP_FUNCTION explicit SortTile(const DigitPass& pass)
      : row(blockIdx.x / pass.n_tiles),
        tile(blockIdx.x - row * pass.n_tiles),
        begin(row * pass.n),
        first(tile * kSortTile),
        n(pass.n) {}
};

// Keys of one part of the values, in the order of the positions.
template <class T, int part>
NPP_FUNCTION void extract_keys(const DigitPass& pass) {
  using Key = SortKey<T>;
  const SortTile tile(pass);
  const auto* const values = bit_cast<const StoredOf<T>*>(pass.values) + tile.begin;
  auto* const keys = bit_cast<typename Key::Part*>(pass.keys) + tile.begin;
  auto* const positions = bit_cast<uint32*>(pass.positions) + tile.begin;
  for (int k = 0; k < kSortItems; ++k) {
    const uint64 i = tile.first + uint64(k * kSortThreads) + threadIdx.x;
    if (i >= tile.n) continue;
    if (part == 0) positions[i] = uint32(i);
    keys[i] = Key::template get<part>(values[part == 0 ? uint32(i) : positions[i]]);
  }
}

template <class Key>
NPP_FUNCTION uint32 digit_of(Key key, const DigitPass& pass) {
  return uint32(key >> pass.shift) & (kDigits - 1);
}

// Place of a digit's count for a row's tile.
NPP_FUNCTION uint32* count_of(const DigitPass& pass, uint64 row, uint32 digit) {
  return bit_cast<uint32*>(pass.counts) + (row * kDigits + digit) * pass.n_tiles;
}

template <class Key>
NPP_FUNCTION void count_digits(const DigitPass& pass) {
  __shared__ uint32 counts[kDigits];
  const SortTile tile(pass);
  const Key* const keys = bit_cast<const Key*>(pass.keys) + tile.begin;
  counts[threadIdx.x] = 0;
  __syncthreads();
  for (int k = 0; k < kSortItems; ++k) {
    const uint64 i = tile.first + uint64(k * kSortThreads) + threadIdx.x;
    if (i < tile.n) atomicAdd(&counts[digit_of(keys[i], pass)], 1u);
  }
  __syncthreads();
  count_of(pass, tile.row, threadIdx.x)[tile.tile] = counts[threadIdx.x];
}

// A block for each digit of each row.
NPP_FUNCTION void sum_digits(const DigitPass& pass) {
  uint32* const counts = bit_cast<uint32*>(pass.counts) + uint64(blockIdx.x) * pass.n_tiles;
  uint32 before = 0;
  for (uint64 first = 0; first < pass.n_tiles; first += kSortThreads) {
    const uint64 tile = first + threadIdx.x;
    const bool is_inside = tile < pass.n_tiles;
    const auto sums = block_sums<kSortThreads>(is_inside ? counts[tile] : 0u);
    if (is_inside) counts[tile] = before + sums.before;
    before += sums.total;
  }
  if (threadIdx.x == 0) bit_cast<uint32*>(pass.totals)[blockIdx.x] = before;
}

// Elements of a tile that a warp moves: adjacent, 32 a round.
inline constexpr int kSortWarps = kSortThreads / 32;
inline constexpr uint32 kNoDigit = kDigits;

// Numbers of each digit in the warps' parts of a tile; then the places of the first of them.
struct DigitPlaces {
  uint32 counts[kSortWarps][kDigits];
  uint32 firsts[kSortWarps][kDigits];
};

// The number of earlier elements of the warp's part with the lane's digit.
NPP_FUNCTION uint32 rank_in_warp(uint32 (&counts)[kDigits], uint32 digit) {
  const uint32 lane = threadIdx.x % 32;
  const uint32 peers = __match_any_sync(0xffffffffu, digit);
  const uint32 earlier = peers & ((1u << lane) - 1);
  const uint32 before = digit == kNoDigit ? 0 : counts[digit];
  __syncwarp();
  if (earlier == 0 && digit != kNoDigit) counts[digit] = before + uint32(__popc(peers));
  __syncwarp();
  return before + uint32(__popc(earlier));
}

NPP_FUNCTION void find_first_places(const DigitPass& pass, const SortTile& tile,
                                    DigitPlaces& places) {
  const uint32 digit = threadIdx.x;
  const uint32 total = bit_cast<const uint32*>(pass.totals)[tile.row * kDigits + digit];
  uint32 place =
      block_sums<kSortThreads>(total).before + count_of(pass, tile.row, digit)[tile.tile];
  for (int warp = 0; warp < kSortWarps; ++warp) {
    places.firsts[warp][digit] = place;
    place += places.counts[warp][digit];
  }
}

template <class Key>
NPP_FUNCTION void move_digits(const DigitPass& pass) {
  __shared__ DigitPlaces places;
  const SortTile tile(pass);
  const uint32 warp = threadIdx.x / 32;
  const Key* const keys = bit_cast<const Key*>(pass.keys) + tile.begin;
  const auto* const positions = bit_cast<const uint32*>(pass.positions) + tile.begin;
  auto* const sorted_keys = bit_cast<Key*>(pass.sorted_keys) + tile.begin;
  auto* const sorted = bit_cast<uint32*>(pass.sorted) + tile.begin;
  for (int i = 0; i < kSortWarps; ++i) places.counts[i][threadIdx.x] = 0;
  __syncthreads();
  const uint64 first = tile.first + warp * (kSortItems * 32) + threadIdx.x % 32;
  Key key[kSortItems];
  uint32 rank[kSortItems];
#pragma unroll
  for (int k = 0; k < kSortItems; ++k) {
    const bool is_inside = first + k * 32 < tile.n;
    key[k] = is_inside ? keys[first + k * 32] : Key(0);
    rank[k] = rank_in_warp(places.counts[warp], is_inside ? digit_of(key[k], pass) : kNoDigit);
  }
  __syncthreads();
  find_first_places(pass, tile, places);
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kSortItems; ++k) {
    if (first + k * 32 >= tile.n) continue;
    const uint32 place = places.firsts[warp][digit_of(key[k], pass)] + rank[k];
    sorted_keys[place] = key[k];
    sorted[place] = positions[first + k * 32];
  }
}

}  // namespace npp
