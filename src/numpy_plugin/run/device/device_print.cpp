#include "numpy_plugin/run/device/device_module.hpp"

#include <atomic>

#include "numpy_plugin/run/device/device.hpp"
#include "numpy_plugin/run/reports/kernel_reports.hpp"

namespace numpy_plugin::run {
namespace {

using npp::PrintedLine;
using npp::PrintRing;

// Lines lost since the last call.
std::uint64_t take_losses(PrintRing& ring) {
  const npp::uint64 n_lost = std::atomic_ref(ring.n_lost).load();
  return n_lost - std::atomic_ref(ring.n_told).exchange(n_lost);
}

// A line belongs to the thread that advances `n_read` over it; until then its place is not reused.
void show_lines(PrintRing& ring) {
  const std::atomic_ref n_read(ring.n_read);
  npp::uint64 n_shown = n_read.load();
  while (true) {
    PrintedLine& line = ring.lines[n_shown % PrintRing::kLines];
    const std::atomic_ref number(line.number);
    if (number.load(std::memory_order_acquire) != n_shown + 1) return;
    const PrintedLine shown = line;
    if (!n_read.compare_exchange_strong(n_shown, n_shown + 1)) continue;
    ++n_shown;
    show_line(shown.text, shown.bits, npp::kMaxPrintedNumbers);
  }
}

}  // namespace

void connect_print(Device& device, CUmodule module) {
  const load::Driver& driver = device.driver();
  CUdeviceptr variable = 0;
  std::size_t n_bytes = 0;
  driver.check(driver.cuModuleGetGlobal(&variable, &n_bytes, module, kPrintVariable),
               "to find the buffer of print in compiled code");
  PrintRing* const ring = device.print_ring();
  driver.check(copy_apart(driver, variable, &ring, sizeof ring), "to set the buffer of print");
}

void show_printed(const Device& device) {
  PrintRing* const ring = device.print_ring_if_any();
  if (ring == nullptr) return;
  show_lines(*ring);
  if (const std::uint64_t n_lost = take_losses(*ring); n_lost > 0) tell_lost_lines(n_lost);
}

}  // namespace numpy_plugin::run
