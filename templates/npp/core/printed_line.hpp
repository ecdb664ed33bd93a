// A line of `print` on its way from a kernel to Python, which formats it: a text with marks
// (numpy_plugin/kernel/printed_text.hpp) and the numbers in it.
#pragma once

#include "npp/core/prelude.hpp"

namespace npp {

inline constexpr int kMaxPrintedNumbers = 16;
inline constexpr int kMaxPrintedText = 248;  // with its final 0

struct PrintedLine {
  uint64 number;  // 1 for the device's first line; set last
  uint64 bits[kMaxPrintedNumbers];
  char text[kMaxPrintedText];
};

// Lines of a device's kernels, in host memory that the device writes to: line `number` is in
// lines[(number - 1) % kLines].
struct PrintRing {
  static constexpr uint64 kLines = 32768;
  uint64* n_written;  // in device memory: threads contend for it
  uint64 n_read;      // set by the host
  uint64 n_lost;      // did not fit
  uint64 n_told;      // of those, by the host
  PrintedLine lines[kLines];
};

}  // namespace npp
