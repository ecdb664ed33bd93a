// The fast path, a call of a loaded kernel, takes no lock of its own and allocates nothing.
#include "numpy_plugin/run/forms/device_loop.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "numpy_plugin/analysis/device_form.hpp"
#include "numpy_plugin/jit/toolkit/toolkit.hpp"
#include "numpy_plugin/run/forms/device_form_text.hpp"
#include "numpy_plugin/run/launch/launch_arguments.hpp"
#include "numpy_plugin/run/launch/launch_choice.hpp"
#include "numpy_plugin/run/launch/launch_kernel.hpp"

namespace numpy_plugin::run {
namespace {

using analysis::LaunchForm;

std::size_t variant_of(const LaunchChoice& choice) {
  const auto* const limit = std::find(std::begin(analysis::kDimensionLimits),
                                      std::end(analysis::kDimensionLimits), choice.n_dimensions);
  const auto form = static_cast<std::size_t>(choice.form) * std::size(analysis::kDimensionLimits) +
                    static_cast<std::size_t>(limit - std::begin(analysis::kDimensionLimits));
  return 8 * form + (choice.has_short_vectors ? 4 : 0) + (choice.is_masked ? 2 : 0) +
         (choice.is_wide ? 1 : 0);
}

// The strides of a call's operands for its iteration.
class StridesOf {
 public:
  explicit StridesOf(const ElementwiseCall& call) : n_operands_(call.operands.size()) {
    NPP_ASSERT(n_operands_ <= strides_.size(), std::to_string(n_operands_));
    std::transform(
        call.operands.begin(), call.operands.end(), strides_.begin(),
        [](const CallOperand& operand) { return operand.is_value ? nullptr : operand.strides; });
  }
  operator std::span<const std::int64_t* const>() const { return {strides_.data(), n_operands_}; }

 private:
  std::size_t n_operands_;
  std::array<const std::int64_t*, kMaxOperands + 1> strides_;
};

void check(const PlacedCall& placed, const std::vector<base::DType>& stored) {
  const std::span<const CallOperand> operands = placed.call.operands;
  const std::size_t n_masks = placed.call.is_masked ? 1 : 0;
  NPP_ASSERT(operands.size() == stored.size() + n_masks, std::to_string(operands.size()));
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const bool is_mask = placed.call.is_masked && i == placed.n_inputs;
    const base::DType expected = is_mask               ? base::DType::kBool
                                 : i < placed.n_inputs ? stored[i]
                                                       : stored[i - n_masks];
    NPP_ASSERT(operands[i].dtype == expected, format("operand {}", i));
    NPP_ASSERT(operands[i].is_value || placed.address(i) % operands[i].alignment() == 0,
               format("operand {} at {}", i, placed.address(i)));
  }
}

}  // namespace

DeviceLoop::DeviceLoop(const std::shared_ptr<Device>& device, Recipe recipe)
    : recipe_(std::move(recipe)),
      architecture_(recipe_.architecture != 0 ? recipe_.architecture
                                              : jit::architecture_number(device->info().arch)),
      n_inputs_(recipe_.program.kernels.front().signature.inputs.size()),
      kernels_(device, recipe_.compile, kVariants + 1) {
  const auto& signature = recipe_.program.kernels.front().signature;
  NPP_ASSERT(recipe_.stored.size() == n_inputs_ + signature.outputs.size(), recipe_.program.name);
  for (const bool is_masked : {false, true}) {
    for (const bool has_short_vectors : {false, true}) {
      traits_[is_masked][has_short_vectors] =
          launch_traits({.is_masked = is_masked, .has_short_vectors = has_short_vectors},
                        device->info().n_multiprocessors);
    }
  }
}

LaunchTraits DeviceLoop::launch_traits(LaunchChoice choice, int n_multiprocessors) const {
  const auto shape = [&](LaunchForm launch, int n_dimensions) {
    choice.form = launch;
    choice.n_dimensions = n_dimensions;
    return analysis::launch_shape(
        analysis::thread_work(recipe_.program.kernels.front(), form(choice)));
  };
  return {shape(LaunchForm::kContiguous, 4), shape(LaunchForm::kRows, 4),
          shape(LaunchForm::kTransposed, 4), shape(LaunchForm::kStrided, 1),
          shape(LaunchForm::kStrided, 4),    n_multiprocessors};
}

