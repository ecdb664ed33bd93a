// The transposed launch form: the outputs are contiguous along the innermost dimension, some inputs
// along another. A block processes a tile of both dimensions. It reads these inputs along theirs,
// and turns them in shared memory, so that all accesses are coalesced.
#pragma once

#include "npp/core/ops.hpp"
#include "npp/cuda/errors.hpp"
#include "npp/cuda/indexing.hpp"

namespace npp {

template <class Kernel, class Range, Mask mask, int kDimensions>
using TransposedArgumentsOf = TransposedArguments<Range, kOperandsOf<Kernel, mask>, kDimensions>;

// kItems: elements of a thread. The tile has 4 kItems elements along the innermost dimension and 32
// along the other one: a warp reads and writes 32 adjacent elements.
template <class Kernel, class Arguments, Mask mask, int kItems, class InputIndices,
          class OutputIndices>
struct Transposed;

template <class Kernel, class Arguments, Mask mask, int kItems, int... inputs, int... outputs>
struct Transposed<Kernel, Arguments, mask, kItems, Indices<inputs...>, Indices<outputs...>> {
  using Offset = typename Arguments::Offset;
  using Bits = Unsigned<Offset>;
  template <int i>
  using Input = TypeAt<i, typename Kernel::Inputs>;
  template <int i>
  using Output = TypeAt<i, typename Kernel::Outputs>;

  static constexpr bool kIsMasked = mask == Mask::kGiven;
  static constexpr int kInputs = sizeof...(inputs);
  static constexpr int kFirstOutput = kInputs + kIsMasked;
  static constexpr int kLanes = 32, kWarps = kThreads / kLanes;
  static constexpr int kLength = kWarps * kItems;
  static constexpr int kParts = kLength / kLanes;  // a thread's places along the innermost
  static constexpr int kSteps = kLanes / kWarps;   // dimension, and along the other one

  struct Read {
    Elements<bool, kItems> wanted;  // with a mask
    Tuple<Elements<Input<inputs>, kItems>...> items;
  };

  // A block's tile.
  struct Place {
    const Arguments& arguments;
    OffsetsOf<Arguments, 1> origin;
    int length, width;  // up to the ends of the dimensions
    int lane, warp;

    // An operand's element in the tile.
    NPP_FUNCTION char* at(int operand, int along, int across) const {
      const Bits offset = Bits(origin.bytes[0][operand]) +
                          Bits(along) * Bits(arguments.along[0][operand]) +
                          Bits(across) * Bits(arguments.along[1][operand]);
      return element_address<char>(arguments, operand, Offset(offset));
    }
    // From one element to another, of the innermost dimension (0) or the other one (1).
    NPP_FUNCTION int64 step(int operand, int axis, int n) const {
      return Offset(Bits(n) * Bits(arguments.along[axis][operand]));
    }
  };

  NPP_FUNCTION static void run(const Arguments& arguments, Errors& errors) {
    const Place place = find_place(arguments);
    Read in;
    if constexpr (kIsMasked) fetch(place, kInputs, in.wanted);
    (fetch(place, inputs, get<inputs>(in.items)), ...);
    if constexpr (kIsMasked) put<kInputs>(place, in.wanted);
    (put<inputs>(place, get<inputs>(in.items)), ...);
    __syncthreads();
    if constexpr (kIsMasked) take<kInputs>(place, in.wanted);
    (take<inputs>(place, get<inputs>(in.items)), ...);
#pragma unroll
    for (int part = 0; part < kParts; ++part) finish(place, errors, in, part);
  }

 private:
  NPP_FUNCTION static Place find_place(const Arguments& arguments) {
    const uint32 rest = divide(blockIdx.x, arguments.tiles);
    uint32 outer[1] = {divide(rest, arguments.turned_tiles)};
    const uint32 tile = blockIdx.x - rest * arguments.tiles.divisor;
    const uint32 turned_tile = rest - outer[0] * arguments.turned_tiles.divisor;
    const Bits first = Bits(tile) * kLength, turned_first = Bits(turned_tile) * kLanes;
    Place place{arguments,
                find_offsets(arguments, outer),
                left(arguments.length, first, kLength),
                left(arguments.turned_length, turned_first, kLanes),
                int(threadIdx.x % kLanes),
                int(threadIdx.x / kLanes)};
#pragma unroll
    for (int i = 0; i < Arguments::kOperands; ++i)
      place.origin.bytes[0][i] =
          Offset(Bits(place.origin.bytes[0][i]) + first * Bits(arguments.along[0][i]) +
                 turned_first * Bits(arguments.along[1][i]));
    return place;
  }
  NPP_FUNCTION static int left(uint64 size, uint64 first, int most) {
    return int(min(size - first, uint64(most)));
  }

