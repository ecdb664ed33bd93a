// CUDA's constants, those of <math_constants.h>; where a preamble defines macros, those are used.
#pragma once

#include "npp/core/prelude.hpp"

namespace npp::cmath {

inline constexpr float CUDART_INF_F = Limits<float>::kInfinity;
inline constexpr float CUDART_NAN_F = __builtin_bit_cast(float, 0x7fffffffu);
inline constexpr float CUDART_MIN_DENORM_F = 0x1p-149f;
inline constexpr float CUDART_MAX_NORMAL_F = Limits<float>::kMax;
inline constexpr float CUDART_NEG_ZERO_F = -0.0f;
inline constexpr float CUDART_ZERO_F = 0.0f;
inline constexpr float CUDART_ONE_F = 1.0f;
inline constexpr float CUDART_SQRT_HALF_F = 0.707106781f;
inline constexpr float CUDART_SQRT_TWO_F = 1.414213562f;
inline constexpr float CUDART_PIO2_F = 1.570796327f;
inline constexpr float CUDART_PIO4_F = 0.785398163f;
inline constexpr float CUDART_PI_F = 3.141592654f;
inline constexpr float CUDART_2_OVER_PI_F = 0.636619772f;
inline constexpr float CUDART_SQRT_2_OVER_PI_F = 0.797884561f;
inline constexpr float CUDART_L2E_F = 1.442695041f;
inline constexpr float CUDART_LGE_F = 0.434294482f;
inline constexpr float CUDART_LN2_F = 0.693147181f;
inline constexpr float CUDART_LNT_F = 2.302585093f;

inline constexpr double CUDART_INF = Limits<double>::kInfinity;
inline constexpr double CUDART_NAN = __builtin_bit_cast(double, 0xfff8000000000000ul);
inline constexpr double CUDART_MIN_DENORM = 0x1p-1074;
inline constexpr double CUDART_MAX_NORMAL = Limits<double>::kMax;
inline constexpr double CUDART_NEG_ZERO = -0.0;
inline constexpr double CUDART_ZERO = 0.0;
inline constexpr double CUDART_ONE = 1.0;
inline constexpr double CUDART_SQRT_TWO = 1.4142135623730951;
inline constexpr double CUDART_SQRT_HALF = 0.7071067811865476;
inline constexpr double CUDART_CBRT_TWO = 1.2599210498948732;
inline constexpr double CUDART_PIO4 = 0.7853981633974483;
inline constexpr double CUDART_PIO2 = 1.5707963267948966;
inline constexpr double CUDART_3PIO4 = 2.356194490192345;
inline constexpr double CUDART_2_OVER_PI = 0.6366197723675814;
inline constexpr double CUDART_PI = 3.141592653589793;
inline constexpr double CUDART_SQRT_2PI = 2.5066282746310005;
inline constexpr double CUDART_L2E = 1.4426950408889634;
inline constexpr double CUDART_LGE = 0.4342944819032518;
inline constexpr double CUDART_LG2 = 0.30102999566398120;
inline constexpr double CUDART_LN2 = 0.6931471805599453;
inline constexpr double CUDART_LNT = 2.302585092994046;
inline constexpr double CUDART_LNPI = 1.1447298858494002;
inline constexpr double CUDART_DEGREE = 0.017453292519943295;

}  // namespace npp::cmath
