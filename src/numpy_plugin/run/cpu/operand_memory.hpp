// Memory of an elementwise loop's operands: overlaps, and copies between strided memory and
// contiguous buffers.
#pragma once

#include <npp/cpu/driver.hpp>

namespace numpy_plugin::run {

// Whether elements may be computed in any order and several at a time: no output overlaps another
// operand, except for an input that is the same array.
bool order_is_free(const npp::LoopShape& shape, char* const* operands, const long* steps, long n);

// Whether `n` elements, with strides in bytes, share no byte with a single element elsewhere.
bool is_apart(const char* element, long size, const char* start, long step, long n);

// Gathers into or scatters from a buffer.
void copy_elements(char* to, long to_step, const char* from, long from_step, long size, long n);

// Fills a 64-byte aligned buffer with copies of one element, in whole multiples of 64 bytes.
void fill_buffer(char* buffer, const char* element, long size, long n);

}  // namespace numpy_plugin::run
