// A device for tests of the engine: loads PTX, fills memory, launches kernels.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "simulator/assembly/parse.hpp"
#include "simulator/decode/decode.hpp"
#include "simulator/device/memory.hpp"
#include "simulator/execute/run/run_launch.hpp"
#include "simulator/handlers/builds.hpp"

namespace numpy_plugin::sim {

using Extents = std::array<std::uint32_t, 3>;

class ExecuteTest : public testing::Test {
 protected:
  // The text's first line is line 1 of the PTX, after a header on the same line.
  void load(const std::string& text) {
    const Module module = parse_ptx(".version 9.0 .target sm_100a .address_size 64 " + text);
    Decoding decoding;
    decoding.find_handler = handler_finder(isa);
    decoding.place = [this](const GlobalVariable& variable) {
      const std::uint64_t address = memory.allocate(variable.n_bytes, variable.name).value();
      EXPECT_EQ(fill(memory, address, 0, 1, variable.n_bytes), "");
      return address;
    };
    module_ = decode({module}, decoding);
    for (const auto& [name, variable] : module_.variables) {
      for (const Initializer& first : variable.initializers) put_first(name, variable, first);
    }
  }

  template <class T>
  std::uint64_t buffer(const std::vector<T>& values) {
    const std::uint64_t n_bytes = values.size() * sizeof(T);
    const std::uint64_t address = memory.allocate(n_bytes, "buffer").value();
    EXPECT_EQ(copy_in(memory, address, values.data(), n_bytes), "");
    return address;
  }

  template <class T>
  std::vector<T> read(std::uint64_t address, std::size_t n_values) {
    std::vector<T> values(n_values);
    EXPECT_EQ(copy_out(memory, values.data(), address, n_values * sizeof(T)), "");
    return values;
  }

  // The launch of the only kernel of the text.
  template <class... Arguments>
  Launch prepare(Extents grid, Extents block, Arguments... arguments) {
    launch_.program = module_.program.get();
    for (const FunctionCode& function : launch_.program->functions) {
      if (function.is_entry) launch_.entry = &function;
    }
    launch_.grid = grid;
    launch_.block = block;
    launch_.memory = &memory;
    launch_.parameters.assign(launch_.entry->parameter_bytes, std::byte{0});
    std::size_t index = 0;
    (put(index++, arguments), ...);
    return launch_;
  }

  template <class... Arguments>
  Counters run(Extents grid, Extents block, Arguments... arguments) {
    return run_launch(prepare(grid, block, arguments...));
  }

  // The fault of a failed launch, as "<code>: <text>".
  template <class... Arguments>
  std::string fault(Extents grid, Extents block, Arguments... arguments) {
    try {
      run(grid, block, arguments...);
    } catch (const KernelFault& found) {
      return std::to_string(found.code()) + ": " + found.what();
    }
    return "no fault";
  }

  HostIsa isa = usable_isas().back();  // of the handlers used by load()
  Memory memory{std::uint64_t{64} << 20};
  Launch launch_;  // settings for subsequent launches
  DecodedModule module_;

 private:
  template <class T>
  void put(std::size_t index, T value) {
    const ParameterPlace& place = launch_.entry->parameters.at(index);
    ASSERT_EQ(place.n_bytes, sizeof(T));
    std::memcpy(launch_.parameters.data() + place.offset, &value, sizeof(T));
  }

  void put_first(const std::string& name, const GlobalVariable& variable,
                 const Initializer& first) {
    std::string bytes = first.bytes;
    if (!first.symbol.empty()) {
      const std::uint64_t address =
          module_.addresses.at(first.symbol) + static_cast<std::uint64_t>(first.addend);
      bytes.assign(reinterpret_cast<const char*>(&address), sizeof(address));
    }
    ASSERT_LE(first.offset + bytes.size(), variable.n_bytes);
    ASSERT_EQ(
        copy_in(memory, module_.addresses.at(name) + first.offset, bytes.data(), bytes.size()), "");
  }
};

template <class T>
std::vector<T> counting(std::size_t n_values) {
  std::vector<T> values(n_values);
  std::iota(values.begin(), values.end(), T{0});
  return values;
}

}  // namespace numpy_plugin::sim
