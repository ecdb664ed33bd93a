// Lanes<bool, size>: a mask for the lanes of a block, in the target's way.
#pragma once

#include "npp/cpu/lanes/target.hpp"

#if NPP_MASK_REGISTERS
#include "npp/cpu/lanes/mask_registers.hpp"
#else
#include "npp/cpu/lanes/mask_vectors.hpp"
#endif
