// Copies and fills of device memory with the driver's semantics.

#include "simulator/device/memory.hpp"

#include <algorithm>
#include <cstring>
#include <variant>

#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr std::uint8_t kNeverWritten = 0xff;

// The part of an allocation that an operation accesses.
struct Range {
  std::byte* data = nullptr;
  std::uint8_t* written = nullptr;
};

std::variant<Range, std::string> find_range(const Memory& memory, const char* what,
                                            std::uint64_t address, std::uint64_t n_bytes) {
  const auto extent = memory.find(address);
  if (!extent || !extent->holds(address, n_bytes)) {
    return format("{} of {} bytes at {}: {}", what, n_bytes, address_text(address),
                  place_text(memory, address, n_bytes));
  }
  const std::uint64_t offset = address - extent->begin;
  return Range{extent->data + offset, extent->written ? extent->written + offset : nullptr};
}

void set_written(const Range& range, std::uint64_t n_bytes) {
  if (range.written != nullptr) std::memset(range.written, 1, n_bytes);
}

void fill_elements(std::byte* to, std::uint32_t element, std::uint32_t element_bytes,
                   std::uint64_t n_elements) {
  std::memcpy(to, &element, element_bytes);
  for (std::uint64_t done = 1; done < n_elements;) {
    const std::uint64_t more = std::min(done, n_elements - done);
    std::memcpy(to + done * element_bytes, to, more * element_bytes);
    done += more;
  }
}

}  // namespace

std::string copy_in(const Memory& memory, std::uint64_t to, const void* from,
                    std::uint64_t n_bytes) {
  if (n_bytes == 0) return {};
  const auto found = find_range(memory, "a copy to the device", to, n_bytes);
  if (const auto* problem = std::get_if<std::string>(&found)) return *problem;
  const Range& range = std::get<Range>(found);
  std::memcpy(range.data, from, n_bytes);
  set_written(range, n_bytes);
  return {};
}

std::string copy_out(const Memory& memory, void* to, std::uint64_t from, std::uint64_t n_bytes) {
  if (n_bytes == 0) return {};
  const auto found = find_range(memory, "a copy from the device", from, n_bytes);
  if (const auto* problem = std::get_if<std::string>(&found)) return *problem;
  const Range& range = std::get<Range>(found);
  std::memcpy(to, range.data, n_bytes);
  if (range.written == nullptr || std::memchr(range.written, 0, n_bytes) == nullptr) return {};
  auto* bytes = static_cast<std::uint8_t*>(to);
  for (std::uint64_t index = 0; index < n_bytes; ++index) {
    if (range.written[index] == 0) bytes[index] = kNeverWritten;
  }
  return {};
}

std::string copy(const Memory& target, std::uint64_t to, const Memory& source, std::uint64_t from,
                 std::uint64_t n_bytes) {
  if (n_bytes == 0) return {};
  const auto found_from = find_range(source, "a copy within the device, read", from, n_bytes);
  if (const auto* problem = std::get_if<std::string>(&found_from)) return *problem;
  const auto found_to = find_range(target, "a copy within the device, write", to, n_bytes);
  if (const auto* problem = std::get_if<std::string>(&found_to)) return *problem;
  const Range& read = std::get<Range>(found_from);
  const Range& write = std::get<Range>(found_to);
  std::memmove(write.data, read.data, n_bytes);
  if (read.written == nullptr) {
    set_written(write, n_bytes);
  } else if (write.written != nullptr) {
    std::memmove(write.written, read.written, n_bytes);
  }
  return {};
}

std::string fill(const Memory& memory, std::uint64_t to, std::uint32_t element,
                 std::uint32_t element_bytes, std::uint64_t n_elements) {
  NPP_ASSERT(element_bytes == 1 || element_bytes == 2 || element_bytes == 4,
             std::to_string(element_bytes));
  if (n_elements == 0) return {};
  if (n_elements > UINT64_MAX / element_bytes)
    return "a fill of more bytes than there are addresses";
  const std::uint64_t n_bytes = n_elements * element_bytes;
  const auto found = find_range(memory, "a fill", to, n_bytes);
  if (const auto* problem = std::get_if<std::string>(&found)) return *problem;
  const Range& range = std::get<Range>(found);
  fill_elements(range.data, element, element_bytes, n_elements);
  set_written(range, n_bytes);
  return {};
}

std::string mark_written(const Memory& memory, std::uint64_t address, std::uint64_t n_bytes) {
  if (n_bytes == 0) return {};
  const auto found = find_range(memory, "a write", address, n_bytes);
  if (const auto* problem = std::get_if<std::string>(&found)) return *problem;
  set_written(std::get<Range>(found), n_bytes);
  return {};
}

}  // namespace numpy_plugin::sim
