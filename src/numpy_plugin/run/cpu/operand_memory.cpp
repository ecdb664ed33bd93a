// Element sizes are run-time values here, so each copy is a switch over the five sizes of dtypes.
#include "numpy_plugin/run/cpu/elementwise_driver.hpp"

#include <cstdint>
#include <cstring>

namespace numpy_plugin::run {
namespace {

// n elements of `size` bytes, `step` bytes apart.
struct Span {
  std::uintptr_t low, high;  // the first byte and the one after the last
  long step, distance, size;

  Span(const char* start, long element_step, long element_size, long n)
      : step(element_step), distance(step < 0 ? -step : step), size(element_size) {
    const auto address = reinterpret_cast<std::uintptr_t>(start);
    const auto extent = static_cast<std::uintptr_t>((n - 1) * distance);
    low = step < 0 ? address - extent : address;
    high = low + extent + static_cast<std::uintptr_t>(size);
  }
};

// Whether no byte is shared: separate, or interleaved like two columns of one table.
bool are_disjoint(const Span& a, const Span& b) {
  if (a.high <= b.low || b.high <= a.low) return true;
  if (a.distance != b.distance || a.distance == 0) return false;
  const Span& first = a.low <= b.low ? a : b;
  const Span& second = a.low <= b.low ? b : a;
  const long offset =
      static_cast<long>((second.low - first.low) % static_cast<std::uintptr_t>(a.distance));
  return offset >= first.size && offset + second.size <= a.distance;
}

// Whether element i of one overlaps only element i of the other.
bool are_identical(const Span& a, const Span& b) {
  return a.low == b.low && a.step == b.step && a.distance >= a.size && a.distance >= b.size;
}

template <int size>
void copy_strided(char* to, long to_step, const char* from, long from_step, long n) {
  for (long i = 0; i < n; ++i) std::memcpy(to + i * to_step, from + i * from_step, size);
}

template <class Unsigned>
std::uint64_t repeat(const char* element) {
  Unsigned value = 0;
  std::memcpy(&value, element, sizeof(value));
  return value * (~std::uint64_t{0} / static_cast<Unsigned>(~Unsigned{0}));
}

}  // namespace

bool order_is_free(const npp::LoopShape& shape, char* const* operands, const long* steps, long n) {
  if (n <= 1) return true;
  for (int output = shape.n_inputs; output < shape.n_operands; ++output) {
    const Span written(operands[output], steps[output], shape.sizes[output], n);
    for (int other = 0; other < output; ++other) {
      const Span span(operands[other], steps[other], shape.sizes[other], n);
      const bool is_same = other < shape.n_inputs && are_identical(span, written);
      if (!is_same && !are_disjoint(span, written)) return false;
    }
  }
  return true;
}

bool are_apart_or_same(const npp::LoopShape& shape, char* const* operands, long n) {
  for (int output = shape.n_inputs; output < shape.n_operands; ++output) {
    const char* const written = operands[output];
    const long size = shape.sizes[output];
    for (int other = 0; other < output; ++other) {
      const char* const start = operands[other];
      const bool is_same = other < shape.n_inputs && start == written && shape.sizes[other] == size;
      const bool overlaps = start < written + n * size && written < start + n * shape.sizes[other];
      if (overlaps && !is_same) return false;
    }
  }
  return true;
}

bool is_apart(const char* element, long size, const char* start, long step, long n) {
  return are_disjoint(Span(element, size, size, 1), Span(start, step, size, n));
}

void copy_elements(char* to, long to_step, const char* from, long from_step, long size, long n) {
  if (to_step == size && from_step == size && n > 1) {
    std::memcpy(to, from, static_cast<std::size_t>(n * size));
    return;
  }
  switch (size) {
    case 1:
      return copy_strided<1>(to, to_step, from, from_step, n);
    case 2:
      return copy_strided<2>(to, to_step, from, from_step, n);
    case 4:
      return copy_strided<4>(to, to_step, from, from_step, n);
    case 8:
      return copy_strided<8>(to, to_step, from, from_step, n);
    default:
      return copy_strided<16>(to, to_step, from, from_step, n);
  }
}

void fill_buffer(char* buffer, const char* element, long size, long n) {
  std::uint64_t low = 0;
  switch (size) {
    case 1:
      low = repeat<std::uint8_t>(element);
      break;
    case 2:
      low = repeat<std::uint16_t>(element);
      break;
    case 4:
      low = repeat<std::uint32_t>(element);
      break;
    default:
      std::memcpy(&low, element, 8);
  }
  std::uint64_t high = low;
  if (size == 16) std::memcpy(&high, element + 8, 8);
  using Pattern = std::uint64_t __attribute__((vector_size(16)));
  const Pattern pattern = {low, high};
  for (long i = 0; i < n * size; i += 64) {
    for (long part = 0; part < 64; part += 16) std::memcpy(buffer + i + part, &pattern, 16);
  }
}

}  // namespace numpy_plugin::run
