#include "numpy_plugin/run/launch/launch_arguments.hpp"

#include <bit>
#include <string>

namespace numpy_plugin::run {
namespace {

using emit::LaunchForm;
using std::int64_t;
using std::size_t;
using std::uint32_t;
using std::uint64_t;

constexpr uint64_t bit(size_t operand) { return uint64_t{1} << operand; }

uint64_t value_bits(const PlacedCall& placed) {
  uint64_t bits = 0;
  for (size_t i = 0; i < placed.n_inputs; ++i) {
    if (placed.call.operands[i].is_value) bits |= bit(i);
  }
  return bits;
}

uint64_t scalar_bits(const PlacedCall& placed) {
  uint64_t bits = 0;
  for (size_t i = 0; placed.is_read(i); ++i) {
    if (placed.is_scalar(i)) bits |= bit(i);
  }
  return bits;
}

void put_operands(ArgumentBuffer& arguments, const PlacedCall& placed) {
  for (size_t i = 0; i < placed.call.operands.size(); ++i) {
    put_operand(arguments, placed.call.operands[i], placed.address(i));
  }
}

int64_t blocks_of(int64_t n_elements, int64_t tile) { return (n_elements + tile - 1) / tile; }

int64_t pack_contiguous(const PlacedCall& placed, bool has_vectors, int tile,
                        ArgumentBuffer& arguments) {
  const int64_t n = placed.iteration.n_elements();
  const int64_t full_tiles = has_vectors ? n / tile : 0;
  const uint64_t scalars = scalar_bits(placed);
  put_operands(arguments, placed);
  arguments.put(npp::ContiguousFields{
      .scalars = scalars,
      .values = value_bits(placed),
      .n = static_cast<uint64_t>(n),
      .full_tiles = static_cast<uint32_t>(full_tiles),
      .plain_tiles = static_cast<uint32_t>(scalars == 0 ? full_tiles : 0),
  });
  return full_tiles + blocks_of(n - full_tiles * tile, kLaunchThreads);
}

// Sizes and strides of the dimensions from `first` on, with room for `most` of them.
void put_sizes(ArgumentBuffer& arguments, const Iteration& iteration, size_t first, size_t most,
               bool is_wide) {
  for (size_t dimension = first; dimension < iteration.n_dimensions(); ++dimension) {
    if (is_wide) {
      arguments.put(iteration.size(dimension));
    } else {
      arguments.put(make_divisor(iteration.size(dimension)));
    }
  }
  const size_t n_left = most - (iteration.n_dimensions() - first);
  arguments.put_zeros(n_left * (is_wide ? sizeof(npp::Wide::Size) : sizeof(npp::Narrow::Size)));
}

template <class Stride>
void put_strides_as(ArgumentBuffer& arguments, const Iteration& iteration, size_t first,
                    size_t most) {
  arguments.align(sizeof(Stride));
  for (size_t dimension = first; dimension < iteration.n_dimensions(); ++dimension) {
    for (const int64_t stride : iteration.strides(dimension)) {
      arguments.put(static_cast<Stride>(stride));
    }
  }
  const size_t n_left = most - (iteration.n_dimensions() - first);
  arguments.put_zeros(n_left * iteration.n_operands() * sizeof(Stride));
}

void put_strides(ArgumentBuffer& arguments, const Iteration& iteration, size_t first, size_t most,
                 bool is_wide) {
  if (is_wide) {
    put_strides_as<npp::Wide::Offset>(arguments, iteration, first, most);
  } else {
    put_strides_as<npp::Narrow::Offset>(arguments, iteration, first, most);
  }
}

int64_t pack_rows(const PlacedCall& placed, const LaunchChoice& choice, int tile,
                  ArgumentBuffer& arguments) {
  const Iteration& iteration = placed.iteration;
  const int64_t length = iteration.size(0);
  const int64_t full_tiles = choice.has_vectors ? length / tile : 0;
  const int64_t row_blocks = full_tiles + blocks_of(length - full_tiles * tile, tile);
  put_operands(arguments, placed);
  arguments.put(npp::RowsFields{
      .scalars = scalar_bits(placed),
      .values = value_bits(placed),
      .row_length = static_cast<uint64_t>(length),
      .full_tiles = static_cast<uint32_t>(full_tiles),
      .n_dimensions = static_cast<uint32_t>(iteration.n_dimensions() - 1),
      .row_blocks = make_divisor(row_blocks),
      .padding = 0,
  });
  const auto most = static_cast<size_t>(choice.n_dimensions);
  put_sizes(arguments, iteration, 1, most, /*is_wide=*/false);  // fewer rows than blocks, so narrow
  put_strides(arguments, iteration, 1, most, choice.is_wide);
  arguments.align(16);
  return iteration.n_elements() / length * row_blocks;
}

int64_t pack_strided(const PlacedCall& placed, const LaunchChoice& choice, int tile,
                     ArgumentBuffer& arguments) {
  const Iteration& iteration = placed.iteration;
  const int64_t n = iteration.n_elements();
  const int64_t full_tiles = choice.is_spread ? 0 : n / tile;
  put_operands(arguments, placed);
  put_strided_fields(arguments, iteration,
                     {.values = value_bits(placed),
                      .full_tiles = static_cast<uint32_t>(full_tiles),
                      .n_dimensions = static_cast<size_t>(choice.n_dimensions),
                      .is_wide = choice.is_wide});
  return full_tiles + blocks_of(n - full_tiles * tile, kLaunchThreads);
}

}  // namespace

npp::Divisor make_divisor(int64_t number) {
  NPP_ASSERT(number >= 1 && number <= kNarrowLimit, std::to_string(number));
  const auto divisor = static_cast<uint64_t>(number);
  const auto shift = static_cast<uint32_t>(std::bit_width(divisor - 1));
  const uint64_t magic = (((uint64_t{1} << shift) - divisor) << 32) / divisor + 1;
  return {static_cast<uint32_t>(divisor), static_cast<uint32_t>(magic), shift};
}

void put_operand(ArgumentBuffer& arguments, const CallOperand& operand, uint64_t address) {
  if (operand.is_value) return arguments.put(operand.slot);
  arguments.put(address);
  arguments.put(uint64_t{0});
}

unsigned checked_grid(int64_t n_blocks, int64_t n) {
  if (n_blocks < kNarrowLimit) return static_cast<unsigned>(n_blocks);
  throw base::Error(base::ErrorKind::kValue,
                    "a call of " + std::to_string(n) + " elements needs " +
                        std::to_string(n_blocks) +
                        " blocks, and a launch can have fewer than 2^31; call it in parts");
}

void put_strided_fields(ArgumentBuffer& arguments, const Iteration& iteration,
                        const StridedLaunch& launch) {
  arguments.put(npp::StridedFields{
      .values = launch.values,
      .n = static_cast<uint64_t>(iteration.n_elements()),
      .n_dimensions = static_cast<uint32_t>(iteration.n_dimensions()),
      .full_tiles = launch.full_tiles,
  });
  put_sizes(arguments, iteration, 0, launch.n_dimensions, launch.is_wide);
  put_strides(arguments, iteration, 0, launch.n_dimensions, launch.is_wide);
  arguments.align(16);
}

unsigned pack_launch(const PlacedCall& placed, const LaunchChoice& choice,
                     const emit::LaunchShape& shape, ArgumentBuffer& arguments) {
  const int64_t grid = choice.form == LaunchForm::kContiguous
                           ? pack_contiguous(placed, choice.has_vectors, shape.tile, arguments)
                       : choice.form == LaunchForm::kRows
                           ? pack_rows(placed, choice, shape.tile, arguments)
                           : pack_strided(placed, choice, shape.tile, arguments);
  return checked_grid(grid, placed.iteration.n_elements());
}

}  // namespace numpy_plugin::run
