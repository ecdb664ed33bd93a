// Bindings: streams and events.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/run/launch/raise_records.hpp"
#include "numpy_plugin/ufunc/api/python_lock.hpp"
#include "numpy_plugin/ufunc/api/stream_argument.hpp"
#include "numpy_plugin/ufunc/api/string_caster.hpp"
#include "numpy_plugin/ufunc/bindings/bindings.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

using run::Device;
using run::Event;
using run::Stream;
using StreamPointer = std::shared_ptr<Stream>;

std::shared_ptr<Device> device_or_current(const std::shared_ptr<Device>& device) {
  return device != nullptr ? device : run::current_device();
}

StreamPointer make_stream(const std::shared_ptr<Device>& device) {
  const ReleasedGil release;
  return std::make_shared<Stream>(device_or_current(device), Stream::Kind::kOwn);
}

std::shared_ptr<Event> make_event(bool has_time) {
  const ReleasedGil release;
  return std::make_shared<Event>(run::current_device(),
                                 has_time ? Event::Kind::kTimed : Event::Kind::kOrderOnly);
}

std::optional<std::uintptr_t> number(nb::handle object) {
  if (!PyLong_CheckExact(object.ptr())) return std::nullopt;
  std::uintptr_t value = 0;
  if (nb::try_cast(object, value)) return value;
  throw base::Error(
      base::ErrorKind::kValue,
      format("stream is {}; expected a stream's handle, from 0", nb::repr(object).c_str()));
}

// The protocol of cuda.core: a version, which is 0, and the handle.
std::uintptr_t handle_by_protocol(nb::handle stream) {
  const nb::object pair = stream.attr("__cuda_stream__")();
  if (nb::isinstance<nb::tuple>(pair) && nb::len(pair) == 2) {
    const auto version = number(pair[0]), handle = number(pair[1]);
    // 0 is the legacy default stream here.
    if (version == 0 && handle) return std::max<std::uintptr_t>(*handle, 1);
  }
  throw base::Error(
      base::ErrorKind::kType,
      format("__cuda_stream__ of the stream returned {}; expected 0 and the stream's handle",
             nb::repr(pair).c_str()));
}

// The handle of a stream of another library, by the protocol or the attribute of torch or CuPy. As
// an argument, 0 is no stream, as in Numba; as an attribute, it is the legacy default stream.
std::optional<std::uintptr_t> foreign_handle(nb::handle stream) {
  if (nb::hasattr(stream, "__cuda_stream__")) return handle_by_protocol(stream);
  for (const char* const attribute : {"cuda_stream", "ptr"}) {
    if (!nb::hasattr(stream, attribute)) continue;
    const auto handle = number(stream.attr(attribute));
    if (handle) return std::max<std::uintptr_t>(*handle, 1);
  }
  return number(stream);
}

std::uintptr_t handle_of(const Stream& stream) {
  return reinterpret_cast<std::uintptr_t>(stream.handle());
}

StreamPointer enter(StreamPointer stream) {
  run::enter_scope(stream->device(), stream);
  return stream;
}

void leave(const StreamPointer& stream, const nb::args&) {
  run::leave_scope(*stream->device(), stream.get());
}

// Exceptions of kernels come with the wait for their work.
void synchronize(Stream& stream) {
  stream.synchronize();
  run::raise_late(*stream.device(), stream.handle());
}

// Waits at the end of a block; the block's own exception goes on.
struct StreamWait {
  StreamPointer stream;

  void leave(const nb::args&) const {
    const ReleasedGil release;
    synchronize(*stream);
  }
};

void synchronize_with_event(const Event& event) {
  event.synchronize();
  if (event.stream()) run::raise_late(*event.device(), event.stream());
}

std::shared_ptr<Device> device_of(const Event& event) {
  return std::const_pointer_cast<Device>(event.device());
}

void record(Event& event, nb::handle stream) {
  const StreamPointer on = stream_argument(stream, device_of(event));
  const ReleasedGil release;
  event.record(on->handle());
}

void make_wait(const Event& event, nb::handle stream) {
  const StreamPointer waiting = stream_argument(stream, device_of(event));
  const ReleasedGil release;
  waiting->wait_for(event);
}

}  // namespace