  // Calls f(k, place of element k) for a thread's elements in the tile: of the turned operands,
  // warps follow the other dimension, of all others the innermost one.
  template <class F>
  NPP_FUNCTION static void for_each_turned(const Place& place, int operand, F f) {
    char* element = place.at(operand, place.warp, place.lane);
    const int64 step = place.step(operand, 0, kWarps);
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
      if (place.warp + k * kWarps < place.length && place.lane < place.width) f(k, element);
      element += step;
    }
  }
  template <class F>
  NPP_FUNCTION static void for_each_straight(const Place& place, int operand, F f) {
    const int64 step = place.step(operand, 1, kWarps);
#pragma unroll
    for (int part = 0; part < kParts; ++part) {
      char* element = place.at(operand, place.lane + part * kLanes, place.warp);
#pragma unroll
      for (int j = 0; j < kSteps; ++j) {
        if (is_inside(place, part, j)) f(part * kSteps + j, element);
        element += step;
      }
    }
  }
  NPP_FUNCTION static bool is_inside(const Place& place, int part, int j) {
    return place.lane + part * kLanes < place.length && place.warp + j * kWarps < place.width;
  }

  template <class T>
  NPP_FUNCTION static void fetch(const Place& place, int operand, Elements<T, kItems>& items) {
    const auto read_one = [&](int k, const char* element) {
      items.items[k] = read<T>(reinterpret_cast<const Stored<T>*>(element));
    };
    if (has_bit(place.arguments.turned, operand)) {
      for_each_turned(place, operand, read_one);
    } else if (has_bit(place.arguments.values, operand)) {
#pragma unroll
      for (int k = 0; k < kItems; ++k)
        items.items[k] = read_slot<T>(place.arguments.operands[operand]);
    } else {
      for_each_straight(place, operand, read_one);
    }
  }

  // An operand's tile in shared memory, in rows along the innermost dimension. Their distance puts
  // the elements of a column into different banks.
  template <int operand, class T>
  NPP_FUNCTION static T* cell(int along, int across) {
    constexpr int kPitch = kLength * int(sizeof(T)) + (sizeof(T) < 4 ? 4 : int(sizeof(T)));
    __shared__ alignas(16) char cells[kLanes * kPitch];
    return reinterpret_cast<T*>(cells + across * kPitch) + along;
  }

  template <int operand, class T>
  NPP_FUNCTION static void put(const Place& place, const Elements<T, kItems>& items) {
    if (!has_bit(place.arguments.turned, operand)) return;
#pragma unroll
    for (int k = 0; k < kItems; ++k)
      if (place.warp + k * kWarps < place.length && place.lane < place.width)
        write<T>(cell<operand, Stored<T>>(place.warp + k * kWarps, place.lane), items.items[k]);
  }

  template <int operand, class T>
  NPP_FUNCTION static void take(const Place& place, Elements<T, kItems>& items) {
    if (!has_bit(place.arguments.turned, operand)) return;
#pragma unroll
    for (int k = 0; k < kItems; ++k)
      if (is_inside(place, k / kSteps, k % kSteps))
        items.items[k] = read<T>(cell<operand, Stored<T>>(place.lane + k / kSteps * kLanes,
                                                          place.warp + k % kSteps * kWarps));
  }

  NPP_FUNCTION static void finish(const Place& place, Errors& errors, const Read& in, int part) {
    char* places[] = {place.at(kFirstOutput + outputs, place.lane + part * kLanes, place.warp)...};
#pragma unroll
    for (int j = 0; j < kSteps; ++j) {
      if (is_inside(place, part, j)) finish_one(errors, in, part * kSteps + j, places);
      ((places[outputs] += place.step(kFirstOutput + outputs, 1, kWarps)), ...);
    }
  }
  NPP_FUNCTION static void finish_one(Errors& errors, const Read& in, int k,
                                      char* const (&places)[sizeof...(outputs)]) {
    if constexpr (kIsMasked)
      if (!in.wanted.items[k]) return;
    const auto results = call_kernel<Kernel>(errors, get<inputs>(in.items).items[k]...);
    (write<Output<outputs>>(reinterpret_cast<Stored<Output<outputs>>*>(places[outputs]),
                            result<outputs>(results)),
     ...);
  }
};

template <class Kernel, class Range, Mask mask, int kDimensions, int kItems>
NPP_FUNCTION void run_transposed(
    const TransposedArgumentsOf<Kernel, Range, mask, kDimensions>& arguments, Errors& errors) {
  Transposed<Kernel, TransposedArgumentsOf<Kernel, Range, mask, kDimensions>, mask, kItems,
             MakeIndices<Kernel::Inputs::kCount>,
             MakeIndices<Kernel::Outputs::kCount>>::run(arguments, errors);
}

}  // namespace npp

#define NPP_TRANSPOSED(make, name, Kernel, Range, mask, n_dimensions, n_items)            \
  using name##_arguments = npp::TransposedArgumentsOf<Kernel, Range, mask, n_dimensions>; \
  make(name, name##_arguments, npp::run_transposed<Kernel, Range, mask, n_dimensions, n_items>)
#define NPP_TRANSPOSED_KERNEL(...) NPP_TRANSPOSED(NPP_DEVICE_KERNEL, __VA_ARGS__)
#define NPP_RAISING_TRANSPOSED_KERNEL(...) NPP_TRANSPOSED(NPP_RAISING_DEVICE_KERNEL, __VA_ARGS__)
