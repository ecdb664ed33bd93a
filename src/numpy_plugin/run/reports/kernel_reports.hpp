// What kernels report to the thread that runs them: exceptions of elements, and printed lines.
#pragma once

#include <npp/core/errors.hpp>
#include <npp/core/printed_line.hpp>

#include <cstdint>

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::run {

// Exceptions raised by elements in this thread's loops. Loops cannot fail: they record the error
// here, and their caller checks it.

struct RaisedError {
  npp::Errors errors;
  const declare::PythonKernel* kernel = nullptr;  // set by the caller of the loop
  bool is_set() const { return errors.any(); }
};

// Thread-local.
RaisedError& raised_error();

// Keeps the first error.
void report_raised_error(const npp::Errors& errors);

// Lines of `print` in kernels, on their way to Python, which formats and writes them.

// A text with marks, and the numbers in it; called by any thread.
using ShowLine = void (*)(const char* text, const std::uint64_t* bits, int n_bits);
// That many lines of a device's kernels did not fit into its buffer.
using TellLost = void (*)(std::uint64_t n_lines);

// Set once, when the extension is loaded; until then lines are dropped.
void set_line_receiver(ShowLine show, TellLost tell_lost);

void show_line(const char* text, const std::uint64_t* bits, int n_bits);
void tell_lost_lines(std::uint64_t n_lines);

// While it exists, this thread's lines are dropped: elements are computed a second time.
class SilentLines {
 public:
  SilentLines();
  ~SilentLines();
  SilentLines(const SilentLines&) = delete;
  SilentLines& operator=(const SilentLines&) = delete;

 private:
  bool was_silent_;
};

}  // namespace numpy_plugin::run
