// Loads and stores of every width and vector, with every address pattern, compared with a model.
#include <gtest/gtest.h>

#include "simulator/execute/checks/memory_environment.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr std::uint64_t kElements = 80;

class memory_shapes : public MemoryTest {
 protected:
  // A vector of n registers with a prefix: "{%a0, %a1}", or "%a0" for one.
  static std::string registers(const std::string& prefix, int n) {
    if (n == 1) return prefix + "0";
    std::string text = "{";
    for (int index = 0; index < n; ++index) {
      text += (index == 0 ? "" : ", ") + prefix + std::to_string(index);
    }
    return text + "}";
  }

  // Each active lane copies an element from source to target, each with its offset.
  void load_copy(const std::string& ordering_of_load, const std::string& ordering_of_store,
                 int n_bits, int n_elements) {
    const std::string bits = "b" + std::to_string(n_bits);
    const std::string vector = n_elements == 1 ? "" : ".v" + std::to_string(n_elements);
    const std::string pieces = registers("%v", n_elements);
    load(R"(.entry k(.param .u64 source, .param .u64 target, .param .u64 from, .param .u64 to,
                     .param .u64 mask) {
      .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<12>; .reg .)" +
         std::string(n_bits == 8 ? "b16" : bits) + R"( %v<8>;
      ld.param.u64 %rd0, [source]; ld.param.u64 %rd1, [target]; ld.param.u64 %rd2, [from];
      ld.param.u64 %rd3, [to]; ld.param.u32 %r1, [mask];
      mov.u32 %r0, %tid.x; mul.wide.u32 %rd4, %r0, 8;
      add.s64 %rd2, %rd2, %rd4; add.s64 %rd3, %rd3, %rd4;
      ld.global.u64 %rd5, [%rd2]; ld.global.u64 %rd6, [%rd3];
      add.s64 %rd5, %rd5, %rd0; add.s64 %rd6, %rd6, %rd1;
      shr.u32 %r2, %r1, %r0; and.b32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 0;
      @%p1 ld)" +
         ordering_of_load + ".global" + vector + "." + bits + " " + pieces + R"(, [%rd5+-64];
      @%p1 st)" +
         ordering_of_store + ".global" + vector + "." + bits + " [%rd6+-64], " + pieces +
         R"(; ret; })");
  }

  void expect_copies(int n_bytes) {
    const auto size = static_cast<std::uint64_t>(n_bytes);
    for (const AddressShape& from : shapes(random, kElements)) {
      for (const AddressShape& to : shapes(random, kElements)) {
        SCOPED_TRACE(from.name + " to " + to.name);
        expect_copy(from, to, from.lanes & to.lanes, size);
        if (HasFailure()) return;
      }
    }
  }

  void expect_copy(const AddressShape& from, const AddressShape& to, std::uint32_t lanes,
                   std::uint64_t size) {
    std::vector<std::uint8_t> source(kElements * size);
    for (auto& byte : source) byte = static_cast<std::uint8_t>(random());
    // Locations without a store stay unwritten, shown as 0xff by a copy to the host.
    std::vector<std::uint8_t> target(kElements * size, 0xff);
    const std::uint64_t source_address = buffer(source);
    const std::uint64_t target_address = memory.allocate(target.size(), "target").value();
    std::vector<std::uint64_t> from_offsets, to_offsets;
    for (std::size_t lane = 0; lane < 32; ++lane) {
      from_offsets.push_back(from.elements[lane] * size + 64);
      to_offsets.push_back(to.elements[lane] * size + 64);
      if ((lanes >> lane & 1) == 0) continue;
      std::copy_n(source.begin() + static_cast<long>(from.elements[lane] * size), size,
                  target.begin() + static_cast<long>(to.elements[lane] * size));
    }
    const std::uint64_t offsets[] = {buffer(from_offsets), buffer(to_offsets)};
    const Counters counters = run({1, 1, 1}, {32, 1, 1}, source_address, target_address, offsets[0],
                                  offsets[1], std::uint64_t{lanes});
    EXPECT_EQ(read<std::uint8_t>(target_address, target.size()), target);
    const auto n_lanes = static_cast<std::uint64_t>(std::popcount(lanes));
    EXPECT_EQ(counters.global_load_bytes, n_lanes * size + 2 * 32 * 8);
    EXPECT_EQ(counters.global_store_bytes, n_lanes * size);
    for (const std::uint64_t address : {source_address, target_address, offsets[0], offsets[1]}) {
      memory.free(address);
    }
  }
};

TEST_P(memory_shapes, copies_of_every_width_and_vector) {
  launch_.checks.races = false;  // of lanes with one target the last one's value remains
  const std::pair<int, int> most_elements[] = {{8, 4}, {16, 4}, {32, 8}, {64, 4}};
  for (const auto& [n_bits, most] : most_elements) {
    for (int n_elements = 1; n_elements <= most; n_elements *= 2) {
      SCOPED_TRACE(std::to_string(n_elements) + " of " + std::to_string(n_bits));
      load_copy("", "", n_bits, n_elements);
      expect_copies(n_elements * n_bits / 8);
      if (HasFailure()) return;
    }
  }
}

TEST_P(memory_shapes, ordered_copies) {
  for (const auto& [load, store] :
       {std::pair(".volatile", ".volatile"), std::pair(".relaxed.gpu", ".relaxed.sys"),
        std::pair(".acquire.gpu", ".release.gpu")}) {
    for (const int n_bits : {8, 16, 32, 64}) {
      SCOPED_TRACE(load + std::to_string(n_bits));
      load_copy(load, store, n_bits, 1);
      expect_copies(n_bits / 8);
      if (HasFailure()) return;
    }
  }
}

NPP_MEMORY_TESTS(memory_shapes);

}  // namespace
}  // namespace numpy_plugin::sim
