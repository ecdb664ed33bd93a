// A queue of work that a thread of its own does, in order.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "simulator/interface/driver/handles.hpp"

namespace numpy_plugin::sim {

class Context;

constexpr int kLeastPriority = 0;
constexpr int kGreatestPriority = -5;

struct Task {
  std::function<void()> run;  // throws what becomes the context's fault
  bool is_skipped = true;     // once there is a fault; what frees or signals is done even then
};

class Stream : public std::enable_shared_from_this<Stream> {
 public:
  // A place in the queue: how many tasks there were up to it.
  using Ticket = std::uint64_t;
  // Work of another stream that has to be done first.
  struct Dependency {
    std::shared_ptr<Stream> stream;
    Ticket ticket = 0;
  };

  Stream(std::shared_ptr<Context> context, unsigned flags, int priority)
      : context_(std::move(context)), flags_(flags), priority_(priority) {}

  const std::shared_ptr<Context>& context() const { return context_; }
  unsigned flags() const { return flags_; }
  int priority() const { return priority_; }
  bool is_blocking() const { return (flags_ & CU_STREAM_NON_BLOCKING) == 0; }

  // Called by Context::submit alone, which knows the dependencies.
  Ticket push(Task task, std::vector<Dependency> dependencies);
  Ticket last_ticket() const;
  bool is_done(Ticket ticket) const;
  bool is_closed() const;
  // Where the waiting thread is interrupted, the kernels that it waits for are cancelled.
  void wait(Ticket ticket);
  const std::atomic<bool>& is_cancelled() const { return is_cancelled_; }
  // No more work will come: the thread ends when it has done what there is.
  void close();

 private:
  struct Entry {
    Task task;
    std::vector<Dependency> dependencies;
  };

  void work();

  friend void wait_or_cancel(Stream* stream, std::condition_variable& changed,
                             std::unique_lock<std::mutex> lock,
                             const std::function<bool()>& is_over);

  const std::shared_ptr<Context> context_;
  const unsigned flags_;
  const int priority_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::deque<Entry> queue_;
  Ticket n_pushed_ = 0;
  Ticket n_done_ = 0;
  bool has_thread_ = false;
  bool is_closed_ = false;
  std::atomic<bool> is_cancelled_ = false;
};

// Waits for something that comes after work of the stream, if there is still one; as Stream::wait.
void wait_or_cancel(Stream* stream, std::condition_variable& changed,
                    std::unique_lock<std::mutex> lock, const std::function<bool()>& is_over);

Handles<CUstream, Stream>& streams();

// Resolves a handle where `context` is current: also the default streams.
std::shared_ptr<Stream> find_stream(CUstream handle, const std::shared_ptr<Context>& context);

}  // namespace numpy_plugin::sim
