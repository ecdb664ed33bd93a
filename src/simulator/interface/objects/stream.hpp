// A queue of work, processed in order by its own thread.
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
  std::function<void()> run;  // an exception becomes the context's fault
  bool is_skipped = true;     // after a fault; false for work that frees or signals
};

class Stream : public std::enable_shared_from_this<Stream> {
 public:
  // A position in the queue: the number of tasks up to it.
  using Ticket = std::uint64_t;
  // Work of another stream that must complete first.
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

  // Called only by Context::submit, which computes the dependencies.
  Ticket push(Task task, std::vector<Dependency> dependencies);
  Ticket last_ticket() const;
  bool is_done(Ticket ticket) const;
  bool is_closed() const;
  // If the waiting thread is interrupted, cancels the kernels it waits for.
  void wait(Ticket ticket);
  const std::atomic<bool>& is_cancelled() const { return is_cancelled_; }
  // Closes the queue: the thread ends after the remaining work.
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

// Waits for a condition that follows work of the stream, if it still exists; like Stream::wait.
void wait_or_cancel(Stream* stream, std::condition_variable& changed,
                    std::unique_lock<std::mutex> lock, const std::function<bool()>& is_over);

Handles<CUstream, Stream>& streams();

// Resolves a handle with `context` current, including default streams.
std::shared_ptr<Stream> find_stream(CUstream handle, const std::shared_ptr<Context>& context);
// Likewise; only default streams need a current context.
std::shared_ptr<Stream> find_stream(CUstream handle);

}  // namespace numpy_plugin::sim
