#include "numpy_plugin/run/forms/generalized_choice.hpp"

#include <algorithm>
#include <iterator>

#include "numpy_plugin/analysis/generalized_kernel.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/run/launch/launch_arguments.hpp"

namespace numpy_plugin::run {
namespace {

using analysis::LaunchForm;

std::string operand_name(const PlacedItems& placed, std::size_t operand) {
  return operand < placed.n_inputs ? format("input {}", operand + 1)
                                   : format("output {}", operand - placed.n_inputs + 1);
}

// The bytes of an operand's core array if it is in C order, else 0.
std::int64_t packed_bytes(const PlacedItems& placed, const declare::CoreSignature& layout,
                          std::size_t operand) {
  const CoreOperand& given = placed.call.operands[operand];
  const auto& dimensions = layout.operands[operand];
  auto n_bytes = static_cast<std::int64_t>(given.loop.item_bytes());
  for (std::size_t axis = dimensions.size(); axis-- > 0;) {
    const auto name = static_cast<std::size_t>(dimensions[axis].name_index);
    const std::int64_t size = placed.call.core_sizes[name];
    if (size != 1 && given.core_strides[axis] != n_bytes) return 0;
    n_bytes *= size;
  }
  return n_bytes;
}

// Why items are not packed one after the other; empty where they are.
std::string packing_obstacle(const PlacedItems& placed, const declare::CoreSignature& layout) {
  if (placed.iteration.n_dimensions() > 1)
    return "the items of the operands have different layouts";
  for (std::size_t i = 0; i < placed.call.operands.size(); ++i) {
    if (placed.call.operands[i].loop.is_value) continue;
    const std::int64_t n_bytes = packed_bytes(placed, layout, i);
    const bool is_next = placed.iteration.strides(0)[i] == n_bytes;
    const bool is_single = placed.is_repeated(i) || placed.iteration.n_elements() == 1;
    if (n_bytes == 0 || !(is_next || is_single)) {
      return format("the items of {} are not packed", operand_name(placed, i));
    }
  }
  return "";
}

// Fewer rows or columns would leave most of a tile's threads idle, and shorter sums would not repay
// the passage through shared memory.
constexpr std::int64_t kLeastLines = 24, kLeastDepth = 8;

std::string tiling_obstacle(const GeneralizedTraits& traits, const TiledSizes& sizes) {
  if (!traits.product.reason.empty()) return traits.product.reason;
  if (std::min(sizes.rows, sizes.columns) >= kLeastLines && sizes.depth >= kLeastDepth) return "";
  return format(
      "results of {} x {} sums over {} are small: tiles take {} x {} sums over {} or more",
      sizes.rows, sizes.columns, sizes.depth, kLeastLines, kLeastLines, kLeastDepth);
}

// Time of a tile's results, relative to their number: a thread with fewer results reads shared
// memory more often.
constexpr double kRelativeTime[] = {1.0, 1.25, 2.0};

// The tiles with the shortest time: of few large ones, some multiprocessors get none.
int choose_tile(const GeneralizedTraits& traits, const TiledSizes& sizes, std::int64_t n_items) {
  int best = 0;
  double least = 0.0;
  for (std::size_t i = 0; i < std::size(analysis::kTileItems); ++i) {
    const int items = analysis::kTileItems[i];
    if (items > analysis::most_tile_items(traits.product)) continue;
    const std::int64_t n_tiles = n_items * sizes.row_tiles(items) * sizes.column_tiles(items);
    const std::int64_t n_each = (n_tiles - 1) / traits.n_multiprocessors + 1;
    const double time = static_cast<double>(n_each) * items * items * kRelativeTime[i];
    if (best != 0 && time >= least) continue;
    best = items;
    least = time;
  }
  return best;
}

std::string quoted(const std::vector<std::string>& names) {
  return format("'{}'", base::join(names, "' and '"));
}

}  // namespace

GeneralizedTraits generalized_traits(const declare::TypedKernel& kernel, int n_multiprocessors) {
  GeneralizedTraits traits{.layout = *kernel.layout,
                           .split = analysis::find_split_loops(kernel),
                           .loop_names = {},
                           .staging_obstacle = analysis::staging_obstacle(kernel),
                           .product = analysis::find_matrix_product(kernel),
                           .n_multiprocessors = n_multiprocessors};
  for (const analysis::SplitLoop& loop : traits.split.loops) {
    const auto& python = std::get<declare::PythonKernel>(kernel.body);
    traits.loop_names.push_back(python.function.locals[static_cast<std::size_t>(loop.local)].name);
  }
  return traits;
}

std::uint64_t PlacedItems::address(std::size_t operand) const {
  return call.operands[operand].loop.address +
         static_cast<std::uint64_t>(iteration.offset(operand));
}

bool PlacedItems::is_repeated(std::size_t operand) const {
  return operand < n_inputs && iteration.n_dimensions() == 1 && iteration.strides(0)[operand] == 0;
}

TiledSizes tiled_sizes(const GeneralizedCall& call, const analysis::MatrixProduct& product) {
  const auto size = [&](int name) { return call.core_sizes[static_cast<std::size_t>(name)]; };
  return product.reason.empty() ? TiledSizes{size(product.rows.name), size(product.columns.name),
                                             size(product.depth_name)}
                                : TiledSizes{};
}

GeneralizedChoice choose_generalized(const PlacedItems& placed, const GeneralizedTraits& traits) {
  GeneralizedChoice choice;
  choice.obstacle = traits.staging_obstacle;
  if (choice.obstacle.empty()) choice.obstacle = packing_obstacle(placed, traits.layout);
  // A split launch has additional stride columns: one per loop, and one at the end.
  const std::size_t n_columns = placed.call.operands.size() + traits.split.loops.size() + 1;
  const bool can_split = !traits.split.loops.empty() && n_columns <= kMaxOperands + 1;
  const bool fills_device =
      placed.iteration.n_elements() >= std::int64_t{traits.n_multiprocessors} * kLaunchThreads;
  const TiledSizes sizes = tiled_sizes(placed.call, traits.product);
  choice.not_tiled = tiling_obstacle(traits, sizes);
  if (choice.not_tiled.empty()) {
    choice.form = LaunchForm::kTiled;
    choice.tile_items = choose_tile(traits, sizes, placed.iteration.n_elements());
  } else if (choice.obstacle.empty() && (fills_device || !can_split)) {
    choice.form = LaunchForm::kStaged;
  } else if (can_split) {
    choice.form = LaunchForm::kSplit;
  }
  return choice;
}

std::string generalized_reason(const GeneralizedChoice& choice, const GeneralizedTraits& traits) {
  switch (choice.form) {
    case LaunchForm::kStaged:
      return format(
          "staged: items of fixed sizes are packed; {} of them pass through shared memory together",
          kLaunchThreads);
    case LaunchForm::kTiled: {
      const std::string side = std::to_string(analysis::kTileLanes * choice.tile_items);
      return format("tiled: a block for {} x {} iterations over {}, whose sums are in registers",
                    side, side, quoted(traits.loop_names));
    }
    case LaunchForm::kSplit:
      // Where one loop is split, the kernel is far from a product.
      return format("split: a thread for each iteration over {}, which are independent{}",
                    quoted(traits.loop_names),
                    traits.loop_names.size() < 2 ? "" : "; not tiled, because " + choice.not_tiled);
    default:
      return format(
          "one thread per item: not split, because {}; not staged, because {}",
          traits.split.loops.empty() ? traits.split.reason : "there are too many operands",
          choice.obstacle);
  }
}

}  // namespace numpy_plugin::run
