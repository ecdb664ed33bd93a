// A stable radix sort of long rows, 8 bits a pass, the least significant first: of positions, with
// keys that are extracted, or of the values alone. The digits of all passes are counted at first;
// in a pass, each tile looks back for the numbers of its digits in the tiles before it (onesweep,
// Adinets and Merrill 2022), and moves its elements behind those of smaller digits and earlier
// tiles.
#pragma once

#include "npp/select/scan.hpp"
#include "npp/select/tile_counts.hpp"
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

  NPP_FUNCTION SortTile(const DigitPass& pass, uint64 number)
      : row(number / pass.n_tiles),
        tile(number - row * pass.n_tiles),
        begin(row * pass.n),
        first(tile * kSortTile),
        n(pass.n) {}
};

template <class Key>
NPP_FUNCTION uint32 digit_of(Key key, uint32 pass) {
  return uint32(key >> (kDigitBits * pass)) & (kDigits - 1);
}

// Numbers of all elements of a row with each digit of a pass.
NPP_FUNCTION uint32* totals_of(const DigitPass& pass, uint64 row, uint32 number) {
  return bit_cast<uint32*>(pass.totals) + (row * pass.n_passes + number) * kDigits;
}

// Adds the digits of a tile's keys to the row's totals; `key_at` gives the key at a place in the
// row.
template <class Key, class KeyAt>
NPP_FUNCTION void count_digits(const DigitPass& pass, const SortTile& tile, KeyAt key_at) {
  __shared__ uint32 counts[sizeof(Key)][kDigits];
  for (uint32 i = 0; i < pass.n_passes; ++i) counts[i][threadIdx.x] = 0;
  __syncthreads();
  for (int k = 0; k < kSortItems; ++k) {
    const uint64 i = tile.first + uint64(k * kSortThreads) + threadIdx.x;
    if (i >= tile.n) continue;
    const Key key = key_at(i);
    for (uint32 j = 0; j < pass.n_passes; ++j) atomicAdd(&counts[j][digit_of(key, j)], 1u);
  }
  __syncthreads();
  for (uint32 i = 0; i < pass.n_passes; ++i)
    atomicAdd(&totals_of(pass, tile.row, i)[threadIdx.x], counts[i][threadIdx.x]);
}

// Keys of one part of the values, in the order of the positions.
template <class T, int part>
NPP_FUNCTION void extract_keys(const DigitPass& pass) {
  using Key = SortKey<T>;
  using Part = typename Key::Part;
  const SortTile tile(pass, blockIdx.x);
  const auto* const values = bit_cast<const StoredOf<T>*>(pass.values) + tile.begin;
  auto* const keys = bit_cast<Part*>(pass.keys) + tile.begin;
  auto* const positions = bit_cast<uint32*>(pass.positions) + tile.begin;
  count_digits<Part>(pass, tile, [=](uint64 i) {
    if (part == 0) positions[i] = uint32(i);
    return keys[i] = Key::template get<part>(values[part == 0 ? uint32(i) : positions[i]]);
  });
}

template <class T>
NPP_FUNCTION void count_values(const DigitPass& pass) {
  const SortTile tile(pass, blockIdx.x);
  const auto* const values = bit_cast<const StoredOf<T>*>(pass.values) + tile.begin;
  count_digits<typename SortKey<T>::Part>(
      pass, tile, [=](uint64 i) { return SortKey<T>::template get<0>(values[i]); });
}

// What passes move: extracted keys, with the positions of their values.
template <class Key>
struct KeysAndPositions {
  using Stored = Key;
  static constexpr bool kHasPositions = true;
  NPP_FUNCTION static Key key(Stored stored) { return stored; }
};

// Or the values, as bits, whose keys have one part.
template <class T>
struct ValuesAlone {
  using Stored = UnsignedOfSize<sizeof(StoredOf<T>)>;
  static constexpr bool kHasPositions = false;
  NPP_FUNCTION static auto key(Stored stored) {
    return SortKey<T>::template get<0>(bit_cast<StoredOf<T>>(stored));
  }
};

// Elements of a tile that a warp ranks: adjacent, 32 a round.
inline constexpr int kSortWarps = kSortThreads / 32;
inline constexpr uint32 kNoDigit = kDigits;

