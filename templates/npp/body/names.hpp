// Names that C++ bodies and preambles have without including anything: those of <cmath>, and CUDA's
// types, functions and constants, the same on the host and on devices.
#pragma once

#include "npp/body/atomics.hpp"
#include "npp/body/complex_names.hpp"
#include "npp/body/constants.hpp"
#include "npp/body/conversions.hpp"
#include "npp/body/cuda_functions.hpp"
#include "npp/body/fast_functions.hpp"
#include "npp/body/float_functions.hpp"
#include "npp/body/integer_functions.hpp"
#include "npp/body/qualifiers.hpp"
#include "npp/body/rounded_arithmetic.hpp"
#include "npp/body/vectors.hpp"
#include "npp/core/half.hpp"

namespace npp::cmath {
using npp::float16;  // as CuPy's operations spell it
}

// Preambles are outside of every namespace.
using namespace npp::cmath;
