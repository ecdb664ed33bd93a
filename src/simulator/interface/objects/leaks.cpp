#include "simulator/interface/objects/leaks.hpp"

#include <algorithm>
#include <cstdlib>

#include "numpy_plugin/base/text.hpp"
#include "simulator/device/describe.hpp"
#include "simulator/interface/driver/reports.hpp"
#include "simulator/interface/objects/module.hpp"

namespace numpy_plugin::sim {
namespace {

bool is_of_module(std::uint64_t address) {
  const auto all = modules().all();
  return std::any_of(all.begin(), all.end(),
                     [&](const auto& module) { return module->has_variable_at(address); });
}

}  // namespace

void report_leaks(const Context& context) {
  if (!is_reported(Finding::kLeak)) return;
  std::uint64_t n_bytes = 0;
  std::int64_t n_leaks = 0;
  for (const Allocation& allocation : context.memory().living()) {
    if (is_of_module(allocation.extent.begin)) continue;
    ++n_leaks;
    n_bytes += allocation.extent.end - allocation.extent.begin;
    write_finding("leak: " + allocation_text(allocation) + " was not freed");
  }
  if (n_leaks == 0) return;
  write_finding("leaks of " + context.device().name() + ": " +
                base::counted(n_leaks, "allocation") + ", " + std::to_string(n_bytes) + " bytes");
}

void report_leaks_at_exit() {
  std::atexit([] {
    for (const auto& context : contexts().all()) report_leaks(*context);
  });
}

}  // namespace numpy_plugin::sim
