#define NPP_WITHOUT_FLOAT16 1
#define NPP_WITHOUT_COMPLEX 1
#include "npp/cpu/generalized.hpp"
#include "npp/core/scalar_choices.hpp"

namespace {

// float64, float64(float64, int64)
struct Kernel0 {
  using Operands = npp::Types<npp::Array<const double, npp::Dim<0>>, npp::int64, npp::Array<double, npp::Dim<0>>, npp::Array<double, npp::One>>;
  static constexpr int kNumberOfInputs = 2;
  static constexpr int kNumberOfNames = 1;

  NPP_FUNCTION static void call(npp::Array<const double, npp::Dim<0>> a, npp::int64 window, npp::Array<double, npp::Dim<0>> out, npp::Array<double, npp::One> total) {
    double s = 0.0;
    for (npp::int64 i = 0; i < a.shape(0); ++i) {
      s = npp::add(s, a.at(i));
      if (npp::greater_equal(i, window)) {
        s = npp::subtract(s, a.at(npp::subtract(i, window)));
      }
      npp::int64 n = npp::minimum(npp::add(i, npp::int64(1)), window);
      out.at(i) = npp::true_divide(s, npp::cast<double>(n));
    }
    total.at(npp::int64(0)) = s;
    return;
  }
};

}  // namespace

NPP_GENERALIZED_LOOP(npp_loop_0, Kernel0)
