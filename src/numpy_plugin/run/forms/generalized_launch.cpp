#include "numpy_plugin/run/forms/generalized_launch.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

namespace numpy_plugin::run {

using std::int64_t;
using std::size_t;
using std::uint32_t;
using std::uint64_t;

namespace {

constexpr unsigned kShortBlock = 32;  // threads of a warp

uint64_t value_bits(const PlacedItems& placed) {
  uint64_t bits = 0;
  for (size_t i = 0; i < placed.n_inputs; ++i) {
    if (placed.call.operands[i].loop.is_value) bits |= uint64_t{1} << i;
  }
  return bits;
}

uint64_t repeated_bits(const PlacedItems& placed) {
  uint64_t bits = 0;
  for (size_t i = 0; i < placed.n_inputs; ++i) {
    if (placed.is_repeated(i)) bits |= uint64_t{1} << i;
  }
  return bits;
}

void put_operands(ArgumentBuffer& arguments, const PlacedItems& placed) {
  for (size_t i = 0; i < placed.call.operands.size(); ++i) {
    put_operand(arguments, placed.call.operands[i].loop, placed.address(i));
  }
}

void put_core_dimensions(ArgumentBuffer& arguments, const GeneralizedCall& call,
                         const declare::CoreSignature& layout) {
  for (const int64_t size : call.core_sizes) arguments.put(size);
  if (call.core_sizes.empty()) arguments.put(int64_t{1});
  size_t n_strides = 0;
  for (size_t i = 0; i < call.operands.size(); ++i) {
    for (size_t axis = 0; axis < layout.operands[i].size(); ++axis, ++n_strides) {
      arguments.put(call.operands[i].core_strides[axis]);
    }
  }
  if (n_strides == 0) arguments.put(int64_t{0});
  arguments.align(16);
}

unsigned n_blocks(int64_t n_threads, unsigned block) {
  return checked_grid((n_threads - 1) / block + 1, n_threads);
}

// Strides of an operand of a matrix product: of its line, and of the depth.
std::array<int64_t, 2> product_strides(const GeneralizedCall& call,
                                       const analysis::ProductOperand& operand) {
  const int64_t* const strides = call.operands[static_cast<size_t>(operand.input)].core_strides;
  return {strides[operand.line_axis], strides[operand.depth_axis]};
}

npp::TiledFields tiled_fields(const GeneralizedCall& call, int tile_items,
                              const analysis::MatrixProduct& product) {
  const TiledSizes sizes = tiled_sizes(call, product);
  const std::array<int64_t, 2> left = product_strides(call, product.left);
  const std::array<int64_t, 2> right = product_strides(call, product.right);
  const auto is_along_depth = [](const std::array<int64_t, 2>& strides) {
    return std::abs(strides[1]) < std::abs(strides[0]);
  };
  return {.rows = sizes.rows,
          .columns = sizes.columns,
          .depth = sizes.depth,
          .left_strides = {left[0], left[1]},
          .right_strides = {right[0], right[1]},
          .row_tiles = make_divisor(sizes.row_tiles(tile_items)),
          .column_tiles = make_divisor(sizes.column_tiles(tile_items)),
          .is_left_along_depth = is_along_depth(left),
          .is_right_along_depth = is_along_depth(right),
          .padding = {}};
}

}  // namespace

// Strides under construction for the iteration.
class ItemIteration::Columns {
 public:
  Columns(const GeneralizedCall& call, size_t n_inputs, std::span<const analysis::SplitLoop> loops)
      : n_dimensions_(call.shape.size() + loops.size()) {
    std::copy(call.shape.begin(), call.shape.end(), shape_.begin());
    for (size_t i = 0; i < loops.size(); ++i)
      shape_[call.shape.size() + i] = call.core_sizes[static_cast<size_t>(loops[i].name)];
    for (const CoreOperand& operand : call.operands) add(operand.loop, call.shape.size());
    if (loops.empty()) return;
    for (size_t i = 0; i < loops.size(); ++i) add({}, 0)[call.shape.size() + i] = 1;
    const CoreOperand& output = call.operands[n_inputs];
    int64_t* const last = add(output.loop, call.shape.size());
    for (size_t i = 0; i < loops.size(); ++i) {
      if (loops[i].axis >= 0)
        last[call.shape.size() + i] = output.core_strides[static_cast<size_t>(loops[i].axis)];
    }
  }
  Columns(const Columns&) = delete;
  Columns& operator=(const Columns&) = delete;

