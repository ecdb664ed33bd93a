// Updates of an array's elements: kernels that can raise are run without writing first, so that the
// first update that raises is known, and the array is left as it was.
#include "numpy_plugin/kernel/kernel.hpp"
#include "numpy_plugin/run/forms/device_loop.hpp"
#include "numpy_plugin/run/launch/launch_arguments.hpp"
#include "numpy_plugin/run/launch/launch_kernel.hpp"
#include "numpy_plugin/run/memory/device_copy.hpp"

namespace numpy_plugin::run {
namespace {

constexpr std::uint64_t kNoElement = ~std::uint64_t{0};

std::uint64_t with_step(npp::UpdateStep step) { return static_cast<std::uint64_t>(step); }

}  // namespace

void DeviceLoop::launch_updates(const std::shared_ptr<Stream>& stream,
                                const npp::UpdatesArguments& updates) const {
  const LoadedKernel& loaded =
      kernels_.get(kUpdates, [&] { return emit::emit_updates(recipe_.program, recipe_.stored); });
  const auto n = static_cast<std::int64_t>(updates.n);
  ArgumentBuffer arguments;
  arguments.put(updates);
  launch_and_check(
      {shared_from_this(), &recipe_.program.kernels.front()}, stream,
      {loaded.function, loaded.name, checked_grid(blocks_of(n, kLaunchThreads), n), kLaunchThreads},
      arguments);
}

std::optional<std::uint64_t> DeviceLoop::update(const std::shared_ptr<Stream>& stream,
                                                npp::UpdatesArguments updates) const {
  updates.step = with_step(npp::UpdateStep::kWrite);
  if (!declare::can_raise(recipe_.program.kernels.front())) {
    launch_updates(stream, updates);
    return std::nullopt;
  }
  std::uint64_t first = kNoElement;
  const DeviceMemory memory = {
      std::make_shared<DeviceBuffer>(stream, sizeof first, "the first update that raises"),
      make_layout({1}, sizeof first, ArrayOrder::kC)};
  fill(stream, memory, &first);
  updates.first = memory.address();
  updates.step = with_step(npp::UpdateStep::kFindRaised);
  launch_updates(stream, updates);
  copy_to_host(stream, memory, &first);
  stream->synchronize();
  const bool raises = first != kNoElement;
  updates.step = with_step(raises ? npp::UpdateStep::kReportRaised : npp::UpdateStep::kWrite);
  const ErrorModeScope mode(ErrorMode::kImmediate);
  launch_updates(stream, updates);
  return raises ? std::optional(first) : std::nullopt;
}

}  // namespace numpy_plugin::run
