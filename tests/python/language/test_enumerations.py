"""Members of enumerations in kernels: numbers, values, and comparisons of members."""

from __future__ import annotations

import pickle
from enum import Enum, IntEnum, IntFlag
from types import ModuleType

import numpy as np
import pytest
from kernel_source import function

import numpy_plugin as npp
from numpy_plugin import cuda


class Status(IntEnum):
    """Members are numbers."""

    OK = 200
    NOT_FOUND = 404
    FAILED = 500


class Access(IntFlag):
    """Members are numbers that can be combined."""

    READ = 1
    WRITE = 2


class Color(Enum):
    """Members are only compared; their values are numbers."""

    RED = 1.5
    GREEN = (2, 7)
    SCARLET = 1.5


MODE = Color.RED


@npp.vectorize(["int64(int64)"])
def answered(x):
    """A status for a status."""
    if x == Status.NOT_FOUND:
        return Status["FAILED"]
    return x - Status.OK + (x & (Access.READ | Access.WRITE))


def test_integer_members_are_numbers():
    x = np.array([200, 404, 403, 3], np.int64)
    expected = [answered.__wrapped__(item) for item in x.tolist()]
    assert answered(x).tolist() == expected
    assert pickle.loads(pickle.dumps(answered))(x).tolist() == expected
    with cuda.simulator():
        assert answered(cuda.to_device(x)).copy_to_host().tolist() == expected


def test_integer_members_have_no_type_of_their_own():
    @npp.vectorize
    def with_status(x):
        return x + Status.OK

    for dtype in (np.float32, np.int16, np.complex64):
        found = with_status(np.ones(1, dtype))
        assert (found.dtype, found[0]) == (dtype, 201)


EXPRESSIONS = [
    "Color.RED.value",
    "Color['RED'].value",
    "MODE.value",
    "Color.GREEN.value[1]",
    "Status.OK.value",
    "Status['OK'] + 1",
    "np.int16(Status.OK)",
    "Color.RED == Color.GREEN",
    "Color.RED != Color.GREEN",
    "Color.RED == Color.SCARLET",
    "MODE is Color.RED",
    "MODE is not Color['RED']",
    "Color.RED == Status.OK",
    "Status.OK is Status.FAILED",
]


def test_values_and_comparisons_are_those_of_python():
    source = f"def f(x):\n    return {', '.join(EXPRESSIONS)}\n"
    f = npp.vectorize(function(source, **globals()))
    for text, found in zip(EXPRESSIONS, f(0), strict=True):
        expected = np.asarray(eval(text))
        assert (found, found.dtype) == (expected, expected.dtype), text


def test_a_member_chooses_a_branch():
    @npp.vectorize(["float64(float64)"])
    def scaled(x):
        if MODE == Color.GREEN:
            return x * Color.GREEN.value[0]
        return x * MODE.value

    assert scaled(2.0) == 3.0


def test_members_of_a_class_in_a_module():
    enums = ModuleType("enums")
    enums.Color = Color
    source = "def f(x):\n    return x * enums.Color.GREEN.value[1] + (enums.Color.RED is MODE)\n"
    assert npp.vectorize(function(source, enums=enums, MODE=MODE))(2.0) == 15.0


MISTAKES = {
    "Color.RED": ("'Color.RED' is an Enum member", "use Color.RED.value"),
    "MODE": ("'MODE' is an Enum member", "use MODE.value"),
    "(x == Color.RED)": ("'Color.RED' is an Enum member", "use Color.RED.value"),
    "Color['RED']": ("'Color['RED']' is an Enum member", "use Color['RED'].value"),
    "Status.MISSING": ("Status has no 'MISSING' in a kernel", ""),
    "Status.OK.name": ("'Status.OK.name' is a string; kernels can use numbers", ""),
}


@pytest.mark.parametrize("text", MISTAKES)
def test_mistakes(text):
    source = f"def f(x):\n    return {text} + x\n"
    with pytest.raises(npp.KernelError) as caught:
        npp.vectorize(["float64(float64)"])(function(source, **globals()))
    message, hint = MISTAKES[text]
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.message.startswith(message)
    assert hint in diagnostic.hint


def test_a_parameter_hides_an_enumeration():
    source = "def f(Color):\n    return Color.RED == Color.GREEN\n"
    with pytest.raises(npp.KernelError, match="float64 has no 'RED'"):
        npp.vectorize(["bool(float64)"])(function(source, **globals()))
