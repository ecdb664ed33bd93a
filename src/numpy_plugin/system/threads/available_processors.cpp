// Formats: cgroups(7) for /proc/self/cgroup, "Interface Files" of cgroup-v2.rst for cpu.max, and
// sched-bwc.rst for cpu.cfs_quota_us. Inside a container a group's directory may be missing while
// the one of the container is mounted as the root: missing files limit nothing.
#include "numpy_plugin/system/threads/thread_pool.hpp"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string_view>
#include <thread>

#include "numpy_plugin/system/file.hpp"

namespace numpy_plugin::system {
namespace {

// 0 where the text does not begin with a number: "max", and -1 as a quota, are no limit.
std::size_t number_in(std::string_view text) {
  std::size_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::size_t processors_for(std::string_view quota, std::string_view period) {
  const std::size_t time = number_in(quota), interval = number_in(period);
  return interval == 0 ? 0 : time / interval + (time % interval == 0 ? 0 : 1);
}

// The limit of one directory; 0 without one.
std::size_t limit_of_version_2(const std::string& directory) {
  const std::string found = read_file(directory + "/cpu.max").value_or("");
  const std::size_t space = found.find(' ');
  if (space == std::string::npos) return 0;
  return processors_for(std::string_view(found).substr(0, space),
                        std::string_view(found).substr(space + 1));
}

std::size_t limit_of_version_1(const std::string& directory) {
  return processors_for(read_file(directory + "/cpu.cfs_quota_us").value_or(""),
                        read_file(directory + "/cpu.cfs_period_us").value_or(""));
}

std::size_t lower_limit(std::size_t first, std::size_t second) {
  return first == 0 || second == 0 ? std::max(first, second) : std::min(first, second);
}

// Of the group and all groups above it. `mount` is where the hierarchy is mounted.
template <typename LimitOfDirectory>
std::size_t lowest_limit(const std::string& mount, std::string group,
                         const LimitOfDirectory& limit_of) {
  std::size_t limit = limit_of(mount);
  while (group.size() > 1) {
    limit = lower_limit(limit, limit_of(mount + group));
    group.resize(group.rfind('/'));
  }
  return limit;
}

// One line of /proc/self/cgroup: hierarchy:controllers:group. Version 2 names no controllers.
std::size_t limit_of_line(const std::string& mounts, const std::string& line) {
  const std::size_t first = line.find(':');
  const std::size_t second = line.find(':', first + 1);
  if (first == std::string::npos || second == std::string::npos) return 0;
  const std::string controllers = line.substr(first + 1, second - first - 1);
  std::string group = line.substr(second + 1);
  if (group.empty() || group[0] != '/') return 0;
  if (controllers.empty()) return lowest_limit(mounts, group, limit_of_version_2);
  const bool is_of_processors = ("," + controllers + ",").find(",cpu,") != std::string::npos;
  if (!is_of_processors) return 0;
  return lowest_limit(mounts + "/" + controllers, group, limit_of_version_1);
}

std::size_t processors_of_affinity() {
#if defined(__linux__)
  cpu_set_t processors;
  if (::sched_getaffinity(0, sizeof(processors), &processors) == 0) {
    return static_cast<std::size_t>(CPU_COUNT(&processors));
  }
#endif
  return std::max<std::size_t>(1, std::thread::hardware_concurrency());
}

}  // namespace

std::size_t processors_of_control_group(const std::string& root) {
  std::istringstream lines(read_file(root + "/proc/self/cgroup").value_or(""));
  std::size_t limit = 0;
  for (std::string line; std::getline(lines, line);) {
    limit = lower_limit(limit, limit_of_line(root + "/sys/fs/cgroup", line));
  }
  return limit;
}

std::size_t available_processors() {
  return lower_limit(processors_of_affinity(), processors_of_control_group(""));
}

}  // namespace numpy_plugin::system
