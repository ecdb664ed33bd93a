// mov beyond register to register, activemask, and instructions that are constant or have no
// effect.
#include <gtest/gtest.h>

#include "simulator/handlers/harness.hpp"
#include "simulator/handlers/inputs.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr LaneMask kSomeLanes = 0x0f0f'1248;

Lanes random_lanes(std::uint64_t seed, int n_bits) {
  InputMaker maker(seed);
  Lanes lanes;
  for (std::uint64_t& lane : lanes) lane = reference::cut(maker.bits(), n_bits);
  return lanes;
}

// The new value in active lanes, the poison of TestWarp in others.
void expect_written(const TestWarp& warp, int place, std::size_t n_bytes, const Lanes& expected,
                    LaneMask active) {
  const Lanes found = warp.read(place, n_bytes);
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    const bool is_active = (active >> lane & 1) != 0;
    const std::uint64_t untouched = reference::cut(kUntouched, static_cast<int>(8 * n_bytes));
    EXPECT_EQ(found[lane], is_active ? expected[lane] : untouched) << "lane " << lane;
  }
}

class handlers_move : public testing::TestWithParam<HostIsa> {};
INSTANTIATE_TEST_SUITE_P(isas, handlers_move, testing::ValuesIn(usable_isas()),
                         [](const auto& parameter) { return name_of(parameter.param); });

struct PackRow {
  const char* mnemonic;
  int n_parts;
  int part_bits;
};
constexpr PackRow kPackRows[] = {{"mov.b16", 2, 8},
                                 {"mov.b32", 4, 8},
                                 {"mov.b32", 2, 16},
                                 {"mov.b64", 2, 32},
                                 {"mov.b64", 4, 16}};

TEST_P(handlers_move, packs_the_first_part_lowest) {
  for (const PackRow& row : kPackRows) {
    TestWarp warp;
    Instruction instruction = make_instruction(row.mnemonic);
    instruction.result = TestWarp::place(0);
    instruction.n_list = static_cast<std::uint8_t>(row.n_parts);
    warp.warp().active = kSomeLanes;
    Lanes expected = {};
    for (int part = 0; part < row.n_parts; ++part) {
      const Lanes lanes = random_lanes(static_cast<std::uint64_t>(part), row.part_bits);
      warp.write(1 + part, static_cast<std::size_t>(row.part_bits / 8), lanes);
      warp.program().lists.push_back(TestWarp::place(1 + part));
      for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
        expected[lane] |= lanes[lane] << (part * row.part_bits);
      }
    }
    warp.run(GetParam(), instruction);
    expect_written(warp, 0, static_cast<std::size_t>(row.n_parts * row.part_bits / 8), expected,
                   kSomeLanes);
  }
}

TEST_P(handlers_move, unpacks_all_parts_but_sinks) {
  for (const PackRow& row : kPackRows) {
    TestWarp warp;
    Instruction instruction = make_instruction(row.mnemonic);
    instruction.a = TestWarp::place(0);
    instruction.n_list = static_cast<std::uint8_t>(row.n_parts);
    warp.warp().active = kSomeLanes;
    const int n_bits = row.n_parts * row.part_bits;
    const Lanes whole = random_lanes(7, n_bits);
    warp.write(0, static_cast<std::size_t>(n_bits / 8), whole);
    warp.program().lists.push_back(kNoSlot);
    for (int part = 1; part < row.n_parts; ++part) {
      warp.program().lists.push_back(TestWarp::place(1 + part));
    }
    warp.run(GetParam(), instruction);
    for (int part = 1; part < row.n_parts; ++part) {
      Lanes expected;
      for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
        expected[lane] = reference::cut(whole[lane] >> (part * row.part_bits), row.part_bits);
      }
      expect_written(warp, 1 + part, static_cast<std::size_t>(row.part_bits / 8), expected,
                     kSomeLanes);
    }
  }
}

TEST_P(handlers_move, packs_copies_and_unpacks_128_bits) {
  TestWarp warp;
  warp.warp().active = kSomeLanes;
  const Lanes low = random_lanes(1, 64);
  const Lanes high = random_lanes(2, 64);
  warp.write(1, 8, low);
  warp.write(2, 8, high);
  warp.program().lists = {TestWarp::place(1), TestWarp::place(2), TestWarp::place(5),
                          TestWarp::place(6)};
  Instruction pack = make_instruction("mov.b128");
  pack.result = TestWarp::place(3);
  pack.n_list = 2;
  Instruction copy = make_instruction("mov.b128");
  copy.result = TestWarp::place(4);
  copy.a = TestWarp::place(3);
  Instruction unpack = make_instruction("mov.b128");
  unpack.a = TestWarp::place(4);
  unpack.n_list = 2;
  unpack.list = 2;
  for (const Instruction& instruction : {pack, copy, unpack}) warp.run(GetParam(), instruction);
  expect_written(warp, 5, 8, low, kSomeLanes);
  expect_written(warp, 6, 8, high, kSomeLanes);
}

