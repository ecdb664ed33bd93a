// Reason for a call's form of launch, as text.
#pragma once

#include <string>

#include "numpy_plugin/run/launch/launch_choice.hpp"

namespace numpy_plugin::run {

std::string reason_text(const PlacedCall& placed, const LaunchChoice& choice,
                        const LaunchTraits& traits);

}  // namespace numpy_plugin::run
