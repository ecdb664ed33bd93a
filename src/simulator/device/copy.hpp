// Copies and fills of device memory as the driver does them: ranges checked, and what is written
// remembered.
#pragma once

#include <cstdint>
#include <string>

#include "simulator/device/memory.hpp"

namespace numpy_plugin::sim {

// Each does nothing and gives back what is wrong, where a range is not inside one allocation; else
// gives back an empty text.
std::string copy_in(const Memory& memory, std::uint64_t to, const void* from,
                    std::uint64_t n_bytes);
// Bytes that were never written come out as 0xff: nan, or -1.
std::string copy_out(const Memory& memory, void* to, std::uint64_t from, std::uint64_t n_bytes);
// Bytes that were not written at the source stay unwritten at the target; ranges may overlap.
std::string copy(const Memory& memory, std::uint64_t to, std::uint64_t from, std::uint64_t n_bytes);
// An element is 1, 2 or 4 bytes.
std::string fill(const Memory& memory, std::uint64_t to, std::uint32_t element,
                 std::uint32_t element_bytes, std::uint64_t n_elements);

// The range was written from outside.
std::string mark_written(const Memory& memory, std::uint64_t address, std::uint64_t n_bytes);

}  // namespace numpy_plugin::sim
