#include "numpy_plugin/run/launch/launch_choice.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string>

#include "numpy_plugin/analysis/device_form.hpp"
#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::run {
using analysis::LaunchForm;
using std::int64_t;
using std::size_t;
using std::uint64_t;

namespace {

constexpr size_t kNone = kMaxOperands + 1;

size_t n_operands(const PlacedCall& placed) { return placed.call.operands.size(); }

// The first operand that is neither contiguous nor constant along the innermost dimension.
size_t find_strided(const PlacedCall& placed) {
  for (size_t i = 0; i < n_operands(placed); ++i) {
    if (!placed.is_contiguous(i) && !placed.is_scalar(i)) return i;
  }
  return kNone;
}

// The first operand whose vectors of `width` elements would be misaligned.
size_t find_unaligned(const PlacedCall& placed, int width) {
  const Iteration& iteration = placed.iteration;
  for (size_t i = 0; i < n_operands(placed); ++i) {
    if (placed.is_scalar(i)) continue;
    uint64_t bits = placed.address(i);
    for (size_t dimension = 1; dimension < iteration.n_dimensions(); ++dimension) {
      bits |= static_cast<uint64_t>(iteration.strides(dimension)[i]);
    }
    const uint64_t n_bytes = static_cast<uint64_t>(width) * placed.call.operands[i].item_bytes();
    if ((bits & (n_bytes - 1)) != 0) return i;
  }
  return kNone;
}

// The first operand that is not contiguous across rows.
size_t find_broken(const PlacedCall& placed) {
  const Iteration& iteration = placed.iteration;
  for (size_t i = 0; i < n_operands(placed); ++i) {
    if (iteration.strides(1)[i] != iteration.strides(0)[i] * iteration.size(0)) return i;
  }
  return kNone;
}

bool has_narrow_offsets(const PlacedCall& placed) {
  return has_narrow_offsets(placed.iteration, n_operands(placed));
}

LaunchChoice choose_contiguous(const PlacedCall& placed, const LaunchTraits& traits) {
  const int64_t n = placed.iteration.n_elements();
  if (n < int64_t{traits.n_multiprocessors} * traits.contiguous.tile) {
    return {.is_spread = true, .reason = LaunchReason::kFewElements};
  }
  const size_t unaligned = find_unaligned(placed, traits.contiguous.width);
  if (unaligned != kNone) {
    return {.form = LaunchForm::kStrided,
            .is_wide = !has_narrow_offsets(placed),
            .reason = LaunchReason::kUnaligned,
            .operand = unaligned};
  }
  return {.has_vectors = true};
}

// Whether blocks of their own serve the rows well: nearly all of a row is in full tiles. `length`:
// of rows of whole vectors.
bool fills_tiles(int64_t length, const analysis::LaunchShape& shape) {
  return length % shape.tile <= length / 8;
}

LaunchChoice choose_rows(const PlacedCall& placed, const LaunchTraits& traits) {
  const Iteration& iteration = placed.iteration;
  const int64_t length = iteration.size(0);
  const int64_t blocks = blocks_of(length, traits.rows.tile);
  const bool is_aligned = find_unaligned(placed, traits.rows.width) == kNone;
  const bool has_whole_vectors =
      traits.rows.width > 1 && is_aligned && length % traits.rows.width == 0;
  LaunchChoice choice{.form = LaunchForm::kStrided, .is_wide = !has_narrow_offsets(placed)};
  if (has_whole_vectors && !fills_tiles(length, traits.rows)) {
    choice.form = LaunchForm::kShortRows;
    choice.reason = LaunchReason::kShortRows;
    choice.has_vectors = true;
  } else if (length < shortest_row(traits)) {
    choice.reason = LaunchReason::kBrokenRows;
  } else if (iteration.n_elements() / length >= kNarrowLimit / blocks) {
    choice.reason = LaunchReason::kManyBlocks;
  } else {
    choice.form = LaunchForm::kRows;
    choice.reason = LaunchReason::kRows;
    choice.has_vectors = is_aligned;
    choice.operand = find_broken(placed);
  }
  return choice;
}

// The dimension along which what is read is contiguous, where all outputs are along the innermost
// one; 0 for none.
size_t find_turned_dimension(const PlacedCall& placed) {
  const size_t n_read = placed.n_inputs + (placed.call.is_masked ? 1 : 0);
  for (size_t i = n_read; i < n_operands(placed); ++i) {
    if (!placed.is_contiguous(i)) return 0;
  }
  for (size_t dimension = 1; dimension < placed.iteration.n_dimensions(); ++dimension) {
    for (size_t i = 0; i < n_read; ++i) {
      if (placed.is_turned(i, dimension)) return dimension;
    }
  }
  return 0;
}

// Whether tiles are mostly full, and there are enough of them.
bool serves_transposed(const PlacedCall& placed, const LaunchTraits& traits, size_t turned) {
  const Iteration& iteration = placed.iteration;
  const int64_t tile = traits.transposed.tile, length = tile / kTileSide;
  const int64_t n = iteration.n_elements();
  if (turned == 0 || tile <= analysis::kThreads || n < int64_t{traits.n_multiprocessors} * tile)
    return false;
  if (iteration.size(0) < length / 2 || iteration.size(turned) < kTileSide / 2) return false;
  return n / (iteration.size(0) * iteration.size(turned)) <
         kNarrowLimit /
             (blocks_of(iteration.size(0), length) * blocks_of(iteration.size(turned), kTileSide));
}

LaunchChoice choose_strided(const PlacedCall& placed, const LaunchTraits& traits, size_t operand) {
  LaunchChoice choice{.form = LaunchForm::kStrided,
                      .is_wide = !has_narrow_offsets(placed),
                      .reason = LaunchReason::kStrides,
                      .operand = operand};
  const size_t turned = find_turned_dimension(placed);
  if (serves_transposed(placed, traits, turned)) {
    choice.form = LaunchForm::kTransposed;
    choice.reason = LaunchReason::kTransposed;
    choice.turned = turned;
    while (!placed.is_turned(choice.operand, turned)) ++choice.operand;
  }
  return choice;
}

LaunchChoice choose_form(const PlacedCall& placed, const LaunchTraits& traits) {
  if (const size_t operand = find_strided(placed); operand != kNone) {
    return choose_strided(placed, traits, operand);
  }
  return placed.iteration.n_dimensions() == 1 ? choose_contiguous(placed, traits)
                                              : choose_rows(placed, traits);
}

// The room for strides, and whether there are tiles of short rows and strided elements.
void choose_dimensions(const PlacedCall& placed, const LaunchTraits& traits, LaunchChoice& choice) {
  if (choice.form == LaunchForm::kContiguous) return;
  const bool has_rows = choice.form == LaunchForm::kRows;
  const bool is_transposed = choice.form == LaunchForm::kTransposed;
  const auto n = static_cast<int>(placed.iteration.n_dimensions()) - (has_rows        ? 1
                                                                      : is_transposed ? 2
                                                                                      : 0);
  choice.n_dimensions =
      *std::find_if(std::begin(analysis::kDimensionLimits), std::end(analysis::kDimensionLimits),
                    [n](int limit) { return n <= limit; });
  if (has_rows || is_transposed) return;
  const analysis::LaunchShape& shape = choice.form == LaunchForm::kShortRows ? traits.rows
                                       : choice.n_dimensions == 1            ? traits.line
                                                                             : traits.strided;
  const int64_t needed = int64_t{traits.n_multiprocessors} * shape.tile;
  choice.is_spread = placed.iteration.n_elements() < needed;
}

}  // namespace

