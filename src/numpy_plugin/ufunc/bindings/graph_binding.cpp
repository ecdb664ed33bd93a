// Bindings: recorded graphs, and when exceptions of kernels are raised.
#include "numpy_plugin/run/launch/graph.hpp"

#include <nanobind/stl/shared_ptr.h>

#include <string>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/run/launch/launch_kernel.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"
#include "numpy_plugin/ufunc/api/stream_argument.hpp"
#include "numpy_plugin/ufunc/api/string_caster.hpp"
#include "numpy_plugin/ufunc/bindings/bindings.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

using run::ErrorMode;
using run::Graph;

std::shared_ptr<Graph> record(const std::shared_ptr<run::Device>& device) {
  const ReleasedGil release;
  return std::make_shared<Graph>(device != nullptr ? device : run::current_device());
}

void end(Graph& graph, bool has_failed) {
  const ReleasedGil release;
  has_failed ? graph.discard() : graph.finish();
}

void launch(Graph& graph, nb::handle stream) {
  auto on = named_stream(stream);
  if (on != nullptr) on = stream_or_current(on, graph.device());
  const ReleasedGil release;
  graph.launch(std::move(on));
}

ErrorMode mode_named(const std::string& name) {
  if (name == "deferred") return ErrorMode::kDeferred;
  if (name == "immediate") return ErrorMode::kImmediate;
  throw base::Error(base::ErrorKind::kValue,
                    format("mode is '{}'; expected 'deferred' or 'immediate'", name));
}

}  // namespace

void bind_graphs(nb::module_& module) {
  nb::class_<Graph>(module, "RecordedGraph", "Recorded work of a device.")
      .def(nb::new_(&record), "device"_a.none() = nb::none(),
           "Begin to record the work of this thread on a device.")
      .def("end", &end, "has_failed"_a, "End the recording; after a failure forget it.")
      .def_prop_ro("device", &Graph::device)
      .def_prop_ro("n_nodes", &Graph::n_nodes)
      .def("launch", &launch, "stream"_a.none() = nb::none(),
           nb::sig("def launch(self, stream: object = None) -> None"), "Submit the work.");
  module.def(
      "set_error_mode", [](const std::string& name) { run::set_error_mode(mode_named(name)); },
      "mode"_a, "Set when this thread's kernels raise: 'deferred' or 'immediate'.");
  module.def(
      "error_mode",
      [] { return run::error_mode() == ErrorMode::kImmediate ? "immediate" : "deferred"; },
      "When this thread's kernels raise.");
}

}  // namespace numpy_plugin::ufunc
