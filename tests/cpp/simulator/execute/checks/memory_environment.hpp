// For tests of memory instructions: handlers of every instruction set that the machine supports,
// and the address patterns of a warp.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "simulator/execute/environment.hpp"

namespace numpy_plugin::sim {

inline std::string isa_name(const testing::TestParamInfo<HostIsa>& info) {
  return name_of(info.param);
}

class MemoryTest : public ExecuteTest, public testing::WithParamInterface<HostIsa> {
 protected:
  MemoryTest() { isa = GetParam(); }

  bool finds(const std::string& text, const std::string& part) {
    if (text.find(part) != std::string::npos) return true;
    ADD_FAILURE() << "'" << part << "' is not in '" << text << "'";
    return false;
  }

  std::mt19937 random{7};
};

#define NPP_MEMORY_TESTS(suite) \
  INSTANTIATE_TEST_SUITE_P(, suite, testing::ValuesIn(usable_isas()), isa_name)

// Elements of a buffer accessed by the 32 lanes, and the active lanes.
struct AddressShape {
  std::string name;
  std::vector<std::uint64_t> elements;
  std::uint32_t lanes = 0xffffffff;
};

inline std::vector<AddressShape> shapes(std::mt19937& random, std::uint64_t n_elements) {
  const auto make = [&](const std::string& name, std::uint32_t lanes, const auto& element) {
    AddressShape shape = {name, {}, lanes};
    for (std::uint64_t lane = 0; lane < 32; ++lane) shape.elements.push_back(element(lane));
    return shape;
  };
  const auto any = [&](std::uint64_t) { return random() % n_elements; };
  const auto row = [](std::uint64_t lane) { return lane + 3; };
  const auto bits = [&] { return static_cast<std::uint32_t>(random()); };
  return {make("row", 0xffffffff, row),
          make("row of the first lanes", 0x000007ff, row),
          make("row of the last lanes", 0xfff00000, row),
          make("row of one lane", 0x00000100, row),
          make("row with holes", 0x0f0f3001, row),
          make("row of no lane", 0, row),
          make("row from the begin", 0xffffffff, [](std::uint64_t lane) { return lane; }),
          make("row to the end", 0xffffffff,
               [&](std::uint64_t lane) { return n_elements - 32 + lane; }),
          make("row backwards", 0xffffffff, [](std::uint64_t lane) { return 31 - lane; }),
          make("every second", 0xffffffff, [](std::uint64_t lane) { return 2 * lane; }),
          make("one for all", 0xffffffff, [](std::uint64_t) { return std::uint64_t{5}; }),
          make("one for some", 0x80c00001, [](std::uint64_t) { return std::uint64_t{6}; }),
          make("two", 0xffffffff, [](std::uint64_t lane) { return lane / 16; }),
          make("any", 0xffffffff, any),
          make("any of some", bits(), any),
          make("any of some others", bits(), any)};
}

}  // namespace numpy_plugin::sim
