"""`match` on numbers."""

from enum import IntEnum

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda


class Mode(IntEnum):
    UP = 1
    DOWN = 2


def values(x, mode):
    match mode:
        case 0:
            return x
        case Mode.UP | 5 | -7:
            return x + 1.0
        case Mode.DOWN if x > 1:
            return x - 1.0
        case _:
            return 0.0


def captured(x, mode):
    result = x
    match mode:
        case 0:
            result = -1.0
        case other:
            result = x * other
    return result


def without_default(x, mode):
    match mode:
        case 1:
            x = 7.0
        case 2:
            x = 8.0
    return x


def guarded(x, mode):
    match mode:
        case _ if x > 1:
            return 1.0
        case 2:
            return 2.0
    return 3.0


def nested(x, mode):
    total = 0.0
    for i in range(4):
        match i:
            case 2:
                break
            case _:
                match mode:
                    case 1:
                        total += x
                    case _:
                        continue
    return total


X = np.array([0.5, 1.0, 2.5, 2.5, -1.0, 4.0, 3.0])
MODES = np.array([0, 1, 2, 5, 2, -7, 9])


@pytest.mark.parametrize(
    "f", [values, captured, without_default, guarded, nested], ids=lambda f: f.__name__
)
def test_values_are_the_interpreters(f):
    kernel = npp.vectorize(["float64(float64, int64)"])(f)
    expected = [f(x, mode) for x, mode in zip(X.tolist(), MODES.tolist(), strict=True)]
    np.testing.assert_array_equal(kernel(X, MODES), expected)
    with cuda.simulator():
        found = kernel(cuda.to_device(X), cuda.to_device(MODES))
        np.testing.assert_array_equal(found.copy_to_host(), expected)


def of_a_sequence(x, mode):
    match mode:
        case [a, b]:
            return a + b
    return x


def of_a_call(x, mode):
    match abs(mode):
        case 1:
            return x
    return 0.0


@pytest.mark.parametrize("f", [of_a_sequence, of_a_call], ids=lambda f: f.__name__)
def test_other_patterns_and_calls_are_refused(f):
    with pytest.raises(npp.KernelError, match="'match' cannot be used in a kernel"):
        npp.vectorize(["float64(float64, int64)"])(f)
