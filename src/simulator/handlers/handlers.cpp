// Selects the handlers' build for the host. CMake defines which ones there are.
#include "simulator/handlers/handlers.hpp"

#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::sim {

namespace baseline {
Handler find_handler(const Instruction& instruction);
}
namespace avx2 {
Handler find_handler(const Instruction& instruction);
}
namespace avx512 {
Handler find_handler(const Instruction& instruction);
}

namespace {

// The best last.
constexpr HandlerBuild kBuilds[] = {
#ifdef NPP_HAS_HANDLERS_baseline
    {HostIsa::kBaseline, baseline::find_handler},
#endif
#ifdef NPP_HAS_HANDLERS_avx2
    {HostIsa::kAvx2, avx2::find_handler},
#endif
#ifdef NPP_HAS_HANDLERS_avx512
    {HostIsa::kAvx512, avx512::find_handler},
#endif
};

}  // namespace

std::span<const HandlerBuild> usable_handlers(HostIsa machine) {
  std::size_t n_usable = 0;
  for (const HandlerBuild& build : kBuilds) n_usable += build.isa <= machine ? 1 : 0;
  return std::span(kBuilds).first(n_usable);
}

std::string why_no_handlers(HostIsa machine) {
  if (!usable_handlers(machine).empty()) return "";
  return format(
      "the simulator was built on another machine, for processors with '{}'; the best that this "
      "one has is '{}'; build it here, or with -DNPP_SIM_LEVELS=all for every machine",
      name_of(kBuilds[0].isa), name_of(machine));
}

HandlerFinder handler_finder() {
  const std::span<const HandlerBuild> usable = usable_handlers();
  if (usable.empty()) throw base::Error(base::ErrorKind::kSimulator, why_no_handlers());
  return usable.back().find_handler;
}

}  // namespace numpy_plugin::sim
