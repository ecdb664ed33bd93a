// Selection among the builds of the handlers that this library has.
#include "simulator/handlers/builds.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace numpy_plugin::sim {
namespace {

constexpr HostIsa kMachines[] = {HostIsa::kBaseline, HostIsa::kAvx2, HostIsa::kAvx512};

TEST(handlers_builds, machine_gets_builds_that_it_can_execute) {
  const auto all = usable_handlers(HostIsa::kAvx512);
  ASSERT_FALSE(all.empty());
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end(),
                             [](const auto& a, const auto& b) { return a.isa < b.isa; }));
  for (const HostIsa machine : kMachines) {
    const auto usable = usable_handlers(machine);
    const auto n_expected = std::count_if(
        all.begin(), all.end(), [&](const HandlerBuild& build) { return build.isa <= machine; });
    ASSERT_EQ(static_cast<std::ptrdiff_t>(usable.size()), n_expected) << name_of(machine);
    for (const HandlerBuild& build : usable) EXPECT_LE(build.isa, machine) << name_of(machine);
  }
}

TEST(handlers_builds, best_build_of_this_machine_is_taken) {
  EXPECT_EQ(why_no_handlers(), "");
  EXPECT_EQ(handler_finder(), handler_finder(usable_isas().back()));
}

// As where a library is copied to a lesser machine.
TEST(handlers_builds, library_for_better_machines_says_so) {
  const std::string needed = name_of(usable_handlers(HostIsa::kAvx512)[0].isa);
  for (const HostIsa machine : kMachines) {
    const std::string reason = why_no_handlers(machine);
    if (!usable_handlers(machine).empty()) {
      EXPECT_EQ(reason, "") << name_of(machine);
      continue;
    }
    EXPECT_NE(reason.find("for processors with '" + needed + "'"), std::string::npos) << reason;
    EXPECT_NE(reason.find("this one has is '" + std::string(name_of(machine)) + "'"),
              std::string::npos)
        << reason;
    EXPECT_NE(reason.find("-DNPP_SIM_LEVELS=all"), std::string::npos) << reason;
  }
}

}  // namespace
}  // namespace numpy_plugin::sim
