// What the loops of every kernel share: which operands overlap, and copies between strided memory
// and contiguous buffers. Nothing here depends on a kernel, so that it is compiled once a file.
#pragma once

#include "numpy_plugin/cpu_memory.hpp"

namespace npp {

#if defined(__clang__)
#define NPP_SHARED __attribute__((noinline, unused)) static
#else
#define NPP_SHARED __attribute__((noinline, noclone, unused)) static
#endif

// n elements of `size` bytes, `step` bytes apart.
struct Span {
  char* start;
  intp step, size, n;

  NPP_FUNCTION intp distance() const { return step < 0 ? -step : step; }
  NPP_FUNCTION uint64 low() const { return uint64(start) + uint64(step < 0 ? (n - 1) * step : 0); }
  NPP_FUNCTION uint64 high() const {
    return uint64(start) + uint64((step > 0 ? (n - 1) * step : 0) + size);
  }
};

// No byte of one is a byte of the other: apart, or interleaved like two columns of one table.
NPP_FUNCTION bool are_disjoint(const Span& a, const Span& b) {
  if (a.high() <= b.low() || b.high() <= a.low()) return true;
  if (a.distance() != b.distance() || a.step == 0) return false;
  const Span& first = a.low() <= b.low() ? a : b;
  const Span& second = a.low() <= b.low() ? b : a;
  const intp offset = intp((second.low() - first.low()) % uint64(a.distance()));
  return offset >= first.size && offset + second.size <= a.distance();
}

// Element i of one meets element i of the other and no further one.
NPP_FUNCTION bool are_identical(const Span& a, const Span& b) {
  return a.start == b.start && a.step == b.step && a.distance() >= a.size && a.distance() >= b.size;
}

// Whether elements may be computed in any order and several at a time: no output is part of another
// operand, but for an input that is the same array.
NPP_SHARED bool order_is_free(char* const* operands, const intp* steps, const uint8* sizes,
                              int n_inputs, int n_operands, intp n) {
  if (n <= 1) return true;
  for (int output = n_inputs; output < n_operands; ++output) {
    const Span written{operands[output], steps[output], sizes[output], n};
    if (written.distance() < written.size) return false;
    for (int other = 0; other < output; ++other) {
      const Span span{operands[other], steps[other], sizes[other], n};
      if (are_disjoint(span, written) || (other < n_inputs && are_identical(span, written)))
        continue;
      return false;
    }
  }
  return true;
}

template <class T>
NPP_FUNCTION void copy_as(char* to, intp to_step, const char* from, intp from_step, intp n) {
  for (intp i = 0; i < n; ++i, to += to_step, from += from_step) {
    __builtin_memcpy(to, from, sizeof(T));
  }
}

// Gathers into or scatters from a buffer. Steps are in bytes.
NPP_SHARED void copy_elements(char* to, intp to_step, const char* from, intp from_step, intp size,
                              intp n) {
  if (to_step == size && from_step == size) {
    __builtin_memcpy(to, from, uint64(n * size));
    return;
  }
  switch (size) {
    case 1:
      return copy_as<uint8>(to, to_step, from, from_step, n);
    case 2:
      return copy_as<uint16>(to, to_step, from, from_step, n);
    case 4:
      return copy_as<uint32>(to, to_step, from, from_step, n);
    case 8:
      return copy_as<uint64>(to, to_step, from, from_step, n);
    default:
      return copy_as<complex128>(to, to_step, from, from_step, n);
  }
}

// The element repeated to 16 bytes.
struct Pattern {
  uint64 low, high;
};
NPP_FUNCTION Pattern pattern_of(const char* element, intp size) {
  uint64 word = 0;
  switch (size) {
    case 1:
      word = Memory<uint8>::load(element) * 0x0101010101010101ul;
      break;
    case 2:
      word = Memory<uint16>::load(element) * 0x0001000100010001ul;
      break;
    case 4:
      word = Memory<uint32>::load(element) * 0x0000000100000001ul;
      break;
    case 8:
      word = Memory<uint64>::load(element);
      break;
    default:
      return Memory<Pattern>::load(element);
  }
  return {word, word};
}

// Fills a buffer with copies of one element, in steps of 64 bytes: buffers are multiples of that.
NPP_SHARED void fill_buffer(char* buffer, const char* element, intp size, intp n) {
  using Line = uint64 __attribute__((vector_size(64), aligned(64), may_alias));
  const Pattern pattern = pattern_of(element, size);
  const Line line = {pattern.low, pattern.high, pattern.low, pattern.high,
                     pattern.low, pattern.high, pattern.low, pattern.high};
  for (intp i = 0; i < n * size; i += 64) *reinterpret_cast<Line*>(buffer + i) = line;
}

}  // namespace npp
