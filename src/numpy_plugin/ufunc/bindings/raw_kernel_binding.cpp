// Bindings: users' kernels in CUDA C++.
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <tuple>

#include "numpy_plugin/emit/printing/user_code.hpp"
#include "numpy_plugin/run/launch/launch_kernel.hpp"
#include "numpy_plugin/run/launch/raw_kernel.hpp"
#include "numpy_plugin/ufunc/api/events.hpp"
#include "numpy_plugin/ufunc/api/python_error.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"
#include "numpy_plugin/ufunc/api/stream_argument.hpp"
#include "numpy_plugin/ufunc/api/string_caster.hpp"
#include "numpy_plugin/ufunc/bindings/bindings.hpp"
#include "numpy_plugin/ufunc/bindings/kernel_arguments.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

using run::RawKernel;
using Sizes = std::array<std::int64_t, 3>;

std::shared_ptr<RawKernel> make_kernel(const std::string& source, const std::string& name,
                                       const std::vector<std::string>& options, bool syncs_grid) {
  jit::CudaText text{source, name, options, name, {}};
  text.syncs_grid = syncs_grid;
  return std::make_shared<RawKernel>(std::move(text));
}

// The device of a launch: that of its arrays, else of its stream, else of the thread.
std::shared_ptr<run::Device> device_of_launch(const std::string& kernel, nb::handle stream,
                                              const nb::tuple& arguments) {
  if (auto device = device_of_arguments(kernel, arguments)) return device;
  std::shared_ptr<run::Stream> given;
  if (nb::try_cast(stream, given) && given != nullptr) return given->device();
  return run::current_device();
}

std::shared_ptr<const run::LoadedRawKernel> load(RawKernel& kernel,
                                                 const std::shared_ptr<run::Device>& device) {
  const ReleasedGil release;
  return kernel.on(device);
}

void launch(RawKernel& kernel, const Sizes& grid, const Sizes& block, nb::handle stream,
            std::int64_t shared_bytes, const nb::tuple& arguments) {
  const std::string& name = kernel.source().name;
  const auto device = device_of_launch(name, stream, arguments);
  const auto on = stream_argument(stream, device);
  const auto loaded = load(kernel, device);
  const run::LaunchConfiguration configuration = {grid, block, shared_bytes,
                                                  kernel.source().syncs_grid};
  run::check_configuration(*device, name, loaded->limits, configuration);
  const KernelArguments given = make_kernel_arguments(name, loaded->signature, arguments, on);
  const RaiseScope scope;
  const run::LaunchScope place(place_of_call(name));
  // Host arrays are copied back when the kernel is done, unless it has raised.
  const bool copies_back = !given.copied.empty();
  const run::ErrorModeScope mode(copies_back ? run::ErrorMode::kImmediate : run::error_mode());
  {
    const ReleasedGil release;
    for (const DeviceArray& array : given.arrays) array.memory.buffer->use_on(on);
    run::launch_and_check(kernel, on, loaded, configuration, given.bytes);
    // Synchronizes so that faults found by the simulator are raised at the launching line.
    if (device->is_simulated() && on->is_default()) on->synchronize();
  }
  if (scope.raised().is_set()) {
    set_raised_exception(scope.raised(), name, nb::none());
    throw nb::python_error();
  }
  for (const auto& [array, host] : given.copied) copy_to_host(array, host, on);
}

std::shared_ptr<const jit::CudaTextBinary> compiled_for(RawKernel& kernel,
                                                        const std::string& arch) {
  const ReleasedGil release;
  return kernel.compiled_for({arch});
}

std::string ptx(RawKernel& kernel, const std::string& arch) {
  return compiled_for(kernel, run::virtual_architecture(arch))->binary.ptx;
}

nb::bytes cubin(RawKernel& kernel, const std::string& arch) {
  const std::string bytes = [&] {
    const ReleasedGil release;
    return kernel.machine_code(arch);
  }();
  return nb::bytes(bytes.data(), bytes.size());
}

using ResourceRow = std::tuple<std::string, int, int, int, int, int, int>;

