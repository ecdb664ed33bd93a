#include "numpy_plugin/run/launch/launch_errors.hpp"

#include <cstring>

#include "numpy_plugin/kernel/raising.hpp"
#include "numpy_plugin/run/cpu/raised_error.hpp"
#include "numpy_plugin/run/memory/device_copy.hpp"

namespace numpy_plugin::run {
namespace {

// Allocates an npp::Errors in device memory, cleared for a launch.
DeviceMemory make_record(const std::shared_ptr<Stream>& stream, const std::string& name) {
  constexpr std::int64_t kBytes = sizeof(npp::Errors);
  const DeviceMemory record{
      std::make_shared<DeviceBuffer>(stream, kBytes, "what " + name + " raises"),
      make_layout(std::vector<std::int64_t>{kBytes}, 1, ArrayOrder::kC)};
  const std::byte zero{};
  fill(stream, record, &zero);
  return record;
}

// Waits for the launch and reports its error.
void look(const DeviceMemory& record, const std::shared_ptr<Stream>& stream,
          const declare::PythonKernel& kernel) {
  npp::Errors errors;
  copy_to_host(stream, record, &errors);
  stream->synchronize();
  if (!errors.any()) return;
  load::report_raised_error(errors);
  load::raised_error().kernel = &kernel;
}

}  // namespace

void launch_and_check(const declare::TypedKernel& kernel, const std::shared_ptr<Stream>& stream,
                      const KernelLaunch& launch, ArgumentBuffer& arguments) {
  if (!declare::can_raise(kernel)) return launch_kernel(*stream, launch, arguments);
  const DeviceMemory record = make_record(stream, kernel.name);
  arguments.put(static_cast<std::uint64_t>(record.address()));
  launch_kernel(*stream, launch, arguments);
  look(record, stream, std::get<declare::PythonKernel>(kernel.body));
}

void launch_and_check(const declare::PythonKernel& raising, const std::shared_ptr<Stream>& stream,
                      const std::string& name, const LoadedRawKernel& kernel,
                      const LaunchConfiguration& configuration, std::vector<std::byte> arguments) {
  const DeviceMemory record = make_record(stream, name);
  const auto address = static_cast<std::uint64_t>(record.address());
  const std::size_t at = (arguments.size() + sizeof address - 1) / sizeof address * sizeof address;
  arguments.resize(at + sizeof address);
  std::memcpy(arguments.data() + at, &address, sizeof address);
  launch(*stream, name, kernel, configuration, std::move(arguments));
  look(record, stream, raising);
}

}  // namespace numpy_plugin::run
