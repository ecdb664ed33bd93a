// A device's context: its memory, streams and pending fault.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "simulator/device/memory.hpp"
#include "simulator/interface/objects/device.hpp"
#include "simulator/interface/objects/stream.hpp"

namespace numpy_plugin::sim {

class Context : public std::enable_shared_from_this<Context> {
 public:
  explicit Context(std::shared_ptr<Device> device);

  Device& device() const { return *device_; }
  Memory& memory() { return memory_; }
  const Memory& memory() const { return memory_; }
  CUcontext handle() const { return handle_; }

  std::shared_ptr<Stream> legacy_stream();
  std::shared_ptr<Stream> thread_stream();  // of the calling thread
  std::shared_ptr<Stream> make_stream(unsigned flags, int priority);

  // Submits work to a stream. Work of the legacy stream and of blocking ones is mutually ordered.
  // It also waits for `others`.
  Stream::Ticket submit(const std::shared_ptr<Stream>& stream, Task task,
                        const std::vector<Stream::Dependency>& others = {});
  // Runs work on the stream's thread: an exception becomes the context's fault.
  void run(const Task& task);
  void synchronize();
  // Waits for a stream; for the legacy stream, also for blocking streams.
  void synchronize(const std::shared_ptr<Stream>& stream);
  bool is_idle(const std::shared_ptr<Stream>& stream);
  bool is_legacy(const std::shared_ptr<Stream>& stream) const;

  // Access of this context's kernels to memory of another. Both throw CallError where it is so
  // already.
  void enable_peer(CUcontext peer);
  void disable_peer(CUcontext peer);
  bool has_peer(CUcontext peer) const;

  void require_device() const;  // throws where it is lost
  // Throws the fault of previous work, once; the context remains usable.
  void report_fault();

  // Both throw CallError for unsupported limits.
  std::size_t limit(CUlimit limit);
  void set_limit(CUlimit limit, std::size_t value);
  bool is_stack_limited();  // set explicitly

 private:
  friend CUcontext make_context(const std::shared_ptr<Device>& device);
  friend void destroy_context(CUcontext handle);

  // Both require the lock.
  std::vector<std::shared_ptr<Stream>> living_streams();
  std::vector<Stream::Dependency> work_before(const std::shared_ptr<Stream>& stream);
  void close();
  Memory::Peer find_peer(std::uint64_t address) const;

  const std::shared_ptr<Device> device_;
  Memory memory_;
  CUcontext handle_ = nullptr;
  mutable std::mutex mutex_;
  std::shared_ptr<Stream> legacy_;
  std::vector<std::shared_ptr<Stream>> thread_streams_;
  std::vector<std::weak_ptr<Stream>> streams_;
  std::optional<CallError> fault_;
  std::set<CUcontext> peers_;
  bool is_closed_ = false;
  std::map<CUlimit, std::size_t> limits_;
  bool is_stack_limited_ = false;
};

Handles<CUcontext, Context>& contexts();

// The thread's current one; throws CallError without one, or where its device is lost.
std::shared_ptr<Context> current_context();

CUcontext make_context(const std::shared_ptr<Device>& device);
// Finishes its work and releases everything created in it.
void destroy_context(CUcontext handle);

// Memory that a program does not free.

// Reports what a context's client has allocated and not freed, where leaks are reported.
void report_leaks(const Context& context);

// Does so for the contexts that are not destroyed before the process ends.
void report_leaks_at_exit();

}  // namespace numpy_plugin::sim
