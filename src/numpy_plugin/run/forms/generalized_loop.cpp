// The form is chosen by the loop dimensions; a split call then adds one per split loop.
#include "numpy_plugin/run/forms/generalized_loop.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "numpy_plugin/kernel/scratch.hpp"
#include "numpy_plugin/run/forms/generalized_launch.hpp"
#include "numpy_plugin/run/launch/launch_kernel.hpp"

namespace numpy_plugin::run {
namespace {

using analysis::LaunchForm;

// One thread per item and split, each narrow and wide; staged; tiled, with tiles of each size.
constexpr std::size_t kVariants = 5 + std::size(analysis::kTileItems);

std::size_t variant_of(const GeneralizedChoice& choice, bool is_wide) {
  const std::size_t range = is_wide ? 1 : 0;
  switch (choice.form) {
    case LaunchForm::kGeneralized:
      return range;
    case LaunchForm::kSplit:
      return 2 + range;
    case LaunchForm::kStaged:
      return 4;
    default:
      const auto* const items = std::find(std::begin(analysis::kTileItems),
                                          std::end(analysis::kTileItems), choice.tile_items);
      NPP_ASSERT(items != std::end(analysis::kTileItems), std::to_string(choice.tile_items));
      return 5 + static_cast<std::size_t>(items - std::begin(analysis::kTileItems));
  }
}

void check(const GeneralizedCall& call, const declare::TypedKernel& kernel) {
  const auto& [inputs, outputs] = kernel.signature;
  NPP_ASSERT(call.operands.size() == inputs.size() + outputs.size(), kernel.name);
  NPP_ASSERT(call.core_sizes.size() == kernel.layout->names.size(), kernel.name);
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    const CallOperand& operand = call.operands[i].loop;
    const auto& expected = i < inputs.size() ? inputs[i] : outputs[i - inputs.size()];
    NPP_ASSERT(operand.dtype == expected.dtype, format("operand {}", i));
    std::uint64_t bits = operand.is_value ? 0 : operand.address;
    for (std::size_t axis = 0; axis < kernel.layout->operands[i].size(); ++axis)
      bits |= static_cast<std::uint64_t>(call.operands[i].core_strides[axis]);
    NPP_ASSERT(bits % operand.alignment() == 0, format("operand {}", i));
  }
}

}  // namespace

struct GeneralizedLoop::Plan {
  GeneralizedChoice choice;
  bool is_wide = false;
  GeneralizedGrid grid;  // without blocks where there is nothing to write
  CublasChoice cublas;   // in place of a launch
  std::int64_t scratch_bytes = 0;
};

GeneralizedLoop::GeneralizedLoop(const std::shared_ptr<Device>& device, emit::Program program,
                                 KernelVariants::Compile compile, bool may_use_cublas)
    : program_(std::move(program)),
      traits_(generalized_traits(program_.kernels.front(), device->info().n_multiprocessors)),
      has_scratch_(declare::has_scratch(program_.kernels.front())),
      scratch_(analysis::device_scratch(program_.kernels.front())),
      scratch_limits_(has_scratch_ ? scratch_limits(*device) : ScratchLimits{}),
      may_use_cublas_(may_use_cublas),
      cublas_(may_use_cublas ? find_cublas(*device) : load::FoundCublas{}),
      kernels_(device, std::move(compile), kVariants) {}

GeneralizedLoop::Plan GeneralizedLoop::plan(const GeneralizedCall& call, bool is_recorded,
                                            ArgumentBuffer& arguments) const {
  check(call, program_.kernels.front());
  const std::size_t n_inputs = traits_.layout.n_inputs;
  const ItemIteration items(call, n_inputs);
  Plan plan;
  if (items.iteration().n_elements() == 0) return plan;
  const PlacedItems placed{call, items.iteration(), n_inputs};
  if (cublas_.library != nullptr && !is_recorded)  // graphs update the kernels of this package
    plan.cublas = choose_cublas(placed, traits_.product);
  if (plan.cublas.product) return plan;
  plan.choice = choose_generalized(placed, traits_);
  if (plan.choice.form == LaunchForm::kStaged) {
    plan.grid = pack_staged(placed, arguments);
  } else if (plan.choice.form == LaunchForm::kTiled) {
    plan.grid = pack_tiled(placed, plan.choice.tile_items, traits_, arguments);
  } else if (plan.choice.form == LaunchForm::kSplit) {
    const ItemIteration threads(call, n_inputs, traits_.split.loops);
    if (threads.iteration().n_elements() == 0) return plan;
    plan.is_wide = threads.is_wide();
    plan.grid = pack_items({call, threads.iteration(), n_inputs}, plan.is_wide, traits_, arguments);
  } else {
    plan.is_wide = items.is_wide();
    plan.grid = pack_items(placed, plan.is_wide, traits_, arguments);
    if (has_scratch_) plan.scratch_bytes = fit_scratch_of(call, plan.grid);
  }
  return plan;
}

