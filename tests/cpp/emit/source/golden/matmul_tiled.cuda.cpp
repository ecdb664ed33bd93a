#define NPP_WITHOUT_FLOAT16 1
#define NPP_WITHOUT_COMPLEX 1
#include "npp/cuda/tiled.hpp"
#include "npp/core/scalar_choices.hpp"

// float64(float64, float64)
struct Kernel0 {
  using Operands = npp::Types<npp::Array<const double, npp::Dim<0>, npp::Dim<1>>, npp::Array<const double, npp::Dim<1>, npp::Dim<2>>, npp::Array<double, npp::Dim<0>, npp::Dim<2>>>;
  static constexpr int kNumberOfInputs = 2;
  static constexpr int kNumberOfNames = 3;
  static constexpr int kLeft = 0;
  static constexpr int kRight = 1;
  static constexpr int kTileItems = 4;
  using Total = double;

  NPP_FUNCTION static double start() {
    return 0.0;
  }

  NPP_FUNCTION static double step(double total, double left, double right) {
    return npp::add(total, npp::multiply(left, right));
  }

  NPP_FUNCTION static void finish(npp::Array<const double, npp::Dim<0>, npp::Dim<1>> a, npp::Array<const double, npp::Dim<1>, npp::Dim<2>> b, npp::Array<double, npp::Dim<0>, npp::Dim<2>> out, npp::int64 i, npp::int64 j, double s) {
    out.at(i, j) = s;
  }
};

NPP_TILED_KERNEL(npp_tiled_0, Kernel0)
