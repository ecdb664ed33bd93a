// Limits of control groups, read from directories that look like /proc and /sys.
#include "numpy_plugin/system/threads/thread_pool.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "numpy_plugin/system/file.hpp"

namespace numpy_plugin::system {
namespace {

class ControlGroupTest : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = root_.path() + name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text << "\n";
  }
  void join_group(const std::string& lines) { write("/proc/self/cgroup", lines); }
  void limit_group(const std::string& group, const std::string& text) {
    write("/sys/fs/cgroup" + group + "/cpu.max", text);
  }
  std::size_t limit() const { return processors_of_control_group(root_.path()); }

 private:
  TemporaryDirectory root_;
};

TEST_F(ControlGroupTest, is_absent_where_nothing_is_mounted) { EXPECT_EQ(limit(), 0u); }

TEST_F(ControlGroupTest, limits_by_quota_over_period) {
  join_group("0::/");
  limit_group("", "200000 100000");
  EXPECT_EQ(limit(), 2u);
}

TEST_F(ControlGroupTest, counts_a_part_of_a_processor_as_one) {
  join_group("0::/job");
  limit_group("/job", "150000 100000");
  EXPECT_EQ(limit(), 2u);
  limit_group("/job", "5000 100000");
  EXPECT_EQ(limit(), 1u);
}

TEST_F(ControlGroupTest, has_no_limit_with_max) {
  join_group("0::/job");
  limit_group("/job", "max 100000");
  EXPECT_EQ(limit(), 0u);
}

TEST_F(ControlGroupTest, is_limited_by_every_group_above) {
  join_group("0::/batch/job/step");
  limit_group("/batch/job/step", "800000 100000");
  limit_group("/batch/job", "max 100000");
  limit_group("/batch", "300000 100000");
  EXPECT_EQ(limit(), 3u);
}

TEST_F(ControlGroupTest, is_found_where_a_container_mounts_its_own_as_the_root) {
  join_group("0::/docker/4f2a");
  limit_group("", "400000 100000");
  EXPECT_EQ(limit(), 4u);
}

TEST_F(ControlGroupTest, of_version_1_is_read) {
  join_group("5:memory:/job\n4:cpu,cpuacct:/job\n0::/");
  write("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "250000");
  write("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000");
  EXPECT_EQ(limit(), 3u);
  write("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "-1");
  EXPECT_EQ(limit(), 0u);
}

TEST_F(ControlGroupTest, is_absent_where_files_are_malformed) {
  join_group("nothing\n0:\n0::job\n0::/job");
  for (const char* text : {"", "many 100000", "100000", "1 0", "nan nan", "-5 100000"}) {
    limit_group("/job", text);
    EXPECT_EQ(limit(), 0u) << text;
  }
}

TEST(AvailableProcessorsTest, respect_affinity) {
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof(before), &before), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  CPU_SET(first, &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(available_processors(), 1u);
  ASSERT_EQ(::sched_setaffinity(0, sizeof(before), &before), 0);
}

}  // namespace
}  // namespace numpy_plugin::system