// Of this kernel only: the text may define others.
ResourceRow resources(RawKernel& kernel, const std::string& arch) {
  const auto compiled = compiled_for(kernel, arch);
  for (const jit::KernelResources& row : compiled->binary.resources) {
    if (row.name != compiled->kernel.name) continue;
    return {kernel.source().name, row.n_registers,  row.spill_store_bytes, row.spill_load_bytes,
            row.stack_bytes,      row.shared_bytes, row.constant_bytes};
  }
  return {kernel.source().name, 0, 0, 0, 0, 0, 0};
}

std::string signature(const RawKernel& kernel) {
  const auto& parameters = kernel.source().parameters;
  return parameters ? declare::TypeSignature{*parameters, {}}.text() : "";
}

int max_threads(RawKernel& kernel) {
  return load(kernel, run::current_device())->limits.max_threads;
}

int attribute(RawKernel& kernel, int number) {
  const auto device = run::current_device();
  return run::kernel_attribute(*device, *load(kernel, device), number);
}

void set_attribute(RawKernel& kernel, int number, int value) {
  const auto device = run::current_device();
  run::set_kernel_attribute(*device, *load(kernel, device), number, value);
}

std::shared_ptr<run::RawModule> make_module(const std::string& source, const std::string& name,
                                            const std::vector<std::string>& options,
                                            const std::vector<std::string>& instances,
                                            bool syncs_grid) {
  jit::CudaText text{source, "", options, name, {}};
  text.instances = instances;
  text.syncs_grid = syncs_grid;
  return std::make_shared<run::RawModule>(std::move(text));
}

// Address and size in bytes, on the current device.
std::pair<std::uint64_t, std::size_t> variable(run::RawModule& module, const std::string& name) {
  const auto device = run::current_device();
  const ReleasedGil release;
  const run::DeviceModule::Variable found = module.variable(device, name);
  return {found.address, found.n_bytes};
}

}  // namespace

void bind_raw_kernels(nb::module_& module) {
  nb::class_<run::RawModule>(module, "RawModule", "Kernels that share a source's variables.")
      .def(nb::new_(&make_module), "source"_a, "name"_a, "options"_a, "instances"_a, "syncs_grid"_a)
      .def("kernel", &run::RawModule::kernel, "name"_a)
      .def("variable", &variable, "name"_a, "Address and size of a variable.");
  nb::class_<RawKernel>(module, "RawKernel", "A kernel from CUDA C++ source.")
      .def(nb::new_(&make_kernel), "source"_a, "name"_a, "options"_a, "syncs_grid"_a = false)
      .def(
          "compile", [](RawKernel& kernel, const std::string& arch) { compiled_for(kernel, arch); },
          "arch"_a, "Compile it for an architecture; raises CompilerError on failure.")
      .def("launch", &launch, "grid"_a, "block"_a, "stream"_a.none(), "shared_bytes"_a,
           "arguments"_a,
           nb::sig("def launch(self, grid: tuple[int, int, int], block: tuple[int, int, int], "
                   "stream: object, shared_bytes: int, arguments: tuple[object, ...]) -> None"))
      .def_prop_ro(
          "source",
          [](const RawKernel& kernel) {
            return emit::without_line_directives(kernel.source().text);
          },
          "The CUDA C++ source.")
      .def_prop_ro("signature", &signature, "Of a kernel written in Python: its types.")
      .def("ptx", &ptx, "arch"_a)
      .def("cubin", &cubin, "arch"_a)
      .def("resources", &resources, "arch"_a)
      .def(
          "lowered_name",
          [](RawKernel& kernel, const std::string& arch) {
            return compiled_for(kernel, run::virtual_architecture(arch))->kernel.name;
          },
          "arch"_a, "The name in the PTX and the cubin.")
      .def("attribute", &attribute, "number"_a,
           "A CUfunction_attribute of the kernel on the current device.")
      .def("set_attribute", &set_attribute, "number"_a, "value"_a)
      .def("max_threads", &max_threads,
           "The maximum number of threads in a block on the current device.");
}

}  // namespace numpy_plugin::ufunc
