"""Texts of messages by name, and letters as numbers."""

import math

import numpy as np
import pytest
from machines.device_under_test import needs_simulator

import numpy_plugin as npp
from numpy_plugin import cuda

NEGATIVE = "a negative number"
MODE = "i"


class Texts:
    LARGE = "a large number"


def test_letters_are_numbers():
    @npp.vectorize(["int64(int64)"])
    def f(x):
        return 1 if x == ord("j") else ord(MODE)

    assert f([106, 0]).tolist() == [1, 105]


@npp.vectorize(["float64(float64)"])
def checked(x):
    message = "not a number"
    if x != x:
        raise ValueError(message)
    if x < 0:
        raise ArithmeticError(NEGATIVE, x)
    if x > 100:
        raise OverflowError(f"{Texts.LARGE}: {x}, {message}")
    return x


@pytest.mark.parametrize(
    ("x", "kind", "arguments"),
    [
        (math.nan, ValueError, ("not a number",)),
        (-2.0, ArithmeticError, ("a negative number", -2.0)),
        (105.0, OverflowError, ("a large number: 105.0, not a number",)),
    ],
)
@pytest.mark.parametrize("on_device", [False, pytest.param(True, marks=needs_simulator)])
def test_texts_of_messages_by_name(x, kind, arguments, on_device):
    with cuda.simulator(), pytest.raises(kind) as caught:
        if on_device:
            checked(cuda.to_device(np.array([x]))).copy_to_host()
        else:
            checked(x)
    assert caught.value.args == arguments


def test_a_text_that_is_used_elsewhere_is_refused():
    def f(x):
        message = "a"
        return x + message

    with pytest.raises(npp.KernelError, match="a string in a kernel"):
        npp.vectorize(["float64(float64)"])(f)


def test_a_text_that_changes_is_refused():
    def f(x):
        message = "a"
        if x > 1:
            message = "b"
        if x > 0:
            raise ValueError(message)
        return x

    with pytest.raises(npp.KernelError, match="a string in a kernel"):
        npp.vectorize(["float64(float64)"])(f)
