// Selects the math functions that a kernel's loops call.
#pragma once

namespace numpy_plugin::declare {

// On the CPU the vector libraries' functions, or the C library's; or, on the CPU and on devices,
// those of templates/npp/vector_math, with the same bits everywhere.
enum class MathMode { kVector, kLibm, kReproducible };

}  // namespace numpy_plugin::declare
