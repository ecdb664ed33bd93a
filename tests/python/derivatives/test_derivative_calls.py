"""Derivatives as ufuncs: their names, types, signatures, options and the ways to ask for them."""

import math
import pickle

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda


@npp.vectorize(["float32(float32, float32)", "float64(float64, float64)"])
def wave(x, y):
    """A wave."""
    return math.sin(x) * y + x * x / y


@npp.vectorize
def kepler(mean, eccentricity):
    anomaly = mean
    for _ in range(20):
        residual = anomaly - eccentricity * math.sin(anomaly) - mean
        anomaly -= residual / (1 - eccentricity * math.cos(anomaly))
    return anomaly


@npp.device
def sides(x, y):
    if x > y:
        return x * y, x
    return math.exp(x) / y, y


@npp.vectorize
def two_results(x, y):
    first, second = sides(x * x, y)
    return first * second, first - 2.0 * y


X = np.linspace(0.5, 3, 7)
Y = np.linspace(2.5, 0.25, 7)


def test_a_derivative_is_a_ufunc_of_the_same_signatures():
    by_x = npp.derivative(wave, "x")
    assert type(by_x) is np.ufunc
    assert (by_x.__name__, by_x.types, by_x.nin, by_x.nout) == ("wave_dx", wave.types, 2, 1)
    assert "derivative of wave by x" in by_x.__doc__
    np.testing.assert_allclose(by_x(X, Y), np.cos(X) * Y + 2 * X / Y, rtol=1e-15)
    np.testing.assert_allclose(npp.derivative(wave, 1)(X, Y), np.sin(X) - (X / Y) ** 2, rtol=1e-14)
    assert by_x(np.float32(1), np.float32(2)).dtype == np.float32


def test_values_come_with_derivatives():
    values, slopes = npp.value_and_derivative(wave, "y")(X, Y)
    np.testing.assert_array_equal(values, wave(X, Y))
    np.testing.assert_array_equal(slopes, npp.derivative(wave, "y")(X, Y))
    made = npp.value_and_derivative(two_results, "x")
    assert made.nout == 4
    results = made(X, Y)
    np.testing.assert_array_equal(results[:2], two_results(X, Y))
    is_product = X * X > Y
    expected = np.where(is_product, 4 * X**3 * Y, 2 * X * np.exp(X * X))
    np.testing.assert_allclose(results[2], expected, rtol=1e-14)