StreamPointer named_stream(nb::handle stream) {
  if (stream.is_none()) return nullptr;
  StreamPointer found;
  if (nb::try_cast(stream, found) && found != nullptr) return run::for_one_call(std::move(found));
  const std::optional<std::uintptr_t> handle = foreign_handle(stream);
  if (!handle) {
    throw base::Error(
        base::ErrorKind::kType,
        format(
            "stream must be a cuda.Stream, a stream of another library, a handle or None, found {}",
            nb::str(stream.type().attr("__name__")).c_str()));
  }
  return *handle == 0 ? nullptr : run::find_stream(reinterpret_cast<CUstream>(*handle));
}

StreamPointer stream_or_current(const StreamPointer& stream,
                                const std::shared_ptr<Device>& device) {
  if (stream == nullptr) return run::current_stream(device);
  if (stream->device() == device) return stream;
  throw base::Error(base::ErrorKind::kValue,
                    format("the stream is of device '{}', the work for '{}'",
                           stream->device()->info().name, device->info().name));
}

StreamPointer stream_argument(nb::handle stream, const std::shared_ptr<Device>& device) {
  return stream_or_current(named_stream(stream), device);
}

StreamPointer external_stream(nb::handle stream) {
  StreamPointer found = named_stream(stream);
  if (found != nullptr) return found;
  throw base::Error(
      base::ErrorKind::kValue,
      format("stream is {}; expected a stream or a handle above 0, or use cuda.legacy_default",
             nb::repr(stream).c_str()));
}

StreamScope::StreamScope(nb::handle stream) : stream_(named_stream(stream)) {
  if (stream_ != nullptr) run::enter_scope(stream_->device(), stream_);
}

StreamScope::~StreamScope() {
  if (stream_ != nullptr) run::leave_scope(*stream_->device(), stream_.get());
}

void bind_streams(nb::module_& module) {
  const auto without_lock = nb::call_guard<ReleasedGil>();
  nb::class_<Stream>(module, "Stream",
                     "An ordered queue of work on a device, concurrent with other streams.\n\n"
                     "`with stream:` makes it the current stream of this thread.")
      .def(nb::new_(&make_stream), "device"_a.none() = nb::none(),
           "Create a stream on a device; by default on the current one.")
      .def_prop_ro("device", &Stream::device)
      .def_prop_ro("handle", &handle_of, "the driver's CUstream, as an int")
      .def("synchronize", &synchronize, without_lock,
           "Block until all work on the stream completes.")
      .def(
          "auto_synchronize", [](const StreamPointer& stream) { return StreamWait{stream}; },
          "Return a context manager that waits for the stream at the end of its block.")
      .def("query", &Stream::is_done, without_lock, "Whether all work on the stream has completed.")
      .def("wait", nb::overload_cast<const Event&>(&Stream::wait_for), "event"_a, without_lock,
           "Make later work on the stream wait for an event.")
      .def("__cuda_stream__", [](const Stream& stream) { return std::tuple(0, handle_of(stream)); })
      .def("__enter__", &enter)
      .def("__exit__", &leave, nb::sig("def __exit__(self, *exception: object) -> None"))
      .def("__repr__", [](const Stream& stream) {
        return format("<stream of '{}'>", stream.device()->info().name);
      });
  nb::class_<StreamWait>(module, "StreamWait", "Waits for a stream at the end of a block.")
      .def("__enter__", [](const StreamWait& wait) { return wait.stream; })
      .def("__exit__", &StreamWait::leave,
           nb::sig("def __exit__(self, *exception: object) -> None"));
  nb::class_<Event>(module, "Event", "A marker in a stream's work.")
      .def(nb::new_(&make_event), "timing"_a = true, "Create an event on the current device.")
      .def("record", &record, "stream"_a.none() = nb::none(),
           nb::sig("def record(self, stream: object = None) -> None"),
           "Place the marker after all work queued on the stream so far.")
      .def("synchronize", &synchronize_with_event, without_lock,
           "Block until the work before the marker completes.")
      .def("query", &Event::is_done, without_lock,
           "Whether the work before the marker has completed.")
      .def("wait", &make_wait, "stream"_a.none() = nb::none(),
           nb::sig("def wait(self, stream: object = None) -> None"),
           "Make later work on the stream wait for the marker.")
      .def("elapsed_time", &Event::milliseconds_to, "later"_a, without_lock,
           "Return the milliseconds from this event to a later one.");
  module.def("external_stream", &external_stream, "stream"_a.none(),
             nb::sig("def external_stream(stream: object) -> Stream"),
             "A stream of another library, by its handle or its object.");
  module.def(
      "current_stream", [] { return run::current_stream(run::current_device()); },
      nb::call_guard<ReleasedGil>(), "The current stream of this thread, on its current device.");
}

}  // namespace numpy_plugin::ufunc
