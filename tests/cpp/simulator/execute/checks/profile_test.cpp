// Profiles of launches: exact counts of small kernels.
#include <gtest/gtest.h>

#include "simulator/execute/checks/launch_profile.hpp"
#include "simulator/execute/environment.hpp"

namespace numpy_plugin::sim {
namespace {

class profile : public ExecuteTest {
 protected:
  // Runs a kernel with one pointer to 4 KiB, and returns the sums of its instructions on a line.
  InstructionProfile run_line(const std::string& text, int line, std::uint32_t n_threads = 32) {
    load(text);
    Profile found;
    launch_.profile = &found;
    run({2, 1, 1}, {n_threads, 1, 1}, buffer(std::vector<std::uint32_t>(1024)));
    InstructionProfile sum;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (module_.program->code[i].line == line) sum += found[i];
    }
    return sum;
  }

  static std::string access(const std::string& line, int stride) {
    return ".entry k(.param .u64 p) { .reg .b64 %p<4>; .reg .b32 %x, %s, %v<4>; .reg .pred %q;\n"
           ".shared .align 16 .b8 s[8192]; mov.u32 %x, %tid.x; ld.param.u64 %p0, [p];\n"
           "mul.lo.u32 %x, %x, " +
           std::to_string(stride) +
           "; mad.wide.u32 %p1, %x, 1, %p0; mov.u32 %s, s; add.u32 %s, %s, %x;\n" + line +
           "\nret; }";
  }
};

TEST_F(profile, counts_the_sectors_of_requests) {
  const std::string load = "ld.global.u32 %v0, [%p1];";
  const auto row = run_line(access(load, 4), 4);
  EXPECT_EQ(row.warp_instructions, 2u);
  EXPECT_EQ(row.lane_instructions, 64u);
  EXPECT_EQ(row.global_requests, 2u);
  EXPECT_EQ(row.global_sectors, 2u * 4);
  EXPECT_EQ(row.global_bytes, 2u * 128);
  EXPECT_EQ(run_line(access(load, 8), 4).global_sectors, 2u * 8);
  EXPECT_EQ(run_line(access(load, 128), 4).global_sectors, 2u * 32);
  EXPECT_EQ(run_line(access(load, 0), 4).global_sectors, 2u);
  EXPECT_EQ(run_line(access("st.global.u32 [%p1], %x;", 128), 4).global_sectors, 2u * 32);
  EXPECT_EQ(run_line(access("atom.global.add.u32 %v0, [%p1], 1;", 0), 4).global_sectors, 2u);
  EXPECT_EQ(run_line(access(load, 4), 4, 8).global_sectors, 2u);
  EXPECT_EQ(run_line(access(load, 4), 3).global_requests, 0u);
}

TEST_F(profile, counts_passes_over_the_banks_of_shared_memory) {
  const std::string store = "st.shared.u32 [%s], %x;";
  const auto expect = [&](const std::string& text, std::uint64_t n_passes,
                          std::uint64_t n_conflicts) {
    const auto found = run_line(text, 4);
    EXPECT_EQ(found.shared_requests, 2u) << text;
    EXPECT_EQ(found.shared_passes, 2 * n_passes) << text;
    EXPECT_EQ(found.bank_conflicts, 2 * n_conflicts) << text;
    EXPECT_EQ(found.global_requests, 0u) << text;
  };
  expect(access(store, 4), 1, 0);
  expect(access(store, 8), 2, 1);
  expect(access(store, 12), 1, 0);
  expect(access(store, 128), 32, 31);
  expect(access("st.shared.u8 [%s], %x;", 1), 1, 0);
  expect(access("st.shared.u64 [%s], %p0;", 8), 2, 0);
  expect(access("st.shared.u64 [%s], %p0;", 16), 4, 2);
  expect(access("st.shared.v4.u32 [%s], {%x, %x, %x, %x};", 16), 4, 0);
  expect(access("cvt.u64.u32 %p1, %s; cvta.shared.u64 %p1, %p1; st.u32 [%p1], %x;", 128), 32, 31);
}

TEST_F(profile, of_one_word_for_all_lanes_has_no_conflict) {
  std::uint64_t offsets[kWarpSize] = {};
  EXPECT_EQ(bank_passes(offsets, kAllLanes, 4).n_passes, 1u);
  offsets[5] = 128;
  EXPECT_EQ(bank_passes(offsets, kAllLanes, 4).n_passes, 2u);
  EXPECT_EQ(bank_passes(offsets, kAllLanes & ~(1u << 5), 4).n_passes, 1u);
}

TEST_F(profile, counts_divergent_branches_and_the_trips_of_loops) {
  const char* const text =
      R"(.entry k(.param .u64 p) { .reg .b32 %x, %n; .reg .pred %q; mov.u32 %x, %tid.x;
    and.b32 %n, %x, 1; setp.eq.u32 %q, %n, 0;
    @%q bra EVEN;
    add.u32 %n, %n, 1;
    EVEN: mov.u32 %n, 0;
    LOOP: add.u32 %n, %n, 1;
    setp.lt.u32 %q, %n, 7; @%q bra LOOP;
    setp.lt.u32 %q, %x, 32; @%q bra END; END: ret; })";
  EXPECT_EQ(run_line(text, 3).divergent_branches, 2u);
  EXPECT_EQ(run_line(text, 3, 64).divergent_branches, 2u * 2);
  EXPECT_EQ(run_line(text, 4).warp_instructions, 2u);
  EXPECT_EQ(run_line(text, 4).lane_instructions, 2u * 16);
  EXPECT_EQ(run_line(text, 6).lane_instructions, 2u * 32 * 7);
  EXPECT_EQ(run_line(text, 7).divergent_branches, 0u);
  EXPECT_EQ(run_line(text, 8, 64).divergent_branches, 0u);
}

// The counters are of the launch, whether it is profiled or not.
TEST_F(profile, has_the_sums_of_the_counters) {
  load(access(
      "ld.global.u32 %v0, [%p1]; setp.lt.u32 %q, %x, 64; @%q st.shared.u32 [%s], %x; bar.sync 0;",
      8));
  const std::uint64_t data = buffer(std::vector<std::uint32_t>(1024));
  const Counters plain = run({4, 1, 1}, {96, 1, 1}, data);
  Profile found;
  launch_.profile = &found;
  const Counters profiled = run({4, 1, 1}, {96, 1, 1}, data);
  InstructionProfile sum;
  for (const InstructionProfile& each : found) sum += each;
  EXPECT_EQ(sum.warp_instructions, plain.warp_instructions);
  EXPECT_EQ(sum.lane_instructions, plain.lane_instructions);
  EXPECT_EQ(sum.global_sectors, plain.global_transactions);
  EXPECT_EQ(profiled.lanes_by_class, plain.lanes_by_class);
}

TEST_F(profile, counts_an_instruction_that_reads_uninitialized_memory_once) {
  load(access("ld.global.u32 %v0, [%p1];", 4));
  Profile found;
  launch_.profile = &found;
  run({1, 1, 1}, {32, 1, 1}, memory.allocate(4096, "unwritten").value());
  InstructionProfile sum;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (module_.program->code[i].line == 4) sum += found[i];
  }
  EXPECT_EQ(sum.warp_instructions, 1u);
  EXPECT_EQ(sum.lane_instructions, 32u);
  EXPECT_EQ(sum.global_requests, 1u);
}

}  // namespace
}  // namespace numpy_plugin::sim
