#include "numpy_plugin/run/launch_errors.hpp"

#include "numpy_plugin/declare/raising.hpp"
#include "numpy_plugin/load/raised_error.hpp"
#include "numpy_plugin/run/device_copy.hpp"

namespace numpy_plugin::run {
namespace {

// An npp::Errors in device memory, of a launch that has raised nothing yet.
DeviceMemory make_record(const std::shared_ptr<Stream>& stream, const std::string& name) {
  constexpr std::int64_t kBytes = sizeof(npp::Errors);
  const DeviceMemory record{
      std::make_shared<DeviceBuffer>(stream, kBytes, "what " + name + " raises"),
      make_layout(std::vector<std::int64_t>{kBytes}, 1, ArrayOrder::kC)};
  const std::byte zero{};
  fill(stream, record, &zero);
  return record;
}

}  // namespace

void launch_and_look(const declare::TypedKernel& kernel, const std::shared_ptr<Stream>& stream,
                     const KernelLaunch& launch, ArgumentBuffer& arguments) {
  if (!declare::can_raise(kernel)) return launch_kernel(*stream, launch, arguments);
  const DeviceMemory record = make_record(stream, kernel.name);
  arguments.put(static_cast<std::uint64_t>(record.address()));
  launch_kernel(*stream, launch, arguments);
  npp::Errors errors;
  copy_to_host(stream, record, &errors);
  stream->synchronize();
  if (!errors.any()) return;
  load::report_raised_error(errors);
  load::raised_error().kernel = &std::get<declare::PythonKernel>(kernel.body);
}

}  // namespace numpy_plugin::run
