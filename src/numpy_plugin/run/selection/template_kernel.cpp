#include "numpy_plugin/run/selection/template_kernel.hpp"

#include <utility>

#include "numpy_plugin/emit/source/source_parts.hpp"
#include "numpy_plugin/run/device/per_device.hpp"
#include "numpy_plugin/run/launch/kernel_variants.hpp"
#include "numpy_plugin/run/launch/launch_kernel.hpp"
#include "numpy_plugin/system/fork.hpp"

namespace numpy_plugin::run {

struct TemplateModule::Loaded {
  DeviceModule module;
  std::vector<CUfunction> functions;

  Loaded(const std::shared_ptr<Device>& device, const std::string& image,
         std::span<const TemplateKernel> kernels)
      : module(device, image, kernels.front().operation, {}, CodeAuthor::kPackage) {
    for (const TemplateKernel& kernel : kernels) functions.push_back(module.function(kernel.name));
  }
};

TemplateModule::TemplateModule(const std::shared_ptr<Device>& device,
                               std::vector<TemplateKernel> kernels)
    : kernels_(std::move(kernels)) {
  auto& loaded = system::the_only<PerDevice<std::string, Loaded>>();
  const std::string text = text_of(kernels_);
  loaded_ = loaded.get(device, text, [&] {
    emit::Source source;
    source.target = emit::Target::kCuda;
    source.name = kernels_.front().name;
    source.text = emit::print_absent_names(text) + text;
    for (const TemplateKernel& kernel : kernels_) source.entry_points.push_back(kernel.name);
    const std::string image = device_compiler(options_for(*device))(*device, source);
    return std::make_shared<const Loaded>(device, image, kernels_);
  });
}

void TemplateModule::launch(const std::shared_ptr<Stream>& stream, std::size_t which,
                            std::int64_t n_blocks, ArgumentBuffer& arguments) const {
  const TemplateKernel& kernel = kernels_[which];
  const unsigned grid = checked_grid(n_blocks, n_blocks * kernel.threads);
  launch_kernel(
      *stream,
      {loaded_->functions[which], kernel.operation, grid, static_cast<unsigned>(kernel.threads)},
      arguments);
}

std::string text_of(std::span<const TemplateKernel> kernels) {
  std::string text = format("#include \"npp/{}\"\n", kernels.front().header);
  for (const TemplateKernel& kernel : kernels) {
    text += format(
        "\nextern \"C\" __global__ void __launch_bounds__({})\n"
        "    {}(const __grid_constant__ {} arguments) {\n"
        "  {}(arguments);\n"
        "}\n",
        kernel.threads, kernel.name, kernel.arguments, kernel.function);
  }
  return text;
}

void launch_template(const std::shared_ptr<Stream>& stream, const TemplateKernel& kernel,
                     std::int64_t n_blocks, ArgumentBuffer& arguments) {
  TemplateModule(stream->device(), {kernel}).launch(stream, 0, n_blocks, arguments);
}

}  // namespace numpy_plugin::run
