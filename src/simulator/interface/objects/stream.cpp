// The thread of a stream. It is detached and owns the stream: at process exit it may still be
// working, and nothing waits for it.
#include "simulator/interface/objects/stream.hpp"

#include <thread>

#include "numpy_plugin/system/interruption.hpp"
#include "simulator/interface/objects/context.hpp"

namespace numpy_plugin::sim {

Stream::Ticket Stream::push(Task task, std::vector<Dependency> dependencies) {
  const std::lock_guard lock(mutex_);
  require(!is_closed_, CUDA_ERROR_CONTEXT_IS_DESTROYED);
  if (!has_thread_) {
    std::thread([self = shared_from_this()] { self->work(); }).detach();
    has_thread_ = true;
  }
  queue_.push_back({std::move(task), std::move(dependencies)});
  changed_.notify_all();
  return ++n_pushed_;
}

Stream::Ticket Stream::last_ticket() const {
  const std::lock_guard lock(mutex_);
  return n_pushed_;
}

bool Stream::is_done(Ticket ticket) const {
  const std::lock_guard lock(mutex_);
  return n_done_ >= ticket;
}

bool Stream::is_closed() const {
  const std::lock_guard lock(mutex_);
  return is_closed_;
}

void Stream::wait(Ticket ticket) {
  wait_or_cancel(this, changed_, std::unique_lock(mutex_), [&] { return n_done_ >= ticket; });
}

void Stream::close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  changed_.notify_all();
}

void Stream::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return !queue_.empty() || is_closed_; });
    if (queue_.empty()) return;
    {
      const Entry entry = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      for (const auto& [stream, ticket] : entry.dependencies) stream->wait(ticket);
      context_->run(entry.task);
    }  // the task's objects are released before it counts as done
    lock.lock();
    ++n_done_;
    changed_.notify_all();
  }
}

void wait_or_cancel(Stream* stream, std::condition_variable& changed,
                    std::unique_lock<std::mutex> lock, const std::function<bool()>& is_over) {
  bool is_cancelled = false;
  while (!changed.wait_for(lock, system::kInterruptionInterval, is_over)) {
    lock.unlock();
    is_cancelled = is_cancelled || system::is_interrupted();
    if (is_cancelled && stream != nullptr) stream->is_cancelled_ = true;
    lock.lock();
  }
  if (!is_cancelled) return;
  system::clear_interruption();
  if (stream != nullptr) stream->is_cancelled_ = false;
}

ThreadStream::~ThreadStream() {
  if (const auto ending = stream.lock()) ending->close();
}

Handles<CUstream, Stream>& streams() {
  static auto& handles = *new Handles<CUstream, Stream>;
  return handles;
}

std::shared_ptr<Stream> find_stream(CUstream handle, const std::shared_ptr<Context>& context) {
  if (handle == nullptr || handle == CU_STREAM_LEGACY) return context->legacy_stream();
  if (handle == CU_STREAM_PER_THREAD) return context->thread_stream();
  std::shared_ptr<Stream> stream = streams().find(handle);
  stream->context()->require_device();
  return stream;
}

std::shared_ptr<Stream> find_stream(CUstream handle) {
  if (auto stream = streams().find_if_any(handle)) {
    stream->context()->require_device();
    return stream;
  }
  return find_stream(handle, current_context());
}

}  // namespace numpy_plugin::sim
