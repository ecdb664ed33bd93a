// Profiles of a device's launches, by kernel and source line.
#include "simulator/interface/client.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr char kPtx[] =
    R"(.version 9.0 .target sm_90 .address_size 64
    .entry touch(.param .u64 p) { .reg .b64 %p<3>; .reg .b32 %x; .reg .pred %q;
    .loc 1 2 3
    ld.param.u64 %p0, [p]; mov.u32 %x, %tid.x; mul.wide.u32 %p1, %x, 8; add.u64 %p1, %p1, %p0;
    st.global.u32 [%p1], 1;
    .loc 1 3 3
    and.b32 %x, %x, 1; setp.eq.u32 %q, %x, 0; @%q bra END;
    st.global.u32 [%p0], 1; END: ret; }
    .file 1 "<source of 'touch'>")";

struct Line {
  std::string kernel, file, text;
  NppSimulatorLine counts;
};

class InterfaceProfile : public testing::Test {
 protected:
  void launch_touch() {
    ASSERT_CUDA(launch(touch_, 2, 32, {&data_}));
    ASSERT_CUDA(the_driver().cuCtxSynchronize());
  }
  void set_profiled(bool is_profiled) {
    entry_point<NppSimulatorSetProfiled>("npp_simulator_set_profiled")(device_.ordinal(),
                                                                       is_profiled);
  }
  std::vector<Line> lines() {
    std::vector<Line> found;
    entry_point<NppSimulatorReadProfile>("npp_simulator_read_profile")(
        device_.ordinal(),
        [](void* context, const NppSimulatorLine* line) {
          static_cast<std::vector<Line>*>(context)->push_back(
              {line->kernel, line->file, line->text, *line});
        },
        &found);
    return found;
  }

  CUmodule load_described() {
    const NppSimulatorSource source = {"<source of 'touch'>", "model.py", 11,
                                       "def touch(p):\n    p[2 * i] = 1\n    if i % 2: p[0] = 1\n"};
    the_driver().describe_code("touching", &source, 1, nullptr);
    return load_ptx(kPtx);
  }

  SimulatedDevice device_;
  CUdeviceptr data_ = to_device(std::vector<int>(64));
  CUfunction touch_ = get_function(load_described(), "touch");
};

TEST_F(InterfaceProfile, HasTheLinesOfTheSource) {
  set_profiled(true);
  launch_touch();
  const std::vector<Line> found = lines();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].kernel, "touching");
  EXPECT_EQ(found[0].file, "model.py");
  EXPECT_EQ(found[0].counts.line, 12u);
  EXPECT_EQ(found[0].text, "    p[2 * i] = 1");
  EXPECT_EQ(found[0].counts.warp_instructions, 2u * 5);
  EXPECT_EQ(found[0].counts.lane_instructions, 2u * 5 * 32);
  EXPECT_EQ(found[0].counts.divergent_branches, 0u);
  EXPECT_EQ(found[0].counts.global_requests, 2u);
  EXPECT_EQ(found[0].counts.global_sectors, 2u * 8);
  EXPECT_EQ(found[0].counts.global_bytes, 2u * 128);
  EXPECT_EQ(found[1].counts.line, 13u);
  EXPECT_EQ(found[1].text, "    if i % 2: p[0] = 1");
  EXPECT_EQ(found[1].counts.divergent_branches, 2u);
  EXPECT_EQ(found[1].counts.global_sectors, 2u);
}

TEST_F(InterfaceProfile, AddsUpLaunchesUntilItEnds) {
  launch_touch();
  EXPECT_TRUE(lines().empty());
  set_profiled(true);
  EXPECT_TRUE(lines().empty());
  launch_touch();
  launch_touch();
  ASSERT_EQ(lines().size(), 2u);
  EXPECT_EQ(lines()[0].counts.warp_instructions, 2u * 2 * 5);
  set_profiled(true);
  EXPECT_TRUE(lines().empty());
  set_profiled(false);
  launch_touch();
  EXPECT_TRUE(lines().empty());
}

TEST_F(InterfaceProfile, HasLinesOfThePtxWithoutLineInformation) {
  std::string text = kPtx;
  for (std::size_t at = text.find(".loc"); at != std::string::npos; at = text.find(".loc")) {
    text.erase(at, text.find('\n', at) - at);
  }
  touch_ = get_function(load_ptx(text), "touch");
  set_profiled(true);
  launch_touch();
  const std::vector<Line> found = lines();
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[1].kernel, "touch");
  EXPECT_EQ(found[1].file, "");
  EXPECT_EQ(found[1].text, "");
  EXPECT_EQ(found[1].counts.line, 5u);
  EXPECT_EQ(found[1].counts.global_sectors, 2u * 8);
}

}  // namespace
}  // namespace numpy_plugin::sim
