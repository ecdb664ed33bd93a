// Bindings: devices, real and simulated, and the current device of a thread.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <string>

#include "numpy_plugin/load/driver.hpp"
#include "numpy_plugin/run/device/current_device.hpp"
#include "numpy_plugin/run/device/simulated_device.hpp"
#include "numpy_plugin/run/forms/cublas_product.hpp"
#include "numpy_plugin/run/launch/raise_records.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"
#include "numpy_plugin/ufunc/api/string_caster.hpp"
#include "numpy_plugin/ufunc/bindings/bindings.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

using run::Device;
using run::SimulatedDevice;
using run::SimulatorCounters;
using DevicePointer = std::shared_ptr<Device>;

std::string device_text(const Device& device) {
  return format("<device '{}', {}, {} MiB>", device.info().name, device.info().arch,
                device.info().total_bytes >> 20);
}

DevicePointer enter(DevicePointer device) {
  run::enter_scope(device);
  return device;
}

void leave(const DevicePointer& device, const nb::args&) { run::leave_scope(*device); }

void synchronize(const Device& device) {
  const ReleasedGil release;
  device.synchronize();
  run::raise_late(device, std::nullopt);
}

// Omits zero counts.
std::map<std::string, std::uint64_t> by_class(const SimulatorCounters& counters) {
  std::map<std::string, std::uint64_t> counts;
  for (const auto& [name, count] : counters.lanes_by_class) {
    if (count > 0) counts[name] = count;
  }
  return counts;
}

std::string counters_text(const SimulatorCounters& counters) {
  const NppSimulatorCounters& totals = counters.totals;
  return format(
      "<counters: {} launches, {} instructions, {} divergent branches, {} bytes loaded, {} bytes "
      "stored in {} transactions>",
      totals.n_launches, totals.lane_instructions, totals.divergent_branches,
      totals.global_load_bytes, totals.global_store_bytes, totals.global_transactions);
}

template <std::uint64_t NppSimulatorCounters::*Member>
std::uint64_t total(const SimulatorCounters& counters) {
  return counters.totals.*Member;
}

void bind_counters(nb::module_& module) {
  using Totals = NppSimulatorCounters;
  nb::class_<SimulatorCounters>(
      module, "SimulatorCounters",
      "Counts of what the kernels of a simulated device have executed so far.")
      .def_prop_ro("launches", &total<&Totals::n_launches>)
      .def_prop_ro("blocks", &total<&Totals::n_blocks>)
      .def_prop_ro("warps", &total<&Totals::n_warps>)
      .def_prop_ro("warp_instructions", &total<&Totals::warp_instructions>,
                   "instructions issued, each for up to 32 threads")
      .def_prop_ro("instructions", &total<&Totals::lane_instructions>,
                   "instructions of threads: a warp instruction counts once per active thread")
      .def_prop_ro("instructions_by_class", &by_class,
                   "likewise by class, as {'global load': 32, ...}, without zero counts")
      .def_prop_ro("divergent_branches", &total<&Totals::divergent_branches>,
                   "branches at which the threads of a warp diverged")
      .def_prop_ro("bytes_loaded", &total<&Totals::global_load_bytes>,
                   "bytes of global memory that threads requested")
      .def_prop_ro("bytes_stored", &total<&Totals::global_store_bytes>)
      .def_prop_ro("transactions", &total<&Totals::global_transactions>,
                   "32-byte sectors of global memory accessed by warps")
      .def("__repr__", &counters_text);
}

std::optional<std::string> cublas_version(const Device& device) {
  const load::FoundCublas found = run::find_cublas(device);
  return found.library == nullptr ? std::nullopt : std::optional(found.library->version);
}

template <typename T, T NppSimulatorLine::*Member>
T count(const run::ProfiledLine& line) {
  return line.counts.*Member;
}

void bind_profile(nb::module_& module) {
  using Line = NppSimulatorLine;
  using Count = std::uint64_t;
  nb::class_<run::ProfiledLine>(module, "ProfiledLine",
                                "Counts of a kernel's instructions that come from one source line.")
      .def_ro("kernel", &run::ProfiledLine::kernel)
      .def_ro("file", &run::ProfiledLine::file, "empty: the PTX")
      .def_ro("text", &run::ProfiledLine::text, "of the line; empty: unknown")
      .def_prop_ro("line", &count<std::uint32_t, &Line::line>)
      .def_prop_ro("warp_instructions", &count<Count, &Line::warp_instructions>)
      .def_prop_ro("instructions", &count<Count, &Line::lane_instructions>, "of threads")
      .def_prop_ro("divergent_branches", &count<Count, &Line::divergent_branches>)
      .def_prop_ro("requests", &count<Count, &Line::global_requests>, "of warps, of global memory")
      .def_prop_ro("sectors", &count<Count, &Line::global_sectors>,
                   "of 32 bytes, that the requests touch")
      .def_prop_ro("bytes", &count<Count, &Line::global_bytes>, "that the threads ask for")
      .def_prop_ro("shared_requests", &count<Count, &Line::shared_requests>,
                   "of warps, of shared memory")
      .def_prop_ro("shared_passes", &count<Count, &Line::shared_passes>,
                   "in which the banks serve them")
      .def_prop_ro("bank_conflicts", &count<Count, &Line::bank_conflicts>,
                   "passes beyond those of requests without conflicts");
  module.def(
      "begin_profile", [](const SimulatedDevice& device) { device.set_profiled(true); }, "device"_a,
      "Begin to count by source line.");
  module.def(
      "end_profile",
      [](const SimulatedDevice& device) {
        std::vector<run::ProfiledLine> lines = device.profile();
        device.set_profiled(false);
        return lines;
      },
      "device"_a, "Return the counts since begin_profile(), and end it.");
}

