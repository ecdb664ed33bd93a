"""Attributes of classes and of objects that keep values: constants of a kernel's declaration."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from enum import Enum
from types import SimpleNamespace

import numpy as np
import pytest
from kernel_source import define, error_of

import numpy_plugin as npp
from numpy_plugin import cuda


class Color(Enum):
    """A member is an attribute of a class below."""

    RED = 1
    GREEN = 2


@npp.device
def doubled(x):
    """Return 2 * x."""
    return 2 * x


class Config:
    """Constants of a program."""

    N = 3
    SHAPE = (2, 5)
    SCALE = np.float32(0.5)
    TABLE = np.array([10.0, 20.0])
    DTYPE = np.int32
    COLOR = Color.GREEN
    MASK = None

    twice = doubled

    class Inner:
        """Nested."""

        OFFSET = 100.0


@dataclass(frozen=True)
class Settings:
    """An instance keeps values."""

    factor: float = 4.0
    sizes: tuple = (7, 8)


SETTINGS = Settings(factor=2.0)
NAMES = SimpleNamespace(shift=1000, inner=SETTINGS)


def combined(x):
    """Use them all."""
    y = Config.N * x + Config.SHAPE[1] + Config.TABLE[1] + Config.Inner.OFFSET
    if Config.COLOR is Color.GREEN and Config.MASK is None:
        y += doubled(Config.SCALE)
    for size in SETTINGS.sizes:
        y += size * SETTINGS.factor
    return y + NAMES.shift + NAMES.inner.factor + Config.DTYPE(x) + Config.twice(x)


def test_values_are_those_of_python():
    f = npp.vectorize(["float64(float64)"])(combined)
    x = np.array([0.25, 2.5])
    wanted = 3 * x + 5 + 20 + 100 + 1 + 30 + 1000 + 2 + x.astype(int) + 2 * x
    np.testing.assert_array_equal(f(x), wanted)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(f))(x), wanted)
    with cuda.simulator():
        np.testing.assert_array_equal(f(cuda.to_device(x)).copy_to_host(), wanted)


def test_a_change_is_reported():
    source = "class Config:\n    N = 2\ndef f(x):\n    return x * Config.N\n"
    names = define(source)
    f = npp.vectorize(names["f"])
    assert f(2.0) == 4.0
    names["Config"].N = 5
    with pytest.warns(npp.KernelWarning, match=r"'Config.N' was 2 when f was declared and is 5"):
        assert f(np.float32(2)) == 4.0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Config.M", "Config has no 'M' in a kernel"),
        ("Config.NAME", "'Config.NAME' is a string; kernels can use numbers, tuples and arrays"),
        ("Config()", "Config cannot be called in a kernel"),
    ],
)
def test_other_attributes_are_errors(text, message):
    source = f"class Config:\n    N = 2\n    NAME = 'a'\ndef f(x, y):\n    return x * {text}\n"
    error = error_of(npp.vectorize(["float32(float32, float32)"]), source)
    assert message in error.diagnostics[0].message
