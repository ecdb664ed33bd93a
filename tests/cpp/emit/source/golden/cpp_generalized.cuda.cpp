#define NPP_WITHOUT_FLOAT16 1
#define NPP_WITHOUT_COMPLEX 1
#define NPP_WITHOUT_ROUNDING_NAMES 1
#define NPP_WITHOUT_SPECIAL_NAMES 1
#include "npp/cuda/generalized.hpp"
#include "npp/body/names.hpp"

// float64(float64, float64)
struct Kernel0 {
  using Operands = npp::Types<npp::Array<const double, npp::Dim<0, 3>>, double, npp::Array<double, npp::One>>;
  static constexpr int kNumberOfInputs = 2;
  static constexpr int kNumberOfNames = 1;

  NPP_FUNCTION static void call(npp::Array<const double, npp::Dim<0, 3>> a, double w, npp::Array<double, npp::One> out) {
    using a_t [[maybe_unused]] = double;
    using w_t [[maybe_unused]] = double;
    using out_t [[maybe_unused]] = double;
    using T [[maybe_unused]] = double;
    using namespace npp::cmath;
#line 1 "<body of 'scaled_sum'>"
double s = 0;
for (int i = 0; i < 3; ++i) s += w * a(i);
out[0] = s;
#line 1 "npp-generated"
  }
};

NPP_GENERALIZED_KERNEL(npp_generalized_0, Kernel0, npp::Narrow)
