#define NPP_WITHOUT_FLOAT16 1
#define NPP_WITHOUT_COMPLEX 1
#define NPP_WITHOUT_ROUNDING_NAMES 1
#define NPP_WITHOUT_SPECIAL_NAMES 1
#include "npp/cuda/contiguous.hpp"
#include "npp/body/names.hpp"

// float64, int64(float64, int64)
struct Kernel0 {
  using Inputs = npp::Types<double, npp::int64>;
  using Outputs = npp::Types<double, npp::int64>;
  static constexpr bool kHasVectorMath = true;
  static constexpr bool kHasBranches = true;

  NPP_FUNCTION static void body(const double x, const npp::int64 y, double& q, npp::int64& whole) {
    using x_t [[maybe_unused]] = double;
    using y_t [[maybe_unused]] = npp::int64;
    using q_t [[maybe_unused]] = double;
    using whole_t [[maybe_unused]] = npp::int64;
    using namespace npp::cmath;
#line 1 "<body of 'divide'>"
if (y == 0) return;
q = x / y;
whole = q;
#line 1 "npp-generated"
  }

  NPP_FUNCTION static npp::Tuple<double, npp::int64> call(const double input0, const npp::int64 input1) {
    double output0{};
    npp::int64 output1{};
    body(input0, input1, output0, output1);
    return npp::Tuple<double, npp::int64>{output0, output1};
  }
};

NPP_CONTIGUOUS_KERNEL(npp_contiguous_0, Kernel0, npp::Narrow, npp::Mask::kNone, 2, 2)
