// Spence's function: the dilogarithm of 1 - x (DLMF 25.12).
#pragma once

#include "npp/special/scalar_math.hpp"

namespace npp::special {

// The series of Bernoulli's numbers in u = -log(x), for 0.5 <= x <= 4.
NPP_FUNCTION double spence_near(double x) {
  const double u = -scalar::log(x), z = u * u;
  return u - z / 4 +
         u * z *
             polynomial(z, 0.027777777777777776, -0.0002777777777777778, 4.72411186696901e-06,
                        -9.185773074661964e-08, 1.8978869988971e-09, -4.0647616451442256e-11,
                        8.921691020456452e-13, -1.9939295860721074e-14, 4.518980029619918e-16,
                        -1.0356517612181247e-17, 2.395218621026187e-19, -5.581785874325009e-21);
}
// Inverted by DLMF 25.12.4 and reflected by 25.12.6 elsewhere; no difference cancels.
NPP_LONG_FUNCTION double spence(double x) {
  if (has_nan(x) || x < 0) return Limits<double>::kNan;
  constexpr double kAtZero = 1.64493406684822643647;
  if (x == 0) return kAtZero;
  if (x == Limits<double>::kInfinity) return -x;
  if (x > 4) {
    const double logarithm = scalar::log(x), inverse = 1 / x;
    const double rest = scalar::log1p(-inverse) * logarithm - spence_near(1 - inverse);
    return -logarithm * logarithm / 2 - (kAtZero + rest);
  }
  if (x >= 0.5) return spence_near(x);
  return kAtZero - scalar::log(x) * scalar::log1p(-x) - spence_near(1 - x);
}

}  // namespace npp::special

namespace npp {

NPP_SPECIAL_OF_ONE(spence)

}  // namespace npp
