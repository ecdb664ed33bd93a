"""Copies between a device and the host: none by NumPy's functions, few by what shows an array."""

import json
import re

import numpy as np
import pytest
from machines.counting_driver import run_with_driver
from machines.device_under_test import device_under_test

from numpy_plugin import cuda

PROGRAM = """
import json

x = cuda.to_device(np.arange(12, dtype=np.float32).reshape(3, 4))
functions = {
    "where": lambda: np.where(x > 1, x, 0),
    "clip": lambda: x.clip(1, 5),
    "round": lambda: np.round(x, 1),
    "concatenate": lambda: np.concatenate([x, x]),
    "pad": lambda: np.pad(x, 1),
    "roll": lambda: np.roll(x, 5),
    "tile": lambda: np.tile(x, (2, 2)),
    "tril": lambda: np.tril(x),
    "views": lambda: (np.flip(x), np.squeeze(x[None]), np.split(x, 3), np.diagonal(x)),
    "mean and variance": lambda: (x.mean(axis=0), x.var()),
    "argmax": lambda: x.argmax(axis=1),
    "norm": lambda: np.linalg.norm(x),
    "tensordot": lambda: np.tensordot(x, x, ((1,), (1,))),
    "einsum": lambda: np.einsum("ij,ij->i", x, x),
    "sort": lambda: np.sort(x, axis=0),
    "take": lambda: np.take(x, [0, 2]),
    "linspace": lambda: cuda.linspace(0, 1, 100),
    "random": lambda: cuda.random.normal(1, shape=100),
    "item": lambda: x[0, 1].item(),
    "array_equal": lambda: np.array_equal(x, x),
    "tolist": lambda: x.tolist(),
}
calls = {}
for name, function in functions.items():
    function()
    calls[name] = driver.calls(function)
print(json.dumps(calls))
"""

READING = {"item", "array_equal", "tolist"}


def test_which_functions_copy_to_the_host():
    calls = json.loads(run_with_driver(PROGRAM))
    assert len(calls) == 21
    copying = {name for name, names in calls.items() if any("DtoH" in each for each in names)}
    assert copying == READING, calls
    assert calls["views"] == []
    assert all(calls[name].count("cuLaunchKernel") == 1 for name in ("clip", "round", "tensordot"))


# --- notebooks ---


@pytest.fixture
def device():
    with device_under_test() as made:
        yield made


def test_tables_of_notebooks(device):
    text = cuda.to_device(np.array([[1.5, -2], [3, 4]]))._repr_html_()
    caption, *rows = re.findall(r"<caption>.*?</caption>|<tr>.*?</tr>", text)
    assert caption == f"<caption>DeviceArray, shape (2, 2), float64, on {device.name}</caption>"
    assert rows == ["<tr><td>1.5</td><td>-2.0</td></tr>", "<tr><td>3.0</td><td>4.0</td></tr>"]


def test_tables_show_the_ends(device):
    text = cuda.arange(1000).reshape(20, 50)._repr_html_()
    rows = [re.findall(r"<td>(.*?)</td>", row) for row in re.findall(r"<tr>.*?</tr>", text)]
    assert len(rows) == 7 and rows[3] == ["…"] * 7
    assert rows[0] == ["0", "1", "2", "…", "47", "48", "49"]
    assert rows[-1] == ["950", "951", "952", "…", "997", "998", "999"]


@pytest.mark.parametrize("shape", [(), (0, 3), (2, 2, 2)])
def test_other_arrays_are_shown_as_text(device, shape):
    x = cuda.zeros(shape)
    assert x._repr_html_().startswith("<pre>DeviceArray(")
    assert cuda.to_device(np.array(["<b>"], "S3"))._repr_html_().count("&lt;b&gt;") == 1