const LaunchTraits& DeviceLoop::traits_of(const LaunchChoice& choice) const {
  return traits_[choice.is_masked][choice.has_short_vectors];
}

// Operands that are aligned for shorter vectors only have these.
LaunchChoice DeviceLoop::choose(const PlacedCall& placed) const {
  const auto& [traits, short_traits] = traits_[placed.call.is_masked];
  const LaunchChoice choice = choose_launch(placed, traits);
  if (choice.has_vectors || short_traits.contiguous.width == traits.contiguous.width) return choice;
  LaunchChoice other = choose_launch(placed, short_traits);
  other.has_short_vectors = true;
  return other.has_vectors ? other : choice;
}

analysis::DeviceForm DeviceLoop::form(const LaunchChoice& choice) const {
  return {.launch = choice.form,
          .is_wide = choice.is_wide,
          .is_masked = choice.is_masked,
          .stored = recipe_.stored,
          .n_dimensions = choice.n_dimensions,
          .has_short_vectors = choice.has_short_vectors,
          .architecture = architecture_};
}

emit::Source DeviceLoop::source(const LaunchChoice& choice) const {
  return emit::emit_cuda(recipe_.program, form(choice));
}

void DeviceLoop::launch(const std::shared_ptr<Stream>& stream, const ElementwiseCall& call) const {
  const Iteration iteration(call.shape, StridesOf(call));
  if (iteration.n_elements() == 0) return;
  const PlacedCall placed{call, iteration, n_inputs_};
  check(placed, recipe_.stored);
  const LaunchChoice choice = choose(placed);
  const LoadedKernel& launched = kernels_.get(variant_of(choice), [&] { return source(choice); });
  ArgumentBuffer arguments;
  const unsigned grid = pack_launch(placed, choice, launched.shape, arguments);
  launch_and_check({shared_from_this(), &recipe_.program.kernels.front()}, stream,
                   {launched.function, launched.name, grid, kLaunchThreads}, arguments);
}

LaunchExplanation DeviceLoop::explain(const ElementwiseCall& call) const {
  const Iteration iteration(call.shape, StridesOf(call));
  LaunchExplanation explanation;
  explanation.is_masked = call.is_masked;
  explanation.casts = cast_texts(recipe_.program.kernels.front().signature, recipe_.stored);
  if (iteration.n_elements() == 0) {
    explanation.reason = "nothing is launched: the call has no elements";
    return explanation;
  }
  const PlacedCall placed{call, iteration, n_inputs_};
  const LaunchChoice choice = choose(placed);
  explanation.source = source(choice);
  const analysis::LaunchShape shape = explanation.source.launch_shapes.front();
  ArgumentBuffer arguments;
  explanation.grid = pack_launch(placed, choice, shape, arguments);
  explanation.block = kLaunchThreads;
  explanation.form = choice.form;
  explanation.is_wide = choice.is_wide;
  const int fewest = choice.form == LaunchForm::kShortRows ? shape.width : 1;
  explanation.elements_per_thread =
      choice.is_spread ? fewest : shape.tile / static_cast<int>(kLaunchThreads);
  if (choice.has_vectors && shape.width > 1) {
    for (const base::DType dtype : recipe_.stored) {
      const std::size_t n_bytes = static_cast<std::size_t>(shape.width) * base::info(dtype).n_bytes;
      explanation.vector_bytes = std::max(explanation.vector_bytes, n_bytes);
    }
  }
  explanation.reason = reason_text(placed, choice, traits_of(choice));
  return explanation;
}

std::vector<std::string> cast_texts(const declare::TypeSignature& signature,
                                    const std::vector<base::DType>& stored) {
  const std::size_t n_inputs = signature.inputs.size();
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const bool is_input = i < n_inputs;
    const auto& operand = is_input ? signature.inputs[i] : signature.outputs[i - n_inputs];
    if (operand.dtype == stored[i]) continue;
    const std::string own(base::name(operand.dtype)), memory(base::name(stored[i]));
    texts.push_back(is_input ? format("input {}: {} to {}", i + 1, memory, own)
                             : format("output {}: {} to {}", i - n_inputs + 1, own, memory));
  }
  return texts;
}

}  // namespace numpy_plugin::run
