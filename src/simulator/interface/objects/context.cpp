// Ordering of work in a context, and its destruction.
#include "simulator/interface/objects/context.hpp"

#include <algorithm>

#include "numpy_plugin/base/error.hpp"
#include "simulator/interface/driver/call.hpp"
#include "simulator/interface/objects/capture.hpp"
#include "simulator/interface/objects/event.hpp"
#include "simulator/interface/objects/host_memory.hpp"
#include "simulator/interface/objects/module.hpp"
#include "simulator/interface/objects/pool.hpp"

namespace numpy_plugin::sim {

Context::Context(std::shared_ptr<Device> device)
    : device_(std::move(device)),
      memory_(device_->budget()),
      limits_{{CU_LIMIT_STACK_SIZE, 1024},
              {CU_LIMIT_PRINTF_FIFO_SIZE, std::size_t{1} << 20},
              {CU_LIMIT_MALLOC_HEAP_SIZE, std::size_t{8} << 20}} {
  memory_.set_peers([this](std::uint64_t address) { return find_peer(address); });
}

std::shared_ptr<Stream> Context::make_stream(unsigned flags, int priority) {
  auto stream = std::make_shared<Stream>(shared_from_this(), flags, priority);
  const std::lock_guard lock(mutex_);
  require(!is_closed_, CUDA_ERROR_CONTEXT_IS_DESTROYED);
  std::erase_if(streams_, [](const auto& known) { return known.expired(); });
  streams_.push_back(stream);
  return stream;
}

std::shared_ptr<Stream> Context::legacy_stream() {
  require_device();
  const std::lock_guard lock(mutex_);
  require(!is_closed_, CUDA_ERROR_CONTEXT_IS_DESTROYED);
  if (legacy_ == nullptr) legacy_ = std::make_shared<Stream>(shared_from_this(), 0, 0);
  return legacy_;
}

std::shared_ptr<Stream> Context::thread_stream() {
  require_device();
  std::weak_ptr<Stream>& known = this_thread().default_streams[handle_].stream;
  if (auto stream = known.lock()) return stream;
  std::shared_ptr<Stream> stream = make_stream(0, 0);
  known = stream;
  const std::lock_guard lock(mutex_);
  std::erase_if(thread_streams_, [](const auto& other) { return other->is_closed(); });
  thread_streams_.push_back(stream);
  return stream;
}

std::vector<std::shared_ptr<Stream>> Context::living_streams() {
  std::vector<std::shared_ptr<Stream>> living;
  for (const auto& known : streams_) {
    if (auto stream = known.lock()) living.push_back(std::move(stream));
  }
  return living;
}

std::vector<Stream::Dependency> Context::work_before(const std::shared_ptr<Stream>& stream) {
  std::vector<std::shared_ptr<Stream>> others;
  if (stream == legacy_) {
    others = living_streams();
    std::erase_if(others, [](const auto& other) { return !other->is_blocking(); });
  } else if (stream->is_blocking() && legacy_ != nullptr) {
    others.push_back(legacy_);
  }
  std::vector<Stream::Dependency> work;
  for (const auto& other : others) {
    const Stream::Ticket ticket = other->last_ticket();
    if (!other->is_done(ticket)) work.push_back({other, ticket});
  }
  return work;
}

Stream::Ticket Context::submit(const std::shared_ptr<Stream>& stream, Task task,
                               const std::vector<Stream::Dependency>& others) {
  const std::lock_guard lock(mutex_);  // total order of all work
  std::vector<Stream::Dependency> work = work_before(stream);
  work.insert(work.end(), others.begin(), others.end());
  return stream->push(std::move(task), std::move(work));
}

void Context::run(const Task& task) {
  if (task.is_skipped) {
    const std::lock_guard lock(mutex_);
    if (is_closed_ || fault_ || device_->is_lost()) return;
  }
  std::optional<CallError> fault;
  try {
    task.run();
  } catch (const CallError& error) {
    fault = error;
  } catch (const KernelFault& error) {
    fault = CallError(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    fault = CallError(CUDA_ERROR_OUT_OF_MEMORY, "the host is out of memory");
  } catch (const std::exception& error) {
    fault = CallError(CUDA_ERROR_UNKNOWN, error.what());
  }
  if (!fault) return;
  sim::report_fault(fault->code(), fault->report());
  const std::lock_guard lock(mutex_);
  if (!fault_) fault_ = std::move(fault);
}

void Context::synchronize() {
  std::vector<std::shared_ptr<Stream>> all;
  {
    const std::lock_guard lock(mutex_);
    all = living_streams();
    if (legacy_ != nullptr) all.push_back(legacy_);
  }
  for (const auto& stream : all) stream->wait(stream->last_ticket());
  release_reserves(device_->ordinal());
}

void Context::synchronize(const std::shared_ptr<Stream>& stream) {
  std::vector<Stream::Dependency> work;
  {
    const std::lock_guard lock(mutex_);
    work = work_before(stream);
  }
  for (const auto& [other, ticket] : work) other->wait(ticket);
  stream->wait(stream->last_ticket());
  release_reserves(device_->ordinal());
}

bool Context::is_idle(const std::shared_ptr<Stream>& stream) {
  const std::lock_guard lock(mutex_);
  return work_before(stream).empty() && stream->is_done(stream->last_ticket());
}

bool Context::is_legacy(const std::shared_ptr<Stream>& stream) const {
  const std::lock_guard lock(mutex_);
  return stream == legacy_;
}

void Context::enable_peer(CUcontext peer) {
  const std::lock_guard lock(mutex_);
  require(peers_.insert(peer).second, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
}

void Context::disable_peer(CUcontext peer) {
  const std::lock_guard lock(mutex_);
  require(peers_.erase(peer) == 1, CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
}

bool Context::has_peer(CUcontext peer) const {
  const std::lock_guard lock(mutex_);
  return peers_.contains(peer);
}

// Access to memory of a pool is a matter of the pool.
Memory::Peer Context::find_peer(std::uint64_t address) const {
  for (const auto& other : contexts().all()) {
    if (!other->memory().is_of_device(address) || other.get() == this) continue;
    const auto extent = other->memory().find(address);
    const auto pool = extent ? find_pool_of(extent->begin) : nullptr;
    const bool is_accessible =
        pool != nullptr ? pool->is_accessible_from(device_->ordinal()) : has_peer(other->handle());
    return {std::shared_ptr<const Memory>(other, &other->memory()), is_accessible};
  }
  return {};
}

void Context::require_device() const {
  require(!device_->is_lost(), CUDA_ERROR_DEVICE_UNAVAILABLE);
}

void Context::report_fault() {
  require_device();
  std::optional<CallError> fault;
  {
    const std::lock_guard lock(mutex_);
    fault.swap(fault_);
  }
  if (fault) throw CallError(*fault);
}

std::size_t Context::limit(CUlimit limit) {
  const std::lock_guard lock(mutex_);
  const auto found = limits_.find(limit);
  require(found != limits_.end(), CUDA_ERROR_UNSUPPORTED_LIMIT);
  return found->second;
}

void Context::set_limit(CUlimit limit, std::size_t value) {
  const std::lock_guard lock(mutex_);
  const auto found = limits_.find(limit);
  require(found != limits_.end(), CUDA_ERROR_UNSUPPORTED_LIMIT);
  found->second = value;
  is_stack_limited_ = is_stack_limited_ || limit == CU_LIMIT_STACK_SIZE;
}

bool Context::is_stack_limited() {
  const std::lock_guard lock(mutex_);
  return is_stack_limited_;
}

void Context::close() {
  {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
  }
  synchronize();
  const std::lock_guard lock(mutex_);
  for (const auto& stream : living_streams()) stream->close();
  if (legacy_ != nullptr) legacy_->close();
  legacy_.reset();
  thread_streams_.clear();
}

Handles<CUcontext, Context>& contexts() {
  static auto& handles = *new Handles<CUcontext, Context>(CUDA_ERROR_INVALID_CONTEXT);
  return handles;
}

std::shared_ptr<Context> current_context() {
  const auto& stack = this_thread().contexts;
  require(!stack.empty() && stack.back() != nullptr, CUDA_ERROR_INVALID_CONTEXT,
          "the thread has no current context");
  std::shared_ptr<Context> context = contexts().find(stack.back());
  context->require_device();
  return context;
}

CUcontext make_context(const std::shared_ptr<Device>& device) {
  std::shared_ptr<Context> context;
  try {
    context = std::make_shared<Context>(device);
  } catch (const base::Error& error) {
    throw CallError(CUDA_ERROR_OUT_OF_MEMORY, error.what());
  }
  context->handle_ = host_memory().admit(context);
  return context->handle_;
}

void destroy_context(CUcontext handle) {
  const std::shared_ptr<Context> context = contexts().remove(handle);
  const auto is_of_it = [&](const auto& object) { return object.context() == context; };
  abandon_captures(context);
  for (const auto& other : contexts().all()) {
    if (other->has_peer(handle)) other->synchronize();  // kernels that use its memory
  }
  context->close();
  streams().remove_if(is_of_it);
  events().remove_if(is_of_it);
  functions().remove_if(is_of_it);
  modules().remove_if(is_of_it);
  for (const auto& library : libraries().all()) library->forget(handle);
  report_leaks(*context);
  for (const auto& pool : pools().all()) pool->forget_all_of(context->memory());
  context->memory().clear();  // threads of its streams may keep it for a while
}

}  // namespace numpy_plugin::sim
