// Bindings: explains where a call would run, and how a device would launch it.
#include <nanobind/stl/shared_ptr.h>

#include <string>
#include <utility>

#include "numpy_plugin/run/cpu/elementwise_driver.hpp"
#include "numpy_plugin/run/device/device_module.hpp"
#include "numpy_plugin/run/library/inspection.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"
#include "numpy_plugin/ufunc/api/string_caster.hpp"
#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"
#include "numpy_plugin/ufunc/bindings/bindings.hpp"
#include "numpy_plugin/ufunc/bindings/reduction_rows.hpp"
#include "numpy_plugin/ufunc/device_calls/device_call.hpp"
#include "numpy_plugin/ufunc/device_methods/device_method.hpp"
#include "numpy_plugin/ufunc/offload/offload.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

nb::tuple explain_launch(nb::handle ufunc, const nb::tuple& positional, const nb::dict& named) {
  UfuncState& state = state_of(ufunc);
  const PythonArguments arguments(positional, named);
  const run::LaunchExplanation launch =
      explain_device_call(ufunc.ptr(), state, read_call(ufunc.ptr(), state, arguments.given()));
  nb::list casts;
  for (const std::string& cast : launch.casts) casts.append(cast);
  const std::string form =
      launch.library.empty() ? std::string(analysis::info(launch.form).name) : launch.library;
  return nb::make_tuple(form, launch.reason, launch.grid, launch.elements_per_thread,
                        launch.vector_bytes, launch.is_wide, nb::tuple(casts));
}

nb::tuple explain_method(nb::handle ufunc, const std::string& name, const nb::tuple& positional,
                         const nb::dict& named, const run::Device& device) {
  UfuncState& state = state_of(ufunc);
  const PythonArguments arguments(positional, named);
  const DeviceMethod* const method = find_device_method(name);
  NPP_ASSERT(method != nullptr, name);
  const run::ReductionExplanation found = method->explain(ufunc.ptr(), state, arguments.given());
  return reduction_row(found, state.library->declaration(), device);
}

nb::tuple explain_update(nb::handle ufunc, const nb::tuple& positional) {
  const PythonArguments arguments(positional, nb::dict());
  const GivenArguments given = arguments.given();
  const UpdateExplanation found =
      explain_at(ufunc, state_of(ufunc), {given.values, given.n_positional});
  return nb::make_tuple(found.form, found.reason);
}

// All 0 where nothing is launched.
nb::tuple explain_resources(nb::handle ufunc, const nb::tuple& positional, const nb::dict& named,
                            const run::Device& device) {
  UfuncState& state = state_of(ufunc);
  const PythonArguments arguments(positional, named);
  const run::LaunchExplanation launch =
      explain_device_call(ufunc.ptr(), state, read_call(ufunc.ptr(), state, arguments.given()));
  if (launch.grid == 0) return nb::make_tuple(0, 0, 0);
  const auto [n_registers, n_blocks] = [&] {
    const ReleasedGil release;
    const jit::KernelResources kernel =
        run::kernel_resources(*state.library, launch.source, device.info().arch);
    return std::pair(kernel.n_registers, run::resident_blocks(device, launch.block, kernel));
  }();
  return nb::make_tuple(launch.block, n_registers, n_blocks);
}

// Null for the CPU; for a call with operands on a device, that device.
nb::tuple explain_place(nb::handle ufunc, const nb::tuple& positional, const nb::dict& named) {
  UfuncState& state = state_of(ufunc);
  const PythonArguments arguments(positional, named);
  const GivenArguments given = arguments.given();
  for (std::size_t i = 0; i < given.n_positional; ++i) {
    const DeviceArray* const array = find_device_array(given.values[i]);
    if (array == nullptr) continue;
    const std::string why =
        format("operand {} is an array of '{}'", i + 1, array->device()->info().name);
    return nb::make_tuple(array->device(), why, 0, 0, 0);
  }
  const TargetExplanation target = explain_target(ufunc.ptr(), state, given);
  return nb::make_tuple(target.device, target.why, target.traffic.bytes_to_device,
                        target.traffic.bytes_to_host, target.traffic.n_pieces);
}

nb::tuple scratch_counters() {
  const run::ScratchCounters counters = run::scratch_counters();
  return nb::make_tuple(counters.n_bytes, counters.most_n_bytes);
}

}  // namespace

void bind_explanations(nb::module_& module) {
  module.def("enter_offload", &enter_offload, nb::sig("def enter_offload() -> object"),
             "Begin a scope of offload(); returns what ends it.");
  module.def("leave_offload", &leave_offload, "token"_a, "End a scope of offload().");
  module.def("explain_launch", &explain_launch, "ufunc"_a, "operands"_a, "keywords"_a,
             nb::sig("def explain_launch(ufunc: numpy.ufunc, operands: tuple[object, ...], "
                     "keywords: dict[str, object]) -> "
                     "tuple[str, str, int, int, int, bool, tuple[str, ...]]"),
             "Of a call on device arrays: form, reason, blocks, elements per thread, bytes of the "
             "widest access, 64-bit indices, casts.");
  module.def("explain_method", &explain_method, "ufunc"_a, "method"_a, "operands"_a, "keywords"_a,
             "device"_a,
             nb::sig("def explain_method(ufunc: numpy.ufunc, method: str, "
                     "operands: tuple[object, ...], keywords: dict[str, object], device: Device) "
                     "-> " NPP_REDUCTION_ROW),
             "Of a reduction of device arrays: the launch, and the plan.");
  module.def("explain_update", &explain_update, "ufunc"_a, "operands"_a,
             nb::sig("def explain_update(ufunc: numpy.ufunc, operands: tuple[object, ...]) -> "
                     "tuple[str, str]"),
             "Of ufunc.at on a device array: the form, and the reason.");
  module.def("explain_resources", &explain_resources, "ufunc"_a, "operands"_a, "keywords"_a,
             "device"_a,
             nb::sig("def explain_resources(ufunc: numpy.ufunc, operands: tuple[object, ...], "
                     "keywords: dict[str, object], device: Device) -> tuple[int, int, int]"),
             "Of a call on arrays of a device: threads per block, registers per thread, and blocks "
             "that a multiprocessor holds at a time.");
  module.def("explain_place", &explain_place, "ufunc"_a, "operands"_a, "keywords"_a,
             nb::sig("def explain_place(ufunc: numpy.ufunc, operands: tuple[object, ...], "
                     "keywords: dict[str, object]) -> "
                     "tuple[Device | None, str, int, int, int]"),
             "Of any call: its device, why, bytes copied to the device and back, pieces.");
  module.def(
      "scratch_counters", &scratch_counters, nb::sig("def scratch_counters() -> tuple[int, int]"),
      "Bytes of scratch arrays on the CPU: of all threads now, and of one loop at most so far.");
}

}  // namespace numpy_plugin::ufunc
