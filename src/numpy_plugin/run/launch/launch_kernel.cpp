#include "numpy_plugin/run/launch/launch_kernel.hpp"

#include <cstring>
#include <utility>

#include "numpy_plugin/kernel/kernel.hpp"
#include "numpy_plugin/run/reports/kernel_reports.hpp"
#include "numpy_plugin/system/events/events.hpp"

namespace numpy_plugin::run {
namespace {

// Entry points mean nothing to the user.
std::string without_entry_point(const std::string& name) {
  return name.substr(0, name.find(" (npp_"));
}

thread_local ErrorMode mode_of_thread = ErrorMode::kDeferred;

// Reports what the launch raised, now or later. A recorded launch raises at each of its own.
void look(const std::shared_ptr<Stream>& stream, std::shared_ptr<const RaiseRecord> record) {
  if (stream->recording() != nullptr) {
    stream->recording()->raise_records.push_back(
        std::const_pointer_cast<RaiseRecord>(std::move(record)));
  } else if (!raises_at_once(*stream)) {
    look_later(*stream, std::move(record));
  } else {
    stream->synchronize();
    const RaisedError raised = record->take();
    if (!raised.is_set()) return;
    report_raised_error(raised.errors);
    raised_error().kernel = raised.kernel;
  }
}

}  // namespace

void launch_kernel(const Stream& stream, const KernelLaunch& launch, ArgumentBuffer& arguments) {
  const system::ProfilerRange range("launch", launch.name);
  const std::shared_ptr<Device> device = stream.device();
  const load::Driver& driver = device->driver();
  const CurrentContext current(*device);
  std::size_t n_bytes = arguments.size();
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, arguments.data(), CU_LAUNCH_PARAM_BUFFER_SIZE,
                   &n_bytes, CU_LAUNCH_PARAM_END};
  const CUresult result =
      driver.cuLaunchKernel(launch.function, launch.grid, 1, 1, launch.block, 1, 1,
                            /*sharedMemBytes=*/0, stream.handle(), /*kernelParams=*/nullptr, extra);
  if (result == CUDA_SUCCESS) return;
  driver.check(result, format("to launch '{}'", without_entry_point(launch.name)));
}

ErrorMode error_mode() { return mode_of_thread; }

void set_error_mode(ErrorMode mode) { mode_of_thread = mode; }

bool raises_at_once(const Stream& stream) {
  if (stream.recording() != nullptr) return false;
  return mode_of_thread == ErrorMode::kImmediate ||
         (stream.device()->is_simulated() && stream.is_ordered());
}

void launch_and_check(std::shared_ptr<const declare::TypedKernel> kernel,
                      const std::shared_ptr<Stream>& stream, const KernelLaunch& launch,
                      ArgumentBuffer& arguments) {
  if (stream->recording() != nullptr) {
    stream->keep(std::const_pointer_cast<declare::TypedKernel>(kernel));
  }
  if (!declare::can_raise(*kernel)) return launch_kernel(*stream, launch, arguments);
  const auto* const raising = &std::get<declare::PythonKernel>(kernel->body);
  auto record = std::make_shared<const RaiseRecord>(stream->device(),
                                                    RaisingKernel(std::move(kernel), raising));
  arguments.put(static_cast<std::uint64_t>(record->address()));
  launch_kernel(*stream, launch, arguments);
  look(stream, std::move(record));
}

void launch_and_check(const RawKernel& kernel, const std::shared_ptr<Stream>& stream,
                      const std::shared_ptr<const LoadedRawKernel>& loaded,
                      const LaunchConfiguration& configuration, std::vector<std::byte> arguments) {
  const std::string& name = kernel.source().name;
  if (stream->recording() != nullptr) {
    stream->keep(std::const_pointer_cast<LoadedRawKernel>(loaded));
  }
  if (kernel.raising() == nullptr) {
    return run::launch(*stream, name, *loaded, configuration, std::move(arguments));
  }
  auto record = std::make_shared<const RaiseRecord>(stream->device(), kernel.raising());
  const auto address = static_cast<std::uint64_t>(record->address());
  const std::size_t at = (arguments.size() + sizeof address - 1) / sizeof address * sizeof address;
  arguments.resize(at + sizeof address);
  std::memcpy(arguments.data() + at, &address, sizeof address);
  run::launch(*stream, name, *loaded, configuration, std::move(arguments));
  look(stream, std::move(record));
}

}  // namespace numpy_plugin::run
