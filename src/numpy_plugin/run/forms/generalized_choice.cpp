#include "numpy_plugin/run/forms/generalized_choice.hpp"

#include "numpy_plugin/analysis/item_staging.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/run/launch/launch_arguments.hpp"

namespace numpy_plugin::run {
namespace {

using emit::LaunchForm;

std::string operand_name(const PlacedItems& placed, std::size_t operand) {
  return operand < placed.n_inputs ? "input " + std::to_string(operand + 1)
                                   : "output " + std::to_string(operand - placed.n_inputs + 1);
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
      return "the items of " + operand_name(placed, i) + " are not packed";
    }
  }
  return "";
}

std::string quoted(const std::vector<std::string>& names) {
  return "'" + base::join(names, "' and '") + "'";
}

}  // namespace

GeneralizedTraits generalized_traits(const declare::TypedKernel& kernel, int n_multiprocessors) {
  GeneralizedTraits traits{.layout = *kernel.layout,
                           .split = emit::find_split_loops(kernel),
                           .loop_names = {},
                           .staging_obstacle = emit::staging_obstacle(kernel),
                           .n_multiprocessors = n_multiprocessors};
  for (const emit::SplitLoop& loop : traits.split.loops) {
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

GeneralizedChoice choose_generalized(const PlacedItems& placed, const GeneralizedTraits& traits) {
  GeneralizedChoice choice;
  choice.obstacle = traits.staging_obstacle;
  if (choice.obstacle.empty()) choice.obstacle = packing_obstacle(placed, traits.layout);
  // A split launch has additional stride columns: one per loop, and one at the end.
  const std::size_t n_columns = placed.call.operands.size() + traits.split.loops.size() + 1;
  const bool can_split = !traits.split.loops.empty() && n_columns <= kMaxOperands + 1;
  const bool fills_device =
      placed.iteration.n_elements() >= std::int64_t{traits.n_multiprocessors} * kLaunchThreads;
  if (choice.obstacle.empty() && (fills_device || !can_split)) {
    choice.form = LaunchForm::kStaged;
  } else if (can_split) {
    choice.form = LaunchForm::kSplit;
  }
  return choice;
}

std::string generalized_reason(const GeneralizedChoice& choice, const GeneralizedTraits& traits) {
  switch (choice.form) {
    case LaunchForm::kStaged:
      return "staged: items of fixed sizes are packed; " + std::to_string(kLaunchThreads) +
             " of them pass through shared memory together";
    case LaunchForm::kSplit:
      return "split: a thread for each iteration over " + quoted(traits.loop_names) +
             ", which are independent";
    default:
      return "one thread per item: not split, because " +
             (traits.split.loops.empty() ? traits.split.reason : "there are too many operands") +
             "; not staged, because " + choice.obstacle;
  }
}

}  // namespace numpy_plugin::run