def test_gradients_and_hessians_have_all_partial_derivatives():
    by_x, by_y = npp.gradient(wave)(X, Y)
    np.testing.assert_array_equal(by_x, npp.derivative(wave, "x")(X, Y))
    np.testing.assert_array_equal(by_y, npp.derivative(wave, "y")(X, Y))
    xx, xy, yy = npp.hessian(wave)(X, Y)
    np.testing.assert_allclose(xx, -np.sin(X) * Y + 2 / Y, rtol=1e-14)
    np.testing.assert_allclose(xy, np.cos(X) - 2 * X / Y**2, rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(yy, 2 * X**2 / Y**3, rtol=1e-14)
    mixed = npp.derivative(npp.derivative(wave, "x"), "y")
    np.testing.assert_array_equal(mixed(X, Y), xy)
    assert mixed.__name__ == "wave_dx_dy"


def test_loops_give_the_derivative_of_what_they_compute():
    anomaly = kepler(X, 0.3)
    slope, eccentric = npp.gradient(kepler)(X, 0.3)
    np.testing.assert_allclose(slope, 1 / (1 - 0.3 * np.cos(anomaly)), rtol=1e-14)
    np.testing.assert_allclose(eccentric, np.sin(anomaly) * slope, rtol=1e-13)
    curvature = npp.derivative(kepler, "mean", order=2)(X, 0.3)
    np.testing.assert_allclose(curvature, -0.3 * np.sin(anomaly) * slope**3, rtol=1e-12)


@npp.vectorize
def mean_of_waves(x, n):
    waves = np.empty(n)
    for i in range(n):
        waves[i] = math.sin(i * x) + 1e8
    return np.mean(waves) + np.max(waves) * x - np.min(waves[1:])


def test_arrays_carry_tangents_and_sums_keep_their_order():
    values, slopes = npp.value_and_derivative(mean_of_waves, "x")(X, 300)
    np.testing.assert_array_equal(values, mean_of_waves(X, 300))
    i = np.arange(300)
    waves = np.sin(np.outer(X, i)) + 1e8
    rates = np.cos(np.outer(X, i)) * i
    largest, least = np.argmax(waves, axis=1), np.argmin(waves[:, 1:], axis=1) + 1
    rows = np.arange(len(X))
    expected = rates.mean(axis=1) + waves[rows, largest] + rates[rows, largest] * X
    np.testing.assert_allclose(slopes, expected - rates[rows, least], rtol=1e-14)


@npp.device
def fill(values, x):
    for i in range(values.shape[0]):
        values[i] = x * i
    return values.shape[0]


@npp.vectorize
def filled(x):
    values = np.zeros(4)
    n = fill(values, x * x)
    return values[n - 1]


def test_functions_that_store_and_return_an_integer_carry_tangents():
    np.testing.assert_array_equal(npp.derivative(filled, "x")(X), 6 * X)


@npp.guvectorize(["void(float64[:], float64, float64[:])"], "(n),()->()")
def counted(values, x, out):
    count = 0
    for i in range(values.shape[0]):
        scaled = values[i] * x
        count += int(scaled)
    out[0] = count * x


def test_a_sum_of_integers_in_a_loop_with_tangents_stays_one():
    values = np.linspace(0, 9, 40)
    by_x = npp.jacobian(counted, "x")(values, 1.25)
    assert by_x == np.sum((values * 1.25).astype(int))


def test_kernels_call_derivatives():
    by_x = npp.derivative(wave, "x")

    @npp.vectorize
    def twice(x, y):
        return by_x(x, y) * 2.0

    np.testing.assert_array_equal(twice(X, Y), by_x(X, Y) * 2)
    curvature = npp.derivative(twice, "x")(X, Y)
    np.testing.assert_allclose(curvature, 2 * (2 / Y - np.sin(X) * Y), rtol=1e-14)


@npp.device
def residual(anomaly, mean, eccentricity):
    return anomaly - eccentricity * math.sin(anomaly) - mean


@npp.vectorize
def halley(mean, eccentricity):
    anomaly = mean
    for _ in range(8):
        f = residual(anomaly, mean, eccentricity)
        f1 = npp.derivative(residual, "anomaly")(anomaly, mean, eccentricity)
        f2 = npp.derivative(residual, "anomaly", order=2)(anomaly, mean, eccentricity)
        anomaly -= 2 * f * f1 / (2 * f1 * f1 - f * f2)
    return anomaly


def test_device_functions_have_derivatives_in_kernels_and_in_python():
    np.testing.assert_allclose(halley(X, 0.3), kepler(X, 0.3), rtol=1e-15)
    slope = npp.derivative(residual, "anomaly", order=2)
    assert isinstance(slope, type(residual))
    np.testing.assert_allclose(slope(X, 1.0, 0.3), 0.3 * np.sin(X), rtol=1e-15)
    value, by_anomaly = npp.value_and_derivative(residual, 0)(1.0, 0.5, 0.3)
    assert (value, by_anomaly) == (residual(1.0, 0.5, 0.3), 1 - 0.3 * math.cos(1.0))
    copy = pickle.loads(pickle.dumps(halley))
    np.testing.assert_array_equal(copy(X, 0.3), halley(X, 0.3))


@npp.vectorize
def residual_ufunc(anomaly, mean, eccentricity):
    return anomaly - eccentricity * math.sin(anomaly) - mean


@pytest.mark.parametrize("function", [residual, residual_ufunc])
def test_roots_have_the_derivatives_of_their_equation(function):
    root_of = npp.implicit(function)

    @npp.vectorize
    def bisected(mean, eccentricity):
        low, high = 0.0, 4.0
        for _ in range(60):
            middle = 0.5 * (low + high)
            if residual(middle, mean, eccentricity) < 0:
                low = middle
            else:
                high = middle
        return root_of(low, mean, eccentricity)

    anomaly = kepler(X, 0.3)
    np.testing.assert_allclose(bisected(X, 0.3), anomaly, rtol=1e-14)
    slope, by_eccentricity = npp.gradient(bisected)(X, 0.3)
    np.testing.assert_allclose(slope, 1 / (1 - 0.3 * np.cos(anomaly)), rtol=1e-13)
    np.testing.assert_allclose(by_eccentricity, np.sin(anomaly) * slope, rtol=1e-12, atol=1e-15)
    assert root_of(0.82, 0.6, 0.3) == pytest.approx(float(kepler(0.6, 0.3)), rel=1e-6)


def test_the_methods_out_and_where_are_those_of_ufuncs():
    product = npp.vectorize(["float64(float64, float64)"])(lambda x, y: x * y * y)
    by_y = npp.derivative(product, "y")
    out = np.full(7, -1.0)
    by_y(X, Y, out=out, where=X > 1)
    np.testing.assert_array_equal(out, np.where(X > 1, 2 * X * Y, -1))
    assert by_y.outer(X, Y).shape == (7, 7)
    assert by_y.reduce([3.0, 5.0]) == 2 * 3 * 5


def test_pickled_derivatives_are_the_same():
    for made in (npp.derivative(kepler, "mean", 2), npp.gradient(wave), npp.hessian(wave)):
        copy = pickle.loads(pickle.dumps(made))
        np.testing.assert_array_equal(copy(X, Y * 0.1), made(X, Y * 0.1))


@pytest.mark.parametrize("mode", ["vector", "libm", "reproducible"])
def test_device_arrays_have_the_same_derivatives(mode):
    made = npp.vectorize(["float64(float64)"], math=mode)(lambda x: math.exp(x) * math.tanh(x) + x)
    by_x = npp.derivative(made, "x")
    expected = by_x(X)
    np.testing.assert_allclose(
        expected, np.exp(X) * (np.tanh(X) + np.cosh(X) ** -2.0) + 1, rtol=1e-15
    )
    with cuda.simulator():
        found = by_x(cuda.to_device(X)).copy_to_host()
    if mode == "reproducible":
        np.testing.assert_array_equal(found, expected)
    else:
        np.testing.assert_allclose(found, expected, rtol=2e-15)


@pytest.mark.parametrize(
    ("kernel", "slopes"),
    [
        (lambda x: min(x, 1.0), [1, 1, 0]),
        (lambda x: min(1.0, x), [1, 0, 0]),
        (lambda x: np.maximum(x, 1.0), [0, 1, 1]),
        (lambda x: np.clip(x, 1.0, 1.75), [0, 0, 1]),
        (lambda x: np.clip(x, 0.25, 1.0), [1, 0, 0]),
        (lambda x: abs(x - 1.0), [-1, 0, 1]),
    ],
)
def test_slopes_at_ties(kernel, slopes):
    slope = npp.derivative(npp.vectorize(kernel), "x")
    np.testing.assert_array_equal(slope([0.5, 1.0, 1.5]), slopes)


def test_uncertainties_propagate():
    value, deviation = npp.propagate(wave)(X, Y, 0.1, 0.2)
    by_x, by_y = npp.gradient(wave)(X, Y)
    np.testing.assert_array_equal(value, wave(X, Y))
    np.testing.assert_allclose(deviation, np.hypot(by_x * 0.1, by_y * 0.2), rtol=1e-14)
    correlated = npp.propagate(wave, correlation=[("x", "y")])
    variance = (by_x * 0.1) ** 2 + (by_y * 0.2) ** 2 + 2 * 0.5 * by_x * 0.1 * by_y * 0.2
    _, deviation = correlated(X, Y, 0.1, 0.2, 0.5)
    np.testing.assert_allclose(deviation, np.sqrt(variance), rtol=1e-13)
