// Recording is relaxed: a first call may load its code, which the other modes refuse.
#include "numpy_plugin/run/launch/graph.hpp"

#include <algorithm>
#include <utility>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/run/device/current_device.hpp"

namespace numpy_plugin::run {

Graph::Graph(std::shared_ptr<Device> device) : device_(std::move(device)) {
  const auto outer = find_scope_stream(device_);
  if (outer != nullptr && outer->recording() != nullptr) {
    throw base::Error(base::ErrorKind::kRuntime, "cuda.graph() inside of another's block");
  }
  device_->synchronize();
  recording_ = std::make_shared<Recording>();
  recording_->memory_stream = std::make_shared<Stream>(device_, Stream::Kind::kOwn);
  auto stream = std::make_shared<Stream>(device_, Stream::Kind::kRecording);
  const CurrentContext current(*device_);
  const load::Driver& driver = device_->driver();
  driver.check(driver.cuStreamBeginCapture(stream->handle(), CU_STREAM_CAPTURE_MODE_RELAXED),
               "to begin to record a graph");
  stream->set_recording(recording_);
  ++device_->n_recordings();
  recorded_ = std::move(stream);
  enter_scope(device_, recorded_);
}

Graph::~Graph() {
  discard();
  const ContextIfAny current(*device_);
  if (current && executable_ != nullptr) device_->driver().cuGraphExecDestroy(executable_);
}

CUresult Graph::end_recording(CUgraph* graph) noexcept {
  leave_scope(*device_, recorded_.get());
  const std::shared_ptr<Stream> stream = std::exchange(recorded_, nullptr);
  stream->set_recording(nullptr);
  --device_->n_recordings();
  return device_->driver().cuStreamEndCapture(stream->handle(), graph);
}

void Graph::discard() noexcept {
  if (recorded_ == nullptr) return;
  const ContextIfAny current(*device_);
  CUgraph graph = nullptr;
  if (end_recording(&graph) == CUDA_SUCCESS) device_->driver().cuGraphDestroy(graph);
  recording_ = nullptr;
}

void Graph::finish() {
  NPP_ASSERT(recorded_ != nullptr, "a recording ends once");
  const CurrentContext current(*device_);
  const load::Driver& driver = device_->driver();
  CUgraph graph = nullptr;
  driver.check(end_recording(&graph), "to record a graph");
  driver.cuGraphGetNodes(graph, nullptr, &n_nodes_);
  const CUresult result = driver.cuGraphInstantiateWithFlags(&executable_, graph, 0);
  driver.cuGraphDestroy(graph);
  driver.check(result, "to prepare a graph");
  recording_->memory_stream->synchronize();
  take_objects();
}

// The buffers that the work uses, once each, the streams of their owners, and the records.
void Graph::take_objects() {
  auto& used = recording_->buffers;
  std::ranges::sort(used);
  used.erase(std::ranges::unique(used).begin(), used.end());
  for (const std::shared_ptr<void>& buffer : used) {
    buffers_.push_back(std::static_pointer_cast<DeviceBuffer>(buffer));
    const std::optional<CUstream> owner = buffers_.back()->owner_stream();
    if (owner && std::ranges::find(owners_, *owner) == owners_.end()) owners_.push_back(*owner);
  }
  used.clear();
  for (const std::shared_ptr<void>& record : recording_->raise_records) {
    raise_records_.push_back(std::static_pointer_cast<const RaiseRecord>(record));
  }
}

void Graph::launch(std::shared_ptr<Stream> stream) {
  if (executable_ == nullptr) {
    throw base::Error(base::ErrorKind::kRuntime,
                      "the graph is not recorded yet: launch it after the block of cuda.graph()");
  }
  if (stream == nullptr) {
    stream = owners_.size() == 1 ? std::make_shared<Stream>(device_, owners_.front())
                                 : current_stream(device_);
  }
  CallOrder order(stream);
  for (const auto& buffer : buffers_) buffer->use_in(order, Access::kWrite);
  for (const CUstream owner : owners_) order.wait_for(owner);
  device_->driver().check(device_->driver().cuGraphLaunch(executable_, stream->handle()),
                          "to launch a graph");
  for (const CUstream owner : owners_) order.make_wait(owner);
  for (const auto& record : raise_records_) look_later(*stream, record);
}

}  // namespace numpy_plugin::run
