// Selects the math functions that a kernel's loops call on the CPU.
#pragma once

namespace numpy_plugin::declare {

// The templates' own vectorized functions, or the C library's.
enum class MathMode { kVector, kLibm };

}  // namespace numpy_plugin::declare
