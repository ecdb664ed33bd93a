#define NPP_WITHOUT_FLOAT16 1
#define NPP_WITHOUT_COMPLEX 1
#include "npp/cuda/generalized.hpp"

NPP_CONSTANT npp::LocalArray<npp::int16, 2> table_constant_0 = {{npp::int16(5), npp::int16(-1)}};

// float64(float64)
struct Kernel0 {
  using Operands = npp::Types<npp::Array<const double, npp::Dim<0>>, npp::Array<double, npp::Dim<0>>>;
  static constexpr int kNumberOfInputs = 1;
  static constexpr int kNumberOfNames = 1;

  NPP_FUNCTION static void call(npp::Array<const double, npp::Dim<0>> a, npp::Array<double, npp::Dim<0>> out) {
    npp::LocalArray<double, 2, 3> pair;
    for (npp::int64 i = 0; i < a.shape(0); ++i) {
      pair = {};
      npp::View<double, 1> row = npp::part(npp::View<double, 2>(pair), npp::int64(1), npp::All{});
      row.at(npp::int64(2)) = npp::multiply(a.at(i), npp::cast<double>(table_constant_0.at(npp::int64(-1))));
      out.at(i) = pair.at(npp::int64(1), npp::int64(2));
    }
  }
};

NPP_GENERALIZED_KERNEL(npp_generalized_0, Kernel0, npp::Narrow)