TEST_P(handlers_move, reads_constants_by_their_offset) {
  TestWarp warp;
  const Lanes lanes = random_lanes(3, 32);
  warp.write(1, 4, lanes);
  Instruction instruction = make_instruction("mov.u32");
  instruction.result = TestWarp::place(0);
  instruction.a = TestWarp::constant_place(1);
  warp.run(GetParam(), instruction);
  expect_written(warp, 0, 4, lanes, kAllLanes);
}

TEST_P(handlers_move, adds_where_the_frame_begins_to_addresses_in_it) {
  for (const char* mnemonic : {"mov.u64", "mov.u32"}) {
    TestWarp warp;
    warp.frame().local_offset = 0x140;
    Instruction instruction = make_instruction(mnemonic);
    instruction.result = TestWarp::place(0);
    instruction.a = TestWarp::place(1);
    instruction.is_in_frame = true;
    Lanes expected;
    expected.fill(0x10);
    warp.write(1, instruction.result_bytes, expected);
    expected.fill(0x150);
    warp.run(GetParam(), instruction);
    expect_written(warp, 0, instruction.result_bytes, expected, kAllLanes);
  }
}

TEST_P(handlers_move, reads_clocks) {
  TestWarp warp;
  warp.block().clock = 0x1'2345'6789;
  const auto read = [&](const char* mnemonic, SpecialRegister name) {
    Instruction instruction = make_instruction(mnemonic);
    instruction.result = TestWarp::place(0);
    instruction.target = static_cast<std::uint32_t>(name);
    warp.run(GetParam(), instruction);
    return warp.read(0, instruction.result_bytes)[31];
  };
  EXPECT_EQ(read("mov.u64", SpecialRegister::kClock64), 0x1'2345'6789u);
  EXPECT_EQ(read("mov.u32", SpecialRegister::kClock), 0x2345'6789u);
  const std::uint64_t before = read("mov.u64", SpecialRegister::kGlobaltimer);
  const std::uint64_t high = read("mov.u32", SpecialRegister::kGlobaltimerHi);
  EXPECT_GT(before, std::uint64_t{1'600'000'000} * 1'000'000'000);
  EXPECT_EQ(high, before >> 32);
  EXPECT_GE(read("mov.u64", SpecialRegister::kGlobaltimer), before);
}

TEST_P(handlers_move, gives_the_lanes_at_work) {
  TestWarp warp;
  warp.warp().active = kSomeLanes;
  Instruction instruction = make_instruction("activemask.b32");
  instruction.result = TestWarp::place(0);
  warp.run(GetParam(), instruction);
  Lanes expected;
  expected.fill(kSomeLanes);
  expect_written(warp, 0, 4, expected, kSomeLanes);
}

TEST_P(handlers_move, writes_a_result_where_a_source_lies) {
  TestWarp warp;
  warp.warp().active = kSomeLanes;
  const Lanes a = random_lanes(4, 32);
  const Lanes b = random_lanes(5, 32);
  warp.write(0, 4, a);
  warp.write(1, 4, b);
  Instruction instruction = make_instruction("add.cc.u32");
  instruction.result = TestWarp::place(0);
  instruction.second_result = TestWarp::place(2);
  instruction.a = TestWarp::place(0);
  instruction.b = TestWarp::place(1);
  warp.write_mask(2, 0);
  warp.run(GetParam(), instruction);
  const Lanes found = warp.read(0, 4);
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    const bool is_active = (kSomeLanes >> lane & 1) != 0;
    const std::uint64_t sum = a[lane] + b[lane];
    EXPECT_EQ(found[lane], is_active ? sum & 0xffff'ffff : a[lane]);
    EXPECT_EQ(warp.read_mask(2) >> lane & 1, is_active ? sum >> 32 : 0);
  }
}

TEST_P(handlers_move, leaves_a_carry_that_nothing_reads) {
  TestWarp warp;
  Instruction instruction = make_instruction("add.cc.u32");
  instruction.result = TestWarp::place(0);
  instruction.a = TestWarp::place(1);
  instruction.b = TestWarp::place(1);
  instruction.second_result = kNoSlot;
  warp.run(GetParam(), instruction);
  EXPECT_EQ(warp.read(0, 4)[0], reference::cut(2 * kUntouched, 32));
}

TEST_P(handlers_move, does_nothing_where_there_is_nothing_to_do) {
  for (const char* mnemonic : {"nanosleep.u32", "pmevent", "griddepcontrol.wait",
                               "cp.async.commit_group", "cp.async.wait_group"}) {
    TestWarp warp;
    const Lanes before = warp.read(0, 8);
    warp.run(GetParam(), make_instruction(mnemonic));
    EXPECT_EQ(warp.read(0, 8), before) << mnemonic;
  }
}

}  // namespace
}  // namespace numpy_plugin::sim
