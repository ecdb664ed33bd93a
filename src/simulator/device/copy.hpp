// Copies and fills of device memory with the driver's semantics: checks ranges and tracks writes.
#pragma once

#include <cstdint>
#include <string>

#include "simulator/device/memory.hpp"

namespace numpy_plugin::sim {

// If a range is not inside one allocation, does nothing and returns the error; otherwise returns an
// empty text.
std::string copy_in(const Memory& memory, std::uint64_t to, const void* from,
                    std::uint64_t n_bytes);
// Bytes never written are copied as 0xff: nan, or -1.
std::string copy_out(const Memory& memory, void* to, std::uint64_t from, std::uint64_t n_bytes);
// Unwritten bytes of the source become unwritten in the target; ranges may overlap.
std::string copy(const Memory& target, std::uint64_t to, const Memory& source, std::uint64_t from,
                 std::uint64_t n_bytes);
// An element is 1, 2 or 4 bytes.
std::string fill(const Memory& memory, std::uint64_t to, std::uint32_t element,
                 std::uint32_t element_bytes, std::uint64_t n_elements);

// Marks a range written from outside.
std::string mark_written(const Memory& memory, std::uint64_t address, std::uint64_t n_bytes);

}  // namespace numpy_plugin::sim