uint64_t PlacedCall::address(size_t operand) const {
  return call.operands[operand].address + static_cast<uint64_t>(iteration.offset(operand));
}

bool PlacedCall::is_scalar(size_t operand) const {
  return is_read(operand) &&
         (call.operands[operand].is_value || iteration.strides(0)[operand] == 0);
}

bool PlacedCall::is_contiguous(size_t operand) const {
  const auto n_bytes = static_cast<int64_t>(call.operands[operand].item_bytes());
  return iteration.strides(0)[operand] == n_bytes || iteration.size(0) == 1;
}

bool PlacedCall::is_turned(size_t operand, size_t dimension) const {
  const auto n_bytes = static_cast<int64_t>(call.operands[operand].item_bytes());
  return is_read(operand) && !is_contiguous(operand) && !is_scalar(operand) &&
         iteration.strides(dimension)[operand] == n_bytes;
}

bool has_narrow_offsets(const Iteration& iteration, size_t n_operands) {
  for (size_t i = 0; i < n_operands; ++i) {
    int64_t reach = 0;
    for (size_t dimension = 0; dimension < iteration.n_dimensions(); ++dimension) {
      const int64_t stride = std::abs(iteration.strides(dimension)[i]);
      const int64_t last = iteration.size(dimension) - 1;
      if (stride != 0 && last > (kNarrowLimit - 1) / stride) return false;
      reach += stride * last;
      if (reach >= kNarrowLimit) return false;
    }
  }
  return true;
}

LaunchChoice choose_launch(const PlacedCall& placed, const LaunchTraits& traits) {
  // Beyond this, the strides of 64 dimensions in 64 bits exceed kMaxParameterBytes.
  constexpr size_t kMaxWideOperands = 60;
  LaunchChoice choice = choose_form(placed, traits);
  choose_dimensions(placed, traits, choice);
  choice.is_masked = placed.call.is_masked;
  choice.is_wide |= placed.iteration.n_elements() >= kNarrowLimit;
  const bool has_all_dimensions = choice.n_dimensions == static_cast<int>(kMaxDimensions);
  if (choice.is_wide && has_all_dimensions && n_operands(placed) > kMaxWideOperands) {
    refuse_wide_call(n_operands(placed));
  }
  return choice;
}

void refuse_wide_call(size_t n_operands) {
  throw base::Error(base::ErrorKind::kValue,
                    format("a call of {} operands needs 64-bit strides, and with them more than "
                           "the {} bytes of parameters that a launch can have; call it in parts, "
                           "or with contiguous copies of its operands",
                           n_operands, kMaxParameterBytes));
}

}  // namespace numpy_plugin::run
