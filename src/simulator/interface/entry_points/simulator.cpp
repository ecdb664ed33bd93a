// Exports beyond the driver API.
#include "simulator/api/simulator_interface.hpp"

#include <algorithm>
#include <span>

#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/system/interruption.hpp"
#include "simulator/interface/linking/linker.hpp"
#include "simulator/interface/objects/device.hpp"

using namespace numpy_plugin::sim;

namespace {

const char* const kClassNames[] = {
    "integer",       "float32",      "float64", "half",           "special function",
    "conversion",    "move",         "control", "global load",    "global store",
    "shared access", "local access", "atomic",  "warp operation", "barrier"};
static_assert(std::size(kClassNames) == kInstructionClasses);
static_assert(std::size(NppSimulatorCounters{}.lanes_by_class) == kInstructionClasses);

}  // namespace

NPP_EXPORT int npp_simulator_count_devices() {
  int count = 0;
  answer([&] { count = count_visible_devices(); });
  return count;
}

NPP_EXPORT int npp_simulator_add_device(const NppSimulatorOptions* options) {
  int ordinal = -1;
  answer([&] {
    require_pointer(options);
    ordinal = add_device(device_options(*options));
  });
  return ordinal;
}

NPP_EXPORT void npp_simulator_remove_device(int ordinal) {
  answer([&] { remove_device(ordinal); });
}

NPP_EXPORT void npp_simulator_set_origin(const char* text) {
  this_thread().origin = text == nullptr ? "" : text;
}

NPP_EXPORT void npp_simulator_describe_code(const char* name, const NppSimulatorSource* sources,
                                            std::uint32_t n_sources,
                                            const NppSimulatorDeclaration* declaration) {
  CodeDescription& description = this_thread().next_code;
  description = {name, {}};
  if (declaration != nullptr) {
    description.declaration = {declaration->file, declaration->line, declaration->text};
  }
  for (const NppSimulatorSource& source : std::span(sources, n_sources)) {
    description.sources.push_back({source.label, source.file, source.first_line,
                                   numpy_plugin::base::split_lines(source.text)});
  }
}

NPP_EXPORT void npp_simulator_set_interruption_test(NppSimulatorInterruptionTest* test) {
  numpy_plugin::system::set_interruption_test(test);
}

NPP_EXPORT const char* npp_simulator_report() { return this_thread().report.c_str(); }

NPP_EXPORT void npp_simulator_read_counters(int ordinal, NppSimulatorCounters* to) {
  answer([&] {
    require_pointer(to);
    const Counters counters = find_device(ordinal)->counters();
    to->n_launches = counters.n_launches;
    to->n_blocks = counters.n_blocks;
    to->n_warps = counters.n_warps;
    to->warp_instructions = counters.warp_instructions;
    to->lane_instructions = counters.lane_instructions;
    std::copy(counters.lanes_by_class.begin(), counters.lanes_by_class.end(), to->lanes_by_class);
    to->divergent_branches = counters.divergent_branches;
    to->global_load_bytes = counters.global_load_bytes;
    to->global_store_bytes = counters.global_store_bytes;
    to->global_transactions = counters.global_transactions;
  });
}

NPP_EXPORT void npp_simulator_set_profiled(int ordinal, bool is_profiled) {
  answer([&] { find_device(ordinal)->set_profiled(is_profiled); });
}

NPP_EXPORT void npp_simulator_read_profile(int ordinal, NppSimulatorVisitLine* visit,
                                           void* context) {
  answer([&] {
    for (const LineProfile::Line& line : find_device(ordinal)->profile()) {
      const InstructionProfile& counts = line.counts;
      const NppSimulatorLine visited = {
          line.kernel.c_str(),       line.place.file.c_str(),  line.place.line,
          line.place.text.c_str(),   counts.warp_instructions, counts.lane_instructions,
          counts.divergent_branches, counts.global_requests,   counts.global_sectors,
          counts.global_bytes,       counts.shared_requests,   counts.shared_passes,
          counts.bank_conflicts};
      visit(context, &visited);
    }
  });
}

NPP_EXPORT const char* npp_simulator_class_name(int index) {
  return index >= 0 && index < kInstructionClasses ? kClassNames[index] : nullptr;
}

NPP_EXPORT void npp_simulator_set_linker_path(const char* path) {
  set_nvjitlink_path(path == nullptr ? "" : path);
}
