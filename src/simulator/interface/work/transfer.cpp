// Implementation of copies and fills.
#include "simulator/interface/work/transfer.hpp"

#include <chrono>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

#include "simulator/device/memory.hpp"
#include "simulator/interface/objects/capture.hpp"
#include "simulator/interface/objects/host_memory.hpp"

namespace numpy_plugin::sim {
namespace {

// Bytes from the start of the first of `count` parts, `step` bytes apart, to the end of the last.
// Throws on overflow.
std::uint64_t span_bytes(std::uint64_t step, std::uint64_t n_bytes, std::uint64_t count) {
  const bool fits = count <= 1 || step <= (UINT64_MAX - n_bytes) / (count - 1);
  require(fits, CUDA_ERROR_INVALID_VALUE, "more bytes than there are addresses");
  return count <= 1 ? n_bytes : step * (count - 1) + n_bytes;
}

std::uint64_t span_bytes(const CopyEnd& end, const Copy& copy) {
  return span_bytes(end.slice, span_bytes(end.pitch, copy.width, copy.height), copy.depth);
}

// The context of an address, or whose kernels can access it; nullptr for plain host memory.
std::shared_ptr<Context> find_context(std::uint64_t address,
                                      const std::shared_ptr<Context>& preferred) {
  if (preferred->memory().find_reserved(address)) return preferred;
  for (const auto& context : contexts().all()) {
    if (context->memory().is_of_device(address)) return context;
  }
  return nullptr;
}

[[noreturn]] void refuse_range(const char* what, std::uint64_t address, std::uint64_t n_bytes,
                               const Context& context) {
  throw CallError(CUDA_ERROR_INVALID_VALUE,
                  format("{} of {} bytes at {}: {}", what, n_bytes, address_text(address),
                         place_text(context.memory(), address, n_bytes)));
}

// A resolved end: in the memory of a context or, without one, on the host.
struct FoundEnd {
  std::shared_ptr<Context> context;
  CopyEnd rows;
  bool is_pinned = false;  // host memory that stays valid
};

// `is_captured`: memory counts that is only there when the graph runs.
FoundEnd find_end(const char* what, const CopyEnd& end, const Copy& copy,
                  const std::shared_ptr<Context>& current, bool is_captured) {
  FoundEnd found{nullptr, end, false};
  const std::uint64_t n_bytes = span_bytes(end, copy);
  const auto block = host_memory().find(end.address);
  found.is_pinned = block && end.address - block->begin <= block->n_bytes &&
                    n_bytes <= block->n_bytes - (end.address - block->begin);
  const auto context = find_context(end.address, current);
  const bool is_of_device = context != nullptr && context->memory().is_of_device(end.address);
  if (end.kind != CopyEnd::Kind::kDevice && !is_of_device && end.address != 0) return found;
  if (context == nullptr) refuse_range(what, end.address, n_bytes, *current);
  found.context = context;
  const Memory& memory = found.context->memory();
  const auto extent = is_captured ? memory.find_reserved(end.address) : memory.find(end.address);
  if (!extent || !extent->holds(end.address, n_bytes)) {
    refuse_range(what, end.address, n_bytes, *found.context);
  }
  return found;
}

// Copies one row; returns the error, or an empty text.
std::string copy_row(const FoundEnd& to, const FoundEnd& from, std::uint64_t z, std::uint64_t y,
                     std::uint64_t n_bytes) {
  const std::uint64_t target = to.rows.row(z, y);
  const std::uint64_t source = from.rows.row(z, y);
  if (to.context == nullptr && from.context == nullptr) {
    std::memmove(host_pointer(target), host_pointer(source), n_bytes);
    return "";
  }
  if (to.context == nullptr) {
    return copy_out(from.context->memory(), host_pointer(target), source, n_bytes);
  }
  if (from.context == nullptr) {
    return copy_in(to.context->memory(), target, host_pointer(source), n_bytes);
  }
  return copy(to.context->memory(), target, from.context->memory(), source, n_bytes);
}

void require_range(const std::string& problem) {
  if (!problem.empty()) throw CallError(CUDA_ERROR_ILLEGAL_ADDRESS, problem);
}

void delay(const Context& context) {
  const double seconds = context.device().options().copy_delay_seconds;
  if (seconds > 0) std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

// Calls function(z, y) for the rows of a copy.
template <typename Function>
void for_each_row(const Copy& copy, Function&& function) {
  for (std::uint64_t z = 0; z < copy.depth; ++z) {
    for (std::uint64_t y = 0; y < copy.height; ++y) function(z, y);
  }
}

// A copy of the rows of pageable memory: the client may change them when the call has returned.
std::shared_ptr<std::vector<std::byte>> stage(const Copy& copy) {
  auto staged = std::make_shared<std::vector<std::byte>>(copy.width * copy.height * copy.depth);
  std::byte* to = staged->data();
  for_each_row(copy, [&](std::uint64_t z, std::uint64_t y) {
    std::memcpy(to, host_pointer(copy.from.row(z, y)), copy.width);
    to += copy.width;
  });
  return staged;
}

CopyEnd staged_end(const std::vector<std::byte>& staged, const Copy& copy) {
  return {.kind = CopyEnd::Kind::kHost,
          .address = reinterpret_cast<std::uint64_t>(staged.data()),
          .pitch = copy.width,
          .slice = copy.width * copy.height};
}

Task copy_task(const std::shared_ptr<Context>& context, const FoundEnd& to, const FoundEnd& from,
               const Copy& copy, std::shared_ptr<std::vector<std::byte>> staged) {
  return {[context, to, from, copy, staged = std::move(staged)] {
    delay(*context);
    for_each_row(copy, [&](std::uint64_t z, std::uint64_t y) {
      require_range(copy_row(to, from, z, y, copy.width));
    });
  }};
}

FoundEnd find_target(const Copy& copy, const std::shared_ptr<Context>& context, bool is_captured) {
  return find_end("the target of a copy", copy.to, copy, context, is_captured);
}

FoundEnd find_source(const Copy& copy, const std::shared_ptr<Context>& context, bool is_captured) {
  return find_end("the source of a copy", copy.from, copy, context, is_captured);
}

// The rows that a fill writes.
FoundEnd find_filled(const Fill& fill, const std::shared_ptr<Context>& context, bool is_captured) {
  require(fill.address % fill.element_bytes == 0 && fill.pitch % fill.element_bytes == 0,
          CUDA_ERROR_INVALID_VALUE, "the address of a fill is not a multiple of its elements");
  require(fill.width <= UINT64_MAX / fill.element_bytes, CUDA_ERROR_INVALID_VALUE,
          "more bytes than there are addresses");
  const std::uint64_t row_bytes = fill.width * fill.element_bytes;
  require(fill.height <= 1 || fill.pitch >= row_bytes, CUDA_ERROR_INVALID_VALUE,
          "the rows of a fill overlap");
  const CopyEnd end{.kind = CopyEnd::Kind::kDevice, .address = fill.address, .pitch = fill.pitch};
  const Copy rows{.to = end, .from = end, .width = row_bytes, .height = fill.height};
  return find_end("the target of a fill", end, rows, context, is_captured);
}

Task fill_task(const FoundEnd& to, const Fill& fill) {
  return {[fill, to] {
    for (std::uint64_t y = 0; y < fill.height; ++y) {
      require_range(sim::fill(to.context->memory(), to.rows.row(0, y), fill.element,
                              fill.element_bytes, fill.width));
    }
  }};
}

}  // namespace

StreamWork copy_work(const Copy& copy, const std::shared_ptr<Context>& context) {
  const FoundEnd to = find_target(copy, context, /*is_captured=*/true);
  const FoundEnd from = find_source(copy, context, /*is_captured=*/true);
  return make_work(CU_GRAPH_NODE_TYPE_MEMCPY, copy_task(context, to, from, copy, nullptr));
}

StreamWork fill_work(const Fill& fill, const std::shared_ptr<Context>& context) {
  const FoundEnd to = find_filled(fill, context, /*is_captured=*/true);
  return make_work(CU_GRAPH_NODE_TYPE_MEMSET, fill_task(to, fill));
}

void copy_in_order(const Copy& copy, const std::shared_ptr<Stream>& stream, Waiting waiting) {
  const std::shared_ptr<Context> context = stream->context();
  const bool is_captured = is_capturing(stream);
  if (waiting == Waiting::kYes) require_safe();
  if (copy.is_empty()) {
    if (!is_captured) context->report_fault();
    return;
  }
  if (is_captured) return submit(stream, copy_work(copy, context));
  const FoundEnd to = find_target(copy, context, /*is_captured=*/false);
  FoundEnd from = find_source(copy, context, /*is_captured=*/false);
  const bool is_to_pageable = to.context == nullptr && !to.is_pinned;
  const bool is_from_pageable = from.context == nullptr && !from.is_pinned;
  const bool waits = waiting == Waiting::kYes || is_to_pageable;
  std::shared_ptr<std::vector<std::byte>> staged;
  if (!waits && is_from_pageable) {
    staged = stage(copy);
    from.rows = staged_end(*staged, copy);
  }
  if (!waits) context->report_fault();
  const Stream::Ticket ticket =
      context->submit(stream, copy_task(context, to, from, copy, std::move(staged)));
  if (!waits) return;
  stream->wait(ticket);
  context->report_fault();
}

void fill_in_order(const Fill& fill, const std::shared_ptr<Stream>& stream, Waiting waiting) {
  const std::shared_ptr<Context> context = stream->context();
  const bool is_captured = is_capturing(stream);
  if (waiting == Waiting::kYes) require_safe();
  if (!is_captured) context->report_fault();
  if (fill.width == 0 || fill.height == 0) return;
  if (is_captured) return submit(stream, fill_work(fill, context));
  const Stream::Ticket ticket =
      context->submit(stream, fill_task(find_filled(fill, context, /*is_captured=*/false), fill));
  if (waiting == Waiting::kNo) return;
  stream->wait(ticket);
  context->report_fault();
}

}  // namespace numpy_plugin::sim