// Bytes of the launch. Its threads compute several elements each where they do not all fit.
std::int64_t GeneralizedLoop::fit_scratch_of(const GeneralizedCall& call,
                                             GeneralizedGrid& grid) const {
  const declare::TypedKernel& kernel = program_.kernels.front();
  analysis::require_device_scratch(kernel);
  const auto n_bytes = analysis::scratch_bytes(scratch_, traits_.layout, call.core_sizes);
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  return fit_scratch(program_.name, std::max<std::int64_t>(n_bytes.value_or(kMost), 1),
                     scratch_limits_, grid);
}

// A recorded launch keeps it; else it is freed after the launch, in the stream's order.
std::shared_ptr<DeviceBuffer> GeneralizedLoop::make_scratch(const std::shared_ptr<Stream>& stream,
                                                            const Plan& plan) const {
  auto buffer = std::make_shared<DeviceBuffer>(stream, static_cast<std::size_t>(plan.scratch_bytes),
                                               "scratch memory of " + program_.name);
  if (stream->recording() != nullptr) stream->recording()->buffers.push_back(buffer);
  buffer->use_on(stream);
  return buffer;
}

emit::Source GeneralizedLoop::source(const Plan& plan) const {
  analysis::DeviceForm form{.launch = plan.choice.form, .is_wide = plan.is_wide, .stored = {}};
  if (form.launch == LaunchForm::kTiled) form.tile_items = plan.choice.tile_items;
  return emit::emit_cuda(program_, form);
}

void GeneralizedLoop::launch(const std::shared_ptr<Stream>& stream,
                             const GeneralizedCall& call) const {
  ArgumentBuffer arguments;
  const Plan planned = plan(call, stream->recording() != nullptr, arguments);
  if (planned.cublas.product)
    return launch_cublas(*cublas_.library, *stream, *planned.cublas.product);
  if (planned.grid.grid == 0) return;
  const LoadedKernel& kernel =
      kernels_.get(variant_of(planned.choice, planned.is_wide), [&] { return source(planned); });
  std::shared_ptr<DeviceBuffer> scratch;
  if (has_scratch_) {
    scratch = make_scratch(stream, planned);
    arguments.put(static_cast<std::uint64_t>(scratch->address()));
  }
  launch_and_check({shared_from_this(), &program_.kernels.front()}, stream,
                   {kernel.function, kernel.name, planned.grid.grid, planned.grid.block},
                   arguments);
}

LaunchExplanation GeneralizedLoop::explain(const GeneralizedCall& call) const {
  ArgumentBuffer arguments;
  const Plan planned = plan(call, /*is_recorded=*/false, arguments);
  LaunchExplanation explanation;
  if (planned.cublas.product) {
    explanation.library = "cublas";
    explanation.reason = "cublas: a product of matrices by cuBLAS " + cublas_.library->version;
    return explanation;
  }
  explanation.form = planned.choice.form;
  explanation.is_wide = planned.is_wide;
  explanation.grid = planned.grid.grid;
  explanation.block = planned.grid.block;
  if (planned.choice.form == LaunchForm::kTiled)
    explanation.elements_per_thread = planned.choice.tile_items * planned.choice.tile_items;
  if (planned.grid.grid > 0) explanation.source = source(planned);
  explanation.reason = planned.grid.grid == 0 ? "nothing is launched: there is nothing to write"
                                              : generalized_reason(planned.choice, traits_);
  if (planned.scratch_bytes > 0)
    explanation.reason += "; " + scratch_text(planned.scratch_bytes, planned.grid);
  if (may_use_cublas_ && planned.grid.grid > 0)
    explanation.reason +=
        "; without cuBLAS, because " + (cublas_.library ? planned.cublas.obstacle : cublas_.reason);
  if (planned.is_wide) explanation.reason += "; 64-bit indices: offsets do not fit in 32 bits";
  return explanation;
}

}  // namespace numpy_plugin::run
