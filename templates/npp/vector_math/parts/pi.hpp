// Angles that are sums of two numbers.
#pragma once

namespace npp::vector_math {

template <class T>
struct PiParts;
template <>
struct PiParts<float> {
  static constexpr float kHalf = 0x1.921fb6p0f, kHalfRest = -0x1.777a5cp-25f;
};
template <>
struct PiParts<double> {
  static constexpr double kHalf = 0x1.921fb54442d18p0, kHalfRest = 0x1.1a62633145c07p-54;
};

}  // namespace npp::vector_math
