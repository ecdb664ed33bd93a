// Graphs: a recorded sequence of launches, copies and fills that is submitted by one driver call.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "numpy_plugin/run/launch/raise_records.hpp"
#include "numpy_plugin/run/memory/device_memory.hpp"

namespace numpy_plugin::run {

class Graph {
 public:
  // Waits for all work of the device, then records the work of this thread's current stream on it
  // until finish(). Throws load::CudaError, base::Error (kRuntime) inside of another recording.
  explicit Graph(std::shared_ptr<Device> device);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  const std::shared_ptr<Device>& device() const { return device_; }
  // Ends the recording. Throws load::CudaError.
  void finish();
  // Ends it and forgets what was recorded, as the destructor does.
  void discard() noexcept;
  bool is_recording() const { return recorded_ != nullptr; }

  // Of launches, copies and fills.
  std::size_t n_nodes() const { return n_nodes_; }
  // Submits the work; by default to the stream that all arrays of other libraries name, else to
  // this thread's. Throws load::CudaError, base::Error (kRuntime) before finish().
  void launch(std::shared_ptr<Stream> stream);

 private:
  CUresult end_recording(CUgraph* graph) noexcept;
  void take_objects();

  std::shared_ptr<Device> device_;
  std::shared_ptr<Stream> recorded_;  // null once the recording has ended
  std::shared_ptr<Recording> recording_;
  std::vector<std::shared_ptr<DeviceBuffer>> buffers_;
  std::vector<std::shared_ptr<const RaiseRecord>> raise_records_;
  std::vector<CUstream> owners_;  // streams of other libraries whose arrays are used
  std::size_t n_nodes_ = 0;
  CUgraphExec executable_ = nullptr;
};

}  // namespace numpy_plugin::run
