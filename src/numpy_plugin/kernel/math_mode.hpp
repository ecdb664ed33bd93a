// Which functions a kernel's loops call on the CPU.
#pragma once

namespace numpy_plugin::declare {

// The templates' own, which are vectorized, or the C library's.
enum class MathMode { kVector, kLibm };

}  // namespace numpy_plugin::declare
