#include "numpy_plugin/run/launch/launch_arguments.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <string>

namespace numpy_plugin::run {
namespace {

using analysis::LaunchForm;
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

// Dimensions of an iteration that a kernel sees.
struct Seen {
  const Iteration& iteration;
  size_t first = 0;              // dimension
  size_t most = kMaxDimensions;  // that there is room for
  int width = 1;                 // elements that are one of dimension 0

  size_t n_left() const { return most - (iteration.n_dimensions() - first); }
  int64_t scale(size_t dimension) const { return dimension == 0 ? width : 1; }
};

void put_sizes(ArgumentBuffer& arguments, const Seen& seen, bool is_wide) {
  for (size_t i = seen.first; i < seen.iteration.n_dimensions(); ++i) {
    const int64_t size = seen.iteration.size(i) / seen.scale(i);
    if (is_wide) {
      arguments.put(size);
    } else {
      arguments.put(make_divisor(size));
    }
  }
  const size_t n_bytes = is_wide ? sizeof(npp::Wide::Size) : sizeof(npp::Narrow::Size);
  arguments.put_zeros(seen.n_left() * n_bytes);
}

size_t stride_bytes(bool is_wide) {
  return is_wide ? sizeof(npp::Wide::Offset) : sizeof(npp::Narrow::Offset);
}

// All operands' strides in one dimension, times `scale`.
void put_strides_of(ArgumentBuffer& arguments, std::span<const int64_t> strides, bool is_wide,
                    int64_t scale = 1) {
  for (const int64_t stride : strides) {
    if (is_wide) {
      arguments.put(npp::Wide::Offset{stride * scale});
    } else {
      arguments.put(static_cast<npp::Narrow::Offset>(stride * scale));
    }
  }
}

void put_strides(ArgumentBuffer& arguments, const Seen& seen, bool is_wide) {
  arguments.align(stride_bytes(is_wide));
  for (size_t i = seen.first; i < seen.iteration.n_dimensions(); ++i) {
    put_strides_of(arguments, seen.iteration.strides(i), is_wide, seen.scale(i));
  }
  arguments.put_zeros(seen.n_left() * seen.iteration.n_operands() * stride_bytes(is_wide));
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
  const Seen seen{iteration, 1, static_cast<size_t>(choice.n_dimensions)};
  put_sizes(arguments, seen, /*is_wide=*/false);  // fewer rows than blocks, so narrow
  put_strides(arguments, seen, choice.is_wide);
  arguments.align(16);
  return iteration.n_elements() / length * row_blocks;
}

int64_t pack_short_rows(const PlacedCall& placed, const LaunchChoice& choice,
                        const analysis::LaunchShape& shape, ArgumentBuffer& arguments) {
  const Iteration& iteration = placed.iteration;
  const int64_t n = iteration.n_elements() / shape.width, tile = shape.tile / shape.width;
  const int64_t full_tiles = choice.is_spread ? 0 : n / tile;
  put_operands(arguments, placed);
  arguments.put(npp::ShortRowsFields{
      .scalars = scalar_bits(placed),
      .values = value_bits(placed),
      .n = static_cast<uint64_t>(n),
      .n_dimensions = static_cast<uint32_t>(iteration.n_dimensions()),
      .full_tiles = static_cast<uint32_t>(full_tiles),
  });
  const Seen seen{iteration, 0, static_cast<size_t>(choice.n_dimensions), shape.width};
  put_sizes(arguments, seen, choice.is_wide);
  put_strides(arguments, seen, choice.is_wide);
  arguments.align(16);
  return full_tiles + blocks_of(n - full_tiles * tile, kLaunchThreads);
}

uint64_t turned_bits(const PlacedCall& placed, size_t dimension) {
  uint64_t bits = 0;
  for (size_t i = 0; placed.is_read(i); ++i) {
    if (placed.is_turned(i, dimension)) bits |= bit(i);
  }
  return bits;
}

// Planes' sizes and strides: those of all dimensions but the innermost and the turned one.
void put_planes(ArgumentBuffer& arguments, const Iteration& iteration, const LaunchChoice& choice) {
  const auto most = static_cast<size_t>(choice.n_dimensions);
  size_t n_left = most;
  for (size_t i = 1; i < iteration.n_dimensions(); ++i) {
    if (i == choice.turned) continue;
    arguments.put(make_divisor(iteration.size(i)));
    --n_left;
  }
  arguments.put_zeros(n_left * sizeof(npp::Divisor));
  arguments.align(stride_bytes(choice.is_wide));
  for (size_t i = 1; i < iteration.n_dimensions(); ++i) {
    if (i != choice.turned) put_strides_of(arguments, iteration.strides(i), choice.is_wide);
  }
  arguments.put_zeros(n_left * iteration.n_operands() * stride_bytes(choice.is_wide));
}

int64_t pack_transposed(const PlacedCall& placed, const LaunchChoice& choice, int tile,
                        ArgumentBuffer& arguments) {
  const Iteration& iteration = placed.iteration;
  const int64_t length = iteration.size(0), turned_length = iteration.size(choice.turned);
  const int64_t tiles = blocks_of(length, tile / kTileSide);
  const int64_t turned_tiles = blocks_of(turned_length, kTileSide);
  put_operands(arguments, placed);
  arguments.put(npp::TransposedFields{
      .values = value_bits(placed),
      .turned = turned_bits(placed, choice.turned),
      .length = static_cast<uint64_t>(length),
      .turned_length = static_cast<uint64_t>(turned_length),
      .tiles = make_divisor(tiles),
      .turned_tiles = make_divisor(turned_tiles),
      .n_dimensions = std::max<uint32_t>(static_cast<uint32_t>(iteration.n_dimensions()) - 2, 1),
      .padding = 0,
  });
  put_strides_of(arguments, iteration.strides(0), choice.is_wide);
  put_strides_of(arguments, iteration.strides(choice.turned), choice.is_wide);
  put_planes(arguments, iteration, choice);
  arguments.align(16);
  return iteration.n_elements() / (length * turned_length) * tiles * turned_tiles;
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
                    format("a call of {} elements needs {} blocks, and a launch can have fewer "
                           "than 2^31; call it in parts",
                           n, n_blocks));
}

void put_strided_fields(ArgumentBuffer& arguments, const Iteration& iteration,
                        const StridedLaunch& launch) {
  arguments.put(npp::StridedFields{
      .values = launch.values,
      .n = static_cast<uint64_t>(iteration.n_elements()),
      .n_dimensions = static_cast<uint32_t>(iteration.n_dimensions()),
      .full_tiles = launch.full_tiles,
  });
  const Seen seen{iteration, 0, launch.n_dimensions};
  put_sizes(arguments, seen, launch.is_wide);
  put_strides(arguments, seen, launch.is_wide);
  arguments.align(16);
}

unsigned pack_launch(const PlacedCall& placed, const LaunchChoice& choice,
                     const analysis::LaunchShape& shape, ArgumentBuffer& arguments) {
  int64_t grid = 0;
  switch (choice.form) {
    case LaunchForm::kContiguous:
      grid = pack_contiguous(placed, choice.has_vectors, shape.tile, arguments);
      break;
    case LaunchForm::kRows:
      grid = pack_rows(placed, choice, shape.tile, arguments);
      break;
    case LaunchForm::kShortRows:
      grid = pack_short_rows(placed, choice, shape, arguments);
      break;
    case LaunchForm::kTransposed:
      grid = pack_transposed(placed, choice, shape.tile, arguments);
      break;
    default:
      grid = pack_strided(placed, choice, shape.tile, arguments);
  }
  return checked_grid(grid, placed.iteration.n_elements());
}

}  // namespace numpy_plugin::run