void bind_device_classes(nb::module_& module) {
  nb::class_<Device>(module, "Device",
                     "A GPU, or a simulated one; `with device:` makes it the current device.")
      .def_prop_ro("name", [](const Device& device) { return device.info().name; })
      .def_prop_ro(
          "arch", [](const Device& device) { return device.info().arch; }, "such as 'sm_90'")
      .def_prop_ro(
          "memory", [](const Device& device) { return device.info().total_bytes; }, "in bytes")
      .def_prop_ro(
          "uuid", [](const Device& device) { return device.info().uuid; },
          "such as 'GPU-6e707020-7369-6d75-6c61-746f72303000', as CUDA_VISIBLE_DEVICES and "
          "nvidia-smi have it")
      .def_prop_ro("multiprocessors",
                   [](const Device& device) { return device.info().n_multiprocessors; })
      .def_prop_ro(
          "cublas", &cublas_version,
          "the version of the cuBLAS that computes np.matmul on it, such as '13.1.0'; None "
          "where this package's own kernels do")
      .def_prop_ro("id", &Device::ordinal, "the driver's number of the device")
      .def_prop_ro("is_simulated", &Device::is_simulated)
      .def(
          "attribute",
          [](const Device& device, int name) {
            return device.attribute(static_cast<CUdevice_attribute>(name));
          },
          "number"_a, "An attribute by its number in cuda.h; 0 if the driver does not know it.")
      .def("synchronize", &synchronize, "Block until all work on the device completes.")
      .def("__enter__", &enter)
      .def("__exit__", &leave, nb::sig("def __exit__(self, *exception: object) -> None"))
      .def("__repr__", &device_text);
  nb::class_<SimulatedDevice, Device>(module, "SimulatedDevice",
                                      "A device that runs PTX on the CPU and checks it.")
      .def_prop_ro("counters", &SimulatedDevice::counters, nb::call_guard<ReleasedGil>(),
                   "counts of what its kernels have executed so far: a new object each time")
      .def("__enter__", [](std::shared_ptr<SimulatedDevice> device) {
        run::enter_scope(device);
        return device;
      });
}

}  // namespace

void bind_devices(nb::module_& module) {
  bind_counters(module);
  bind_device_classes(module);
  bind_profile(module);
  nb::class_<run::SimulatedFaults>(module, "SimulatedFaults",
                                   "Faults that a simulated device injects.")
      .def(nb::init<>())
      .def_rw("allocation", &run::SimulatedFaults::allocation)
      .def_rw("launch", &run::SimulatedFaults::launch)
      .def_rw("lost", &run::SimulatedFaults::lost)
      .def_rw("copy_delay", &run::SimulatedFaults::copy_delay);
  module.def(
      "add_simulated_devices",
      [](const std::string& arch, std::uint64_t memory, std::uint32_t checks,
         std::uint64_t max_steps, const run::SimulatedFaults& faults, int devices,
         std::uint32_t multiprocessors) {
        return run::add_simulated_devices(
            {arch, memory, checks, max_steps, faults, multiprocessors}, devices);
      },
      "arch"_a, "memory"_a, "checks"_a, "max_steps"_a, "faults"_a, "devices"_a, "multiprocessors"_a,
      nb::call_guard<ReleasedGil>(),
      "The first of some simulated devices, which keeps the others and is removed with the object; "
      "0 steps: the default limit; 0 multiprocessors: those of the architecture.");
  module.def("visible_devices", &run::visible_devices,
             "The GPUs, or the simulated device if selected; in the block of a simulated device, "
             "those added together with it.");
  module.def(
      "current_device", &run::current_device,
      "The current device of this thread; raises a CudaError with the reason if there is none.");
  module.def("find_current_device", &run::find_current_device,
             nb::sig("def find_current_device() -> Device | None"),
             "The current device of this thread; None if there is none.");
  module.def(
      "why_no_device",
      [] { return run::find_current_device() == nullptr ? load::find_driver().reason : ""; },
      "Why this thread has no device; empty if it has one.");
  module.def("set_simulator_path", &load::set_simulator_path, "path"_a,
             "Set the path of the simulated driver's library.");
  module.def(
      "why_no_simulator", [] { return load::find_simulator().reason; },
      "Open the simulated driver; return why there is none, or an empty str.");
  module.def(
      "driver_version",
      [](bool is_of_simulator) -> std::optional<std::pair<int, int>> {
        const load::Driver* const driver =
            is_of_simulator ? load::find_simulator().driver : load::find_driver().driver;
        int version = 0;
        if (driver == nullptr || driver->cuDriverGetVersion(&version) != CUDA_SUCCESS) {
          return std::nullopt;
        }
        return std::pair(version / 1000, version % 1000 / 10);
      },
      "is_of_simulator"_a = false, "The driver's CUDA version; None if there is no driver.");
}

}  // namespace numpy_plugin::ufunc
