#include "numpy_plugin/run/selection/template_kernel.hpp"

#include <utility>

#include "numpy_plugin/emit/source/source_parts.hpp"
#include "numpy_plugin/run/device/per_device.hpp"
#include "numpy_plugin/run/launch/kernel_variants.hpp"
#include "numpy_plugin/run/launch/launch_kernel.hpp"
#include "numpy_plugin/system/fork.hpp"

namespace numpy_plugin::run {
namespace {

struct LoadedTemplate {
  DeviceModule module;
  CUfunction function;

  LoadedTemplate(const std::shared_ptr<Device>& device, const std::string& image,
                 const TemplateKernel& kernel)
      : module(device, image, kernel.operation, {}, CodeAuthor::kPackage),
        function(module.function(kernel.name)) {}
};

std::shared_ptr<const LoadedTemplate> load(const std::shared_ptr<Device>& device,
                                           const TemplateKernel& kernel) {
  auto& loaded = system::the_only<PerDevice<std::string, LoadedTemplate>>();
  std::string text = text_of(kernel);
  return loaded.get(device, text, [&] {
    emit::Source source;
    source.target = emit::Target::kCuda;
    source.name = kernel.name;
    source.text = emit::print_absent_names(text) + text;
    source.entry_points = {kernel.name};
    const std::string image = device_compiler(options_for(*device))(*device, source);
    return std::make_shared<const LoadedTemplate>(device, image, kernel);
  });
}

}  // namespace

std::string text_of(const TemplateKernel& kernel) {
  return format(
      "#include \"npp/{}\"\n\n"
      "using Arguments = {};\n"
      "extern \"C\" __global__ void __launch_bounds__({})\n"
      "    {}(const __grid_constant__ Arguments arguments) {\n"
      "  {}(arguments);\n"
      "}\n",
      kernel.header, kernel.arguments, kernel.threads, kernel.name, kernel.function);
}

void launch_template(const std::shared_ptr<Stream>& stream, const TemplateKernel& kernel,
                     std::int64_t n_blocks, ArgumentBuffer& arguments) {
  const auto loaded = load(stream->device(), kernel);
  const unsigned grid = checked_grid(n_blocks, n_blocks * kernel.threads);
  launch_kernel(*stream,
                {loaded->function, kernel.operation, grid, static_cast<unsigned>(kernel.threads)},
                arguments);
}

}  // namespace numpy_plugin::run
