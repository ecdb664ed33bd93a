#include "numpy_plugin/run/reports/kernel_reports.hpp"

#include <atomic>
#include <utility>

#include "numpy_plugin/kernel/printed_text.hpp"

namespace numpy_plugin::run {
namespace {

static_assert(npp::kMaxPrintedNumbers == declare::kMaxPrintedNumbers);
static_assert(npp::kMaxPrintedText == declare::kMaxPrintedText);

std::atomic<ShowLine> receiver = nullptr;
std::atomic<TellLost> receiver_of_losses = nullptr;
thread_local bool is_silent = false;

}  // namespace

RaisedError& raised_error() {
  thread_local RaisedError raised;
  return raised;
}

void report_raised_error(const npp::Errors& errors) {
  RaisedError& raised = raised_error();
  if (!raised.is_set()) raised.errors = errors;
}

void set_line_receiver(ShowLine show, TellLost tell_lost) {
  receiver = show;
  receiver_of_losses = tell_lost;
}

void show_line(const char* text, const std::uint64_t* bits, int n_bits) {
  const ShowLine show = receiver;
  if (show != nullptr && !is_silent) show(text, bits, n_bits);
}

void tell_lost_lines(std::uint64_t n_lines) {
  const TellLost tell = receiver_of_losses;
  if (tell != nullptr && !is_silent) tell(n_lines);
}

SilentLines::SilentLines() : was_silent_(std::exchange(is_silent, true)) {}
SilentLines::~SilentLines() { is_silent = was_silent_; }

}  // namespace numpy_plugin::run
