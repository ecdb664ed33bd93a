#define NPP_WITHOUT_FLOAT16 1
#define NPP_WITHOUT_COMPLEX 1
#include "npp/cuda/staged.hpp"

// float64, float64(float64, float64, float64)
struct Kernel0 {
  using Operands = npp::Types<npp::Array<const double, npp::Dim<0, 3>>, double, npp::Array<const double, npp::Dim<0, 3>>, npp::Array<double, npp::Dim<0, 3>>, npp::Array<double, npp::One>>;
  static constexpr int kNumberOfInputs = 3;
  static constexpr int kNumberOfNames = 1;

  NPP_FUNCTION static void call(npp::Array<const double, npp::Dim<0, 3>> a, double b, npp::Array<const double, npp::Dim<0, 3>> c, npp::Array<double, npp::Dim<0, 3>> out, npp::Array<double, npp::One> out2) {
    for (npp::int64 i = 0; i < a.shape(0); ++i) {
      out.at(i) = npp::add(c.at(i), npp::multiply(a.at(npp::int64(0)), b));
    }
    out2.at(npp::int64(0)) = npp::multiply(a.at(npp::int64(0)), b);
  }
};

NPP_STAGED_KERNEL(npp_staged_0, Kernel0)
