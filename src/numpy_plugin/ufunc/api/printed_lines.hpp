// Writes what kernels print to Python's standard output.
#pragma once

namespace numpy_plugin::ufunc {

// Makes this extension the receiver of printed lines.
void register_printed_lines();

}  // namespace numpy_plugin::ufunc
