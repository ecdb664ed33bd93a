#define NPP_WITHOUT_FLOAT16 1
#define NPP_WITHOUT_COMPLEX 1
#include "npp/cpu/generalized.hpp"
#include "npp/core/scalar_choices.hpp"

namespace {

// float64(float64, float64)
struct Kernel0 {
  using Operands = npp::Types<npp::Array<const double, npp::Dim<0>, npp::Dim<1>>, npp::Array<const double, npp::Dim<1>, npp::Dim<2>>, npp::Array<double, npp::Dim<0>, npp::Dim<2>>>;
  static constexpr int kNumberOfInputs = 2;
  static constexpr int kNumberOfNames = 3;

  NPP_FUNCTION static void call(npp::Array<const double, npp::Dim<0>, npp::Dim<1>> a, npp::Array<const double, npp::Dim<1>, npp::Dim<2>> b, npp::Array<double, npp::Dim<0>, npp::Dim<2>> out) {
    for (npp::int64 i = 0; i < a.shape(0); ++i) {
      for (npp::int64 j = 0; j < b.shape(1); ++j) {
        double s = 0.0;
        for (npp::int64 k = 0; k < a.shape(1); ++k) {
          s = npp::add(s, npp::multiply(a.at(i, k), b.at(k, j)));
        }
        out.at(i, j) = s;
      }
    }
  }
};

}  // namespace

NPP_GENERALIZED_LOOP(npp_loop_0, Kernel0)
