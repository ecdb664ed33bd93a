// Versions of generalized loops with core sizes compiled in.
#pragma once

#include <memory>
#include <optional>

#include "numpy_plugin/emit/source/emit.hpp"
#include "numpy_plugin/jit/host/host_compiler.hpp"
#include "numpy_plugin/run/cpu/sharing.hpp"
#include "numpy_plugin/run/cpu/sized_variants.hpp"

namespace numpy_plugin::run {

// For the only kernel of a program; nullptr where all sizes are fixed already, or where a version
// might compute other values than the general loop.
std::shared_ptr<SizedVariants> make_sized_variants(const emit::Program& program,
                                                   const jit::HostOptions& options,
                                                   const std::optional<LeastWork>& least_work);

}  // namespace numpy_plugin::run