// A tile in the order of its digits, so that adjacent threads store to adjacent places.
template <class Stored>
struct StagedTile {
  uint32 firsts[kSortWarps][kDigits];  // numbers of each warp's digits; then the tile's places
  uint32 offsets[kDigits];             // from a place in the tile to one in the row
  union {
    Stored keys[kSortTile];
    uint32 positions[kSortTile];
  };
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

// A thread for each digit.
template <class Stored>
NPP_FUNCTION void find_places(const DigitPass& pass, const SortTile& tile,
                              StagedTile<Stored>& staged) {
  const uint32 digit = threadIdx.x;
  uint32 count = 0;
  for (int warp = 0; warp < kSortWarps; ++warp) count += staged.firsts[warp][digit];
  uint32 place = block_sums<kSortThreads>(count).before;
  const uint32 smaller =
      block_sums<kSortThreads>(totals_of(pass, tile.row, pass.pass)[digit]).before;
  auto* const states = bit_cast<unsigned long long*>(pass.states);
  auto* const own = states + (tile.row * pass.n_tiles + tile.tile) * kDigits + digit;
  staged.offsets[digit] =
      smaller + uint32(TileCounts<kDigits>::exchange(own, tile.tile, count)) - place;
  for (int warp = 0; warp < kSortWarps; ++warp) {
    const uint32 of_warp = staged.firsts[warp][digit];
    staged.firsts[warp][digit] = place;
    place += of_warp;
  }
}

// Moved: KeysAndPositions or ValuesAlone.
template <class Moved>
NPP_FUNCTION void move_digits(const DigitPass& pass) {
  using Stored = typename Moved::Stored;
  __shared__ StagedTile<Stored> staged;
  auto* const states = bit_cast<unsigned long long*>(pass.states);
  const SortTile tile(pass, take_tile(states + uint64(gridDim.x) * kDigits));
  const auto digit = [&](Stored stored) { return digit_of(Moved::key(stored), pass.pass); };
  const uint32 warp = threadIdx.x / 32;
  const int count = tile.n - tile.first < kSortTile ? int(tile.n - tile.first) : kSortTile;
  const Stored* const keys = bit_cast<const Stored*>(pass.keys) + tile.begin + tile.first;
  auto* const sorted_keys = bit_cast<Stored*>(pass.sorted_keys) + tile.begin;
  for (int i = 0; i < kSortWarps; ++i) staged.firsts[i][threadIdx.x] = 0;
  __syncthreads();
  const int first = int(warp * (kSortItems * 32) + threadIdx.x % 32);
  Stored key[kSortItems];
  uint32 place[kSortItems];  // in the tile
#pragma unroll
  for (int k = 0; k < kSortItems; ++k) {
    const bool is_inside = first + k * 32 < count;
    key[k] = is_inside ? keys[first + k * 32] : Stored(0);
    place[k] = rank_in_warp(staged.firsts[warp], is_inside ? digit(key[k]) : kNoDigit);
  }
  __syncthreads();
  find_places(pass, tile, staged);
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kSortItems; ++k) {
    if (first + k * 32 >= count) continue;
    place[k] += staged.firsts[warp][digit(key[k])];
    staged.keys[place[k]] = key[k];
  }
  __syncthreads();
  uint32 place_in_row[kSortItems];
#pragma unroll
  for (int k = 0; k < kSortItems; ++k) {
    const int i = k * kSortThreads + int(threadIdx.x);
    if (i >= count) continue;
    const Stored moved = staged.keys[i];
    place_in_row[k] = uint32(i) + staged.offsets[digit(moved)];
    sorted_keys[place_in_row[k]] = moved;
  }
  if constexpr (Moved::kHasPositions) {
    const auto* const positions = bit_cast<const uint32*>(pass.positions) + tile.begin + tile.first;
    auto* const sorted = bit_cast<uint32*>(pass.sorted) + tile.begin;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kSortItems; ++k) {
      if (first + k * 32 < count) staged.positions[place[k]] = positions[first + k * 32];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kSortItems; ++k) {
      const int i = k * kSortThreads + int(threadIdx.x);
      if (i < count) sorted[place_in_row[k]] = staged.positions[i];
    }
  }
}

}  // namespace npp
