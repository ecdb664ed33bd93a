// Bessel functions of the first and second kind, of orders 0 and 1. Up to 4 powers of x, with the
// zero factored out; beyond, Hankel's formula with a slowly varying amplitude and phase. The
// polynomials are Chebyshev interpolations, computed with 50 digits.
#pragma once

#include "npp/special/pairs.hpp"

namespace npp::special {

// J0(x) and J1(x) / x for |x| <= 4, t = x * x / 8 - 1: a polynomial times the distance from the
// zero, a double-double number.
NPP_FUNCTION double j0_near(double x, double t) {
  const double square = x * x, weight = 1 + square / 14;
  if (square < 1) {
    return 1 - square * polynomial(square, 0.25, -0.015625, 4.3402777777777778e-4,
                                   -6.7816840277777778e-6, 6.7816840277777778e-8,
                                   -4.7095027970679012e-10, 2.4028075495244394e-12,
                                   -9.3859669903298414e-15);
  }
  const double distance = (x - 2.404825557695773 + 1.176691651530894e-16) * (x + 2.404825557695773);
  return distance *
         polynomial(t, -0.21894189211951134, 0.0004403497510340872, 0.045119298536649866,
                    -0.0036689265171836686, -0.0018363944638890605, 0.00043579564057837945,
                    -4.575931635294861e-05, 2.9646108402136068e-06, -1.335911997327228e-07,
                    4.4724546125791585e-09, -1.1616158450851193e-10, 2.4147629626885194e-12,
                    -4.1146315770100386e-14, 5.859454289550555e-16, -7.074761849770029e-18) /
         (weight * weight);
}
NPP_FUNCTION double j1_near(double x, double t) {
  const double distance =
      (x - 3.8317059702075125 + 1.5269184090088067e-16) * (x + 3.8317059702075125);
  return distance *
         polynomial(t, -0.03811480202965042, 0.0020151035776190492, 0.004645152964645394,
                    -0.001260579212935395, 0.00015637302720762945, -1.1794308223085127e-05,
                    6.085098368258048e-07, -2.298992036567397e-08, 6.657462809449997e-10,
                    -1.5275654610004294e-11, 2.8487711618075616e-13, -4.4061455684559444e-15,
                    5.748176613445803e-17, -6.407281025009281e-19) /
         (1 + x * x / 10);
}

// Y0(x) - 2 / pi log(x) J0(x), and (Y1(x) - 2 / pi (log(x) J1(x) - 1 / x)) / x.
NPP_FUNCTION double y0_rest(double t) {
  return polynomial(t, 0.5583839189939036, 0.050927688205595026, -0.40369710826422894,
                    0.15039648994000787, -0.024660115465906546, 0.002351704961782377,
                    -0.0001482141999120197, 6.6621664706276125e-06, -2.2485625168156593e-07,
                    5.915437831876606e-09, -1.2480637377795453e-10, 2.1598784155425587e-12,
                    -3.122436575435489e-14, 3.828232751862336e-16, -4.0327894735186585e-18,
                    3.687753067452771e-20);
}
NPP_FUNCTION double y1_rest(double t) {
  return polynomial(t, 0.0824863499533448, 0.15166794583548893, -0.10077639147123528,
                    0.02306633978799985, -0.002806317034910075, 0.00021465631043477665,
                    -1.1337349421628691e-05, 4.3944572893896556e-07, -1.3051642611147131e-08,
                    3.06776026351746e-10, -5.851946155823733e-12, 9.244139101740447e-14,
                    -1.2294603001394497e-15, 1.3959216130168875e-17, -1.3693887707610389e-19,
                    1.1718095223172337e-21);
}

// The slowly varying factors of sin and cos for x >= 4 in Hankel's formula, times sqrt(pi x).
struct Slow {
  Pair even;
  double odd;
};
NPP_FUNCTION Slow slow_factors_0(double x) {
  const double inverse = 4 / x, t = 2 * inverse * inverse - 1;
  return {
      pair_of_sum(
          0.9978986884929594,
          t * polynomial(t, -0.002016182192123368, 7.630461547368617e-05, -7.323875174418167e-06,
                         1.154068441669996e-06, -2.480911645963268e-07, 6.601854224472527e-08,
                         -2.0531435985069195e-08, 7.1936864963597096e-09, -2.7816201756179802e-09,
                         1.1594905692245926e-09, -4.66427981190347e-10, 2.0783122357435266e-10,
                         -2.2386535631207602e-10, 1.3435002108411637e-10, 1.3658345180918387e-10,
                         -1.0014951570614422e-10, -1.7371053022033214e-10, 1.1977934758828958e-10,
                         8.95718396939368e-11, -6.245004522978595e-11, -2.531511425959028e-11,
                         1.7362687683708138e-11)),
      inverse * polynomial(t, -0.030723687169327038, 0.0004875925912705945, -3.3182491208143065e-05,
                           4.3773262679428105e-06, -8.490230774688224e-07, 2.1204154906162487e-07,
                           -6.332427752400035e-08, 2.1605070517374947e-08, -8.175161475538844e-09,
                           3.387045336732917e-09, -1.4970754699906335e-09, 5.920594559149418e-10,
                           -2.677335546599396e-10, 4.086453622685508e-10, -2.591834071278427e-10,
                           -3.2103280210401153e-10, 2.3524223209175057e-10, 3.767463890603725e-10,
                           -2.6494026846427744e-10, -1.9703656627935463e-10, 1.3962026892760003e-10,
                           5.433004475714101e-11, -3.796279054753127e-11)};
}
NPP_FUNCTION Slow slow_factors_1(double x) {
  const double inverse = 4 / x, t = 2 * inverse * inverse - 1;
  return {
      pair_of_sum(
          {1.0035374816893905, 8.02e-17},
          {t * polynomial(t, 0.003425880491231174, -0.00010089592960828894, 8.951372507002794e-06,
                          -1.3574884602962786e-06, 2.8524934251554124e-07, -7.476118088522204e-08,
                          2.2997183583102665e-08, -7.990852680183258e-09, 3.0690437410349925e-09,
                          -1.2723485809937983e-09, 5.11258935580274e-10, -2.2725057589935245e-10,
                          2.398534721112608e-10, -1.4338685600906303e-10, -1.4363723361631235e-10,
                          1.0538183875704598e-10, 1.8377868034844365e-10, -1.2657864797305052e-10,
                          -9.466464750162724e-11, 6.594347380416135e-11, 2.6794000011925667e-11,
                          -1.835784540043727e-11),
           0}),
      inverse * polynomial(t, 0.09300555779623124, -0.0006962166633331316, 4.167438842961751e-05,
                           -5.215833982000812e-06, 9.831448101181788e-07, -2.411427316245052e-07,
                           7.111770752962409e-08, -2.4040121082759435e-08, 9.031410856479896e-09,
                           -3.7191152132281574e-09, 1.6358277761720595e-09, -6.47898280530492e-10,
                           2.9264050778455465e-10, -4.3572616896114946e-10, 2.754642186422202e-10,
                           3.376946798735312e-10, -2.474566119341928e-10, -3.978803235926641e-10,
                           2.795204229690951e-10, 2.0793917478844843e-10, -1.4722469840168226e-10,
                           -5.7409288759370034e-11, 4.007574621965086e-11)};
}

// sin(x) + cos(x) and sin(x) - cos(x). Their product is -cos(2 x), from which the one subject to
// cancellation is computed.
struct Waves {
  double sum;
  double difference;
};
NPP_FUNCTION Waves waves(double x) {
  const double sine = scalar::sin(x), cosine = scalar::cos(x);
  Waves result{sine + cosine, sine - cosine};
  if (x > 1e300) return result;
  const double product = -scalar::cos(2 * x);
  if (sine * cosine < 0) {
    result.sum = product / result.difference;
  } else {
    result.difference = product / result.sum;
  }
  return result;
}
inline constexpr double kRootOfPi = 1.77245385090551602730;
inline constexpr double kTwoByPi = 0.63661977236758134308;

NPP_FUNCTION double j0(double x) {
  const double size = builtin::fabs(x);
  if (size <= 4) return j0_near(size, x * x / 8 - 1);
  if (builtin::same_bits(size, Limits<double>::kInfinity)) return 0;
  const Waves wave = waves(size);
  const Slow slow = slow_factors_0(size);
  return (slow.even.high * wave.sum - slow.odd * wave.difference) /
         (kRootOfPi * builtin::sqrt(size));
}
NPP_FUNCTION double j1(double x) {
  const double size = builtin::fabs(x);
  if (size <= 4) return x * j1_near(size, x * x / 8 - 1);
  if (builtin::same_bits(size, Limits<double>::kInfinity)) return builtin::copysign(0.0, x);
  const Waves wave = waves(size);
  const Slow slow = slow_factors_1(size);
  const double value = slow.even.high * wave.difference + slow.odd * wave.sum;
  return (x < 0 ? -value : value) / (kRootOfPi * builtin::sqrt(size));
}

// The value at 0, below it and at infinity.
NPP_FUNCTION double y_outside(double x) {
  if (x == 0) return -Limits<double>::kInfinity;
  return x > 0 ? 0 : Limits<double>::kNan;
}
NPP_FUNCTION bool is_inside(double x) { return x > 0 && x < Limits<double>::kInfinity; }
NPP_FUNCTION double y0(double x) {
  if (!is_inside(x)) return y_outside(x);
  if (x <= 4) {
    const double t = x * x / 8 - 1;
    return kTwoByPi * scalar::log(x) * j0_near(x, t) + y0_rest(t);
  }
  const Waves wave = waves(x);
  const Slow slow = slow_factors_0(x);
  return (slow.even.high * wave.difference + slow.odd * wave.sum) / (kRootOfPi * builtin::sqrt(x));
}
NPP_FUNCTION double y1(double x) {
  if (!is_inside(x)) return y_outside(x);
  if (x <= 4) {
    const double t = x * x / 8 - 1;
    return x * (kTwoByPi * scalar::log(x) * j1_near(x, t) + y1_rest(t)) - kTwoByPi / x;
  }
  const Waves wave = waves(x);
  const Slow slow = slow_factors_1(x);
  return (slow.odd * wave.difference - slow.even.high * wave.sum) / (kRootOfPi * builtin::sqrt(x));
}

}  // namespace npp::special

namespace npp {

NPP_SPECIAL_OF_ONE(j0)
NPP_SPECIAL_OF_ONE(j1)
NPP_SPECIAL_OF_ONE(y0)
NPP_SPECIAL_OF_ONE(y1)

}  // namespace npp
