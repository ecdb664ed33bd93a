// Modified Bessel functions: power series near 0, otherwise Chebyshev interpolations in 1 / x,
// computed with 40 digits.
#pragma once

#include "npp/special/scalar_math.hpp"

namespace npp::special {

// (I0(x) - 1) / z and I1(x) / (x / 2), for z = x * x / 4 <= 16.
NPP_FUNCTION double i0_near(double z) {
  return 1 + z * polynomial(z, 1.0, 0.25, 0.027777777777777762, 0.001736111111111147,
                            6.944444444440493e-05, 1.929012345705309e-06, 3.936759887993035e-08,
                            6.151187361364193e-10, 7.594057685381156e-12, 7.594070019494474e-14,
                            6.275948796822122e-16, 4.359498405380122e-18, 2.5722398177811744e-20,
                            1.3440225063774028e-22, 5.062353740472856e-25, 3.5488366579755214e-27);
}
NPP_FUNCTION double i1_near(double z) {
  return polynomial(z, 1.0, 0.5000000000000001, 0.08333333333333304, 0.0069444444444450686,
                    0.00034722222222153507, 1.157407407453132e-05, 2.7557319204030443e-07,
                    4.920949921538654e-09, 6.834651294492253e-11, 7.594078567160322e-13,
                    6.90345927367201e-15, 5.231992159979275e-17, 3.341004469709294e-19,
                    1.891028804078631e-21, 7.413211040554544e-24, 5.833651333188183e-26);
}

// sqrt(x) exp(-x) I(x) for x >= 8.
NPP_FUNCTION double i0_far(double x) {
  const double t = (1 / x - 0.062500005) / 0.062499995;
  return polynomial(t, 0.4021765097138522, 0.0033605517366181352, 0.00013621605527162862,
                    1.1143031603086955e-05, 1.4838472304224068e-06, 2.9735948945691706e-07,
                    8.872152562654245e-08, 3.932925749217566e-08, 2.155680274190451e-08,
                    7.532375496102497e-09, -6.805986363900912e-09, -1.3319791642936533e-08,
                    -5.1625053053337805e-09, 7.323310327965422e-09, 6.7897791087217144e-09,
                    -3.11851648818448e-09, -4.8482433602281185e-09, 1.0924542468158313e-09,
                    2.3981889977225746e-09, -2.7481173518827533e-10, -7.473832890165839e-10,
                    3.5253301483662224e-11, 1.0881977487430626e-10);
}
NPP_FUNCTION double i1_far(double x) {
  const double t = (1 / x - 0.062500005) / 0.062499995;
  return polynomial(t, 0.38939845824590613, -0.009749576448347154, -0.00021923573236535903,
                    -1.5038544189194362e-05, -1.8349097061494315e-06, -3.483852157878875e-07,
                    -1.0001218253550873e-07, -4.3132306444676684e-08, -2.3382682445055935e-08,
                    -8.407315292237145e-09, 6.795080334701062e-09, 1.3952618117932981e-08,
                    5.722664331505803e-09, -7.432535265089418e-09, -7.222512517415193e-09,
                    3.071741816058353e-09, 5.0940085657557684e-09, -1.0476144784811884e-09,
                    -2.5062124481753667e-09, 2.582175737255554e-10, 7.790660265231198e-10,
                    -3.267775600453683e-11, -1.1328870959290417e-10);
}

NPP_FUNCTION double i0e(double x) {
  const double size = builtin::fabs(x);
  if (size < 8) return i0_near(x * x / 4) * scalar::exp(-size);
  return i0_far(size) / builtin::sqrt(size);
}
NPP_FUNCTION double i1e(double x) {
  const double size = builtin::fabs(x);
  if (size < 8) return x / 2 * i1_near(x * x / 4) * scalar::exp(-size);
  return builtin::copysign(i1_far(size) / builtin::sqrt(size), x);
}
// scale * exp(x) of positive numbers, for a large x in two factors: the exponential overflows
// before the result does.
NPP_FUNCTION double times_exp(double scale, double x) {
  if (x < 700) return scale * scalar::exp(x);
  if (x > 720) return Limits<double>::kInfinity;
  const double half = scalar::exp(x / 2);
  return half * scale * half;
}
NPP_FUNCTION double i0(double x) {
  const double size = builtin::fabs(x);
  if (size < 8) return i0_near(x * x / 4);
  return times_exp(i0_far(size) / builtin::sqrt(size), size);
}
NPP_FUNCTION double i1(double x) {
  const double size = builtin::fabs(x);
  if (size < 8) return x / 2 * i1_near(x * x / 4);
  return builtin::copysign(times_exp(i1_far(size) / builtin::sqrt(size), size), x);
}

// sqrt(x) exp(x) K(x) for x >= 2.
NPP_FUNCTION double k0_far(double x) {
  const double t = 4 / x - 1;
  return polynomial(t, 1.2185953385133905, -0.031071461824889863, 0.003032891810274143,
                    -0.00047976905673534966, 9.95605474680701e-05, -2.4735205374482363e-05,
                    7.002244891192467e-06, -2.191167925216506e-06, 7.427862249156294e-07,
                    -2.6897300718519323e-07, 1.0292557328065749e-07, -4.106658027115221e-08,
                    1.713185600678902e-08, -8.004851515961861e-09, 3.649704196745876e-09,
                    -6.909445532095268e-10, 2.3928247577454007e-10, -1.2154646925329214e-09,
                    6.696909677353191e-10, 4.297822831935991e-10, -2.511583623750801e-10,
                    -1.7415792636713548e-10, 9.815402008859526e-11);
}
NPP_FUNCTION double k1_far(double x) {
  const double t = 4 / x - 1;
  return polynomial(t, 1.363151890371342, 0.1033497377538656, -0.005566729880073309,
                    0.0007357241548745106, -0.0001395902196146278, 3.2843866443823695e-05,
                    -8.961206568008175e-06, 2.7300306911646126e-06, -9.067153917791994e-07,
                    3.230534911986308e-07, -1.2200063909110853e-07, 4.8165011477502914e-08,
                    -1.990916912542139e-08, 9.191838293612963e-09, -4.159564044495663e-09,
                    8.254002611298962e-10, -2.915889725458638e-10, 1.3385849977465314e-09,
                    -7.347807544194839e-10, -4.671582670762342e-10, 2.7260400995214217e-10,
                    1.9076899650576552e-10, -1.0724391572705258e-10);
}
// For x <= 2: -log(x / 2) I0(x) and a series; likewise K1.
NPP_FUNCTION double k0_near(double x) {
  const double z = x * x / 4;
  return polynomial(z, -0.5772156649015329, 0.42278433509846713, 0.23069608377461678,
                    0.0348921574564389, 0.0026147876188052093, 0.00011848039364109726,
                    3.6126241031992037e-06, 7.935096521304209e-08, 1.3167486730385647e-09,
                    1.709994072705808e-11, 1.785934656987074e-13, 1.5330343403208473e-15) -
         scalar::log(x / 2) * i0_near(z);
}
NPP_FUNCTION double k1_near(double x) {
  const double z = x * x / 4;
  const double more =
      polynomial(z, 0.03860783245076643, -0.16819608377461678, -0.04539379174021391,
                 -0.0047955474598326405, -0.000278839872991632, -1.0355619223177857e-05,
                 -2.6788647852279523e-07, -5.113215008984695e-09, -7.50512186647297e-11,
                 -8.739821824232205e-13, -8.27478683812568e-15, -6.496602830252822e-17);
  return 1 / x + (scalar::log(x / 2) * i1_near(z) / 2 + more) * x;
}
// The value for x <= 0.
NPP_FUNCTION double k_outside(double x) {
  return x == 0 ? Limits<double>::kInfinity : Limits<double>::kNan;
}
NPP_FUNCTION double k0(double x) {
  if (!(x > 0)) return k_outside(x);
  return x <= 2 ? k0_near(x) : k0_far(x) / builtin::sqrt(x) * scalar::exp(-x);
}
NPP_FUNCTION double k1(double x) {
  if (!(x > 0)) return k_outside(x);
  return x <= 2 ? k1_near(x) : k1_far(x) / builtin::sqrt(x) * scalar::exp(-x);
}
NPP_FUNCTION double k0e(double x) {
  if (!(x > 0)) return k_outside(x);
  return x <= 2 ? k0_near(x) * scalar::exp(x) : k0_far(x) / builtin::sqrt(x);
}
NPP_FUNCTION double k1e(double x) {
  if (!(x > 0)) return k_outside(x);
  return x <= 2 ? k1_near(x) * scalar::exp(x) : k1_far(x) / builtin::sqrt(x);
}

}  // namespace npp::special

namespace npp {

NPP_SPECIAL_IN_CUDA(i0, cyl_bessel_i0f)
NPP_SPECIAL_OF_ONE(i0e)
NPP_SPECIAL_IN_CUDA(i1, cyl_bessel_i1f)
NPP_SPECIAL_OF_ONE(i1e)
NPP_SPECIAL_OF_ONE(k0)
NPP_SPECIAL_OF_ONE(k0e)
NPP_SPECIAL_OF_ONE(k1)
NPP_SPECIAL_OF_ONE(k1e)

}  // namespace npp
