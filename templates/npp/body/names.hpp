// Names that C++ bodies and preambles have without including anything: those of <cmath>, and CUDA's
// types, functions and constants, the same on the host and on devices. Sections that a text does
// not name are left out (emit/source/absent_names.cpp): reading all takes longer than compiling
// most.
#pragma once

#include "npp/body/atomics.hpp"
#include "npp/body/constants.hpp"
#include "npp/body/cuda_functions.hpp"
#include "npp/body/fast_functions.hpp"
#include "npp/body/float_functions.hpp"
#include "npp/body/integer_functions.hpp"
#include "npp/body/qualifiers.hpp"
#include "npp/body/vectors.hpp"
#ifndef NPP_WITHOUT_COMPLEX
#include "npp/body/complex_names.hpp"
#endif
#ifndef NPP_WITHOUT_ROUNDING_NAMES
#include "npp/body/conversions.hpp"
#include "npp/body/rounded_arithmetic.hpp"
#endif
#ifndef NPP_WITHOUT_SPECIAL_NAMES
#include "npp/body/special_functions.hpp"
#endif

namespace npp::cmath {
using npp::float16;  // as CuPy's operations spell it
}

// Preambles are outside of every namespace.
using namespace npp::cmath;
