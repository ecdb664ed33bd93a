"""Mistakes with records in kernels: the place, the message, the hint."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_source import define

import numpy_plugin as npp
from numpy_plugin import cuda

INNER = np.dtype([("u", "f4"), ("v", "i2")], align=True)
OTHER = np.dtype([("u", "f4"), ("v", "i2"), ("w", "i8")], align=True)


@pytest.mark.parametrize(
    ("line", "message", "hint"),
    [
        (
            "rows[0].w = 1",
            "a record has no 'w'",
            "its fields are u, v",
        ),
        (
            "out[0] = rows['x'][0]",
            "a 1-dimensional array of records has no 'x'",
            "its fields are u, v",
        ),
        (
            "rows[0] = others[0]",
            "rows[0] is a record with 2 fields, found a record",
            "assign its fields, or a tuple of their values",
        ),
        (
            "rows[0] = 1.5",
            "rows[0] is a record with 2 fields, found float64",
            "assign its fields, or a tuple of their values",
        ),
        (
            "rows[1:] = rows[0]",
            "rows[1:] is a 1-dimensional array of records with 2 fields, found a record",
            "assign one record at a time, in a loop",
        ),
        ("out[0] = rows[0, 1].u", "rows has 1 dimension, 2 indices given", ""),
        ("rows[0].u = rows", "rows[0].u is a float32, found a 1-dimensional array of records", ""),
        (
            "copied(rows).u = 2",
            "'copied(rows).u' cannot be assigned in a kernel",
            "",
        ),
    ],
)
def test_kernels(line, message, hint):
    names = define(
        f"def copied(rows):\n    return rows[0]\ndef kernel(rows, others, out):\n    {line}\n"
    )
    names["kernel"].__globals__["copied"] = npp.device(names["copied"])
    kernel = cuda.kernel(names["kernel"])
    with cuda.simulator(), pytest.raises(npp.KernelError) as caught:
        kernel[1, 1](np.zeros(2, INNER), np.zeros(2, OTHER), np.zeros(2))
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.message, diagnostic.hint or "") == (message, hint)
    assert diagnostic.line == 4


def test_fields_of_inputs_are_not_written():
    record = npp.from_dtype(INNER)
    kernel = define("def f(r):\n    r.u = 1.0\n    return r.v\n")["f"]
    with pytest.raises(npp.KernelError, match=r"'r\.u' belongs to a copy of a record and cannot"):
        npp.vectorize([npp.float64(record)])(kernel)


@pytest.mark.filterwarnings("ignore::numpy_plugin.KernelWarning")
def test_arrays_of_records_that_are_inputs_are_copied():
    record = npp.from_dtype(INNER)
    kernel = define("def f(rows, out):\n    rows[0].u = 1.5\n    out[:] = rows[0].u\n")["f"]
    rows = np.zeros(2, INNER)
    f = npp.guvectorize([npp.void(record[:], npp.float64[:])], "(n)->(n)")(kernel)
    assert f(rows).tolist() == [1.5, 1.5]
    assert rows["u"].tolist() == [0, 0]


def test_arguments():
    @cuda.kernel
    def kernel(rows):
        rows[0].a = 1

    with cuda.simulator():
        with pytest.raises(TypeError, match="argument 1 of 'kernel': kernels cannot use the field"):
            kernel[1, 1](np.zeros(2, [("a", "i4"), ("name", "S5")]))
        with pytest.raises(npp.KernelError, match="has no 'a'"):
            kernel[1, 1](np.zeros(2, INNER))
        rows = np.zeros(2, [("a", "i4")])
        kernel[1, 1](rows)
    assert rows["a"].tolist() == [1, 0]
