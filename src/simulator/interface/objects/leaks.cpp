#include "simulator/interface/objects/context.hpp"

#include <algorithm>
#include <cstdlib>

#include "numpy_plugin/base/text.hpp"
#include "simulator/device/memory.hpp"
#include "simulator/interface/driver/call.hpp"
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
    write_finding(format("leak: {} was not freed", allocation_text(allocation)));
  }
  if (n_leaks == 0) return;
  write_finding(format("leaks of {}: {}, {} bytes", context.device().name(),
                       base::counted(n_leaks, "allocation"), n_bytes));
}

void report_leaks_at_exit() {
  std::atexit([] {
    for (const auto& context : contexts().all()) report_leaks(*context);
  });
}

}  // namespace numpy_plugin::sim