  std::span<const int64_t> shape() const { return {shape_.data(), n_dimensions_}; }
  std::span<const int64_t* const> strides() const { return {pointers_.data(), n_columns_}; }

 private:
  static constexpr size_t kMaxColumns = kMaxOperands + 1;

  // A column with an operand's strides in the first dimensions and zeros in the rest.
  int64_t* add(const CallOperand& operand, size_t n_given) {
    NPP_ASSERT(n_columns_ < kMaxColumns, std::to_string(n_columns_));
    int64_t* const column = &strides_[n_columns_ * kMaxDimensions];
    std::fill_n(column, n_dimensions_, 0);
    if (!operand.is_value && operand.strides != nullptr)
      std::copy_n(operand.strides, n_given, column);
    pointers_[n_columns_++] = column;
    return column;
  }

  size_t n_dimensions_;
  size_t n_columns_ = 0;
  // Uninitialized: large and mostly unused.
  std::array<int64_t, kMaxDimensions> shape_;
  std::array<const int64_t*, kMaxColumns> pointers_;
  std::array<int64_t, kMaxColumns * kMaxDimensions> strides_;
};

ItemIteration::ItemIteration(const GeneralizedCall& call, size_t n_inputs,
                             std::span<const analysis::SplitLoop> loops)
    : ItemIteration(call, Columns(call, n_inputs, loops)) {}

ItemIteration::ItemIteration(const GeneralizedCall& call, const Columns& columns)
    : n_operands_(call.operands.size()), iteration_(columns.shape(), columns.strides()) {}

bool ItemIteration::is_wide() const {
  return iteration_.n_elements() >= kNarrowLimit || !has_narrow_offsets(iteration_, n_operands_);
}

GeneralizedGrid pack_items(const PlacedItems& placed, bool is_wide, const GeneralizedTraits& traits,
                           ArgumentBuffer& arguments) {
  const Iteration& iteration = placed.iteration;
  const size_t n_more = iteration.n_operands() - placed.call.operands.size();
  put_operands(arguments, placed);
  arguments.put_zeros(n_more * sizeof(CallOperand::slot));
  put_strided_fields(arguments, iteration, {.values = value_bits(placed), .is_wide = is_wide});
  put_core_dimensions(arguments, placed.call, traits.layout);
  if (arguments.size() > kMaxParameterBytes) refuse_wide_call(placed.call.operands.size());
  // Few threads with much work each: small blocks use more multiprocessors.
  const bool is_short = iteration.n_elements() < int64_t{traits.n_multiprocessors} * kLaunchThreads;
  const unsigned block = is_short ? kShortBlock : kLaunchThreads;
  return {n_blocks(iteration.n_elements(), block), block};
}

GeneralizedGrid pack_tiled(const PlacedItems& placed, int tile_items,
                           const GeneralizedTraits& traits, ArgumentBuffer& arguments) {
  put_operands(arguments, placed);
  put_strided_fields(arguments, placed.iteration, {.values = value_bits(placed), .is_wide = true});
  put_core_dimensions(arguments, placed.call, traits.layout);
  arguments.put(tiled_fields(placed.call, tile_items, traits.product));
  if (arguments.size() > kMaxParameterBytes) refuse_wide_call(placed.call.operands.size());
  const TiledSizes sizes = tiled_sizes(placed.call, traits.product);
  const int64_t n_items = placed.iteration.n_elements();
  const int64_t n_tiles = n_items * sizes.row_tiles(tile_items) * sizes.column_tiles(tile_items);
  return {checked_grid(n_tiles, n_items * sizes.rows * sizes.columns), npp::kTileThreads};
}

GeneralizedGrid pack_staged(const PlacedItems& placed, ArgumentBuffer& arguments) {
  put_operands(arguments, placed);
  arguments.put(npp::StagedFields{
      .values = value_bits(placed),
      .repeated = repeated_bits(placed),
      .n = static_cast<uint64_t>(placed.iteration.n_elements()),
  });
  arguments.align(16);
  return {n_blocks(placed.iteration.n_elements(), kLaunchThreads), kLaunchThreads};
}

}  // namespace numpy_plugin::run
