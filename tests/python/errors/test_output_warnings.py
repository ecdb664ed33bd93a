"""Warnings about outputs that a kernel reads before it writes them, and none about others."""

import re
import warnings

import numpy as np
import pytest
from kernel_source import define

import numpy_plugin as npp

ENDING = " is read before it is written: a call without out= reads what was in memory"
HELPERS = """
@npp.device
def add(o, v):
    o[0] += v

@npp.device
def start_or_add(i, o, v):
    if i == 0:
        o[0] = v
    else:
        o[0] += v

@npp.device
def clear(o):
    for i in range(o.shape[0]):
        o[i] = 0.0

@npp.device
def maybe_start(i, o, v):
    if i == 0:
        o[0] = v
        return
    o[0] += v

"""


def warned(bodies, **keywords):
    """The warnings of a kernel of `x` with these bodies, each for an output `o` of its own."""
    outputs = [f"o{i}" for i in range(len(bodies))]
    lines = [
        f"    {line}"
        for output, body in zip(outputs, bodies, strict=True)
        for line in re.sub(r"\bo\b", output, body.strip("\n")).split("\n")
    ]
    source = f"{HELPERS}def f(x, {', '.join(outputs)}):\n    n = len(x)\n" + "\n".join(lines) + "\n"
    arrays = ", ".join(["float64[:]"] * (1 + len(bodies)))
    layout = "(n)->" + ",".join(["(n)"] * len(bodies))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        npp.guvectorize([f"void({arrays})"], layout, **keywords)(define(source)["f"])
    assert all(issubclass(warning.category, npp.KernelWarning) for warning in caught)
    return [str(warning.message) for warning in caught]


READ_FIRST = {
    "for k in range(n):\n    o[0] += x[k]": "o[0]",
    "o[0] = o[0] + 1": "o[0]",
    "for i in range(1, n):\n    o[i] = o[i - 1] + x[i]": "o[i - 1]",
    "o[:] += x": "o[:]",
    "o *= x": "o",
    "row = o[1:]\nrow[0] += x[1]": "row[0]",
    "o[1:] = o[:-1]": "o[:-1]",
    "if x[0] > 0:\n    o[0] *= 2": "o[0]",
    "while o[0] < 3:\n    o[0] += 1": "o[0]",
    "for i in range(n):\n    for j in range(n):\n        o[i] -= x[j]": "o[i]",
    "for i in range(n):\n    if x[0] > 1:\n        o[0] -= x[i]": "o[0]",
    "for k in range(n):\n    if x[k] < 0:\n        break\n    o[1] += x[k]": "o[1]",
    "o[0] = 1\no[1] += o[0]": "o[1]",
    "o[0] = x[0] if x[0] > 0 else o[0]": "o[0]",
    "best = o[0] > 1 and x[0] > o[0]\no[0] = best": "o[0]",
}


def test_reads_before_writes():
    found = warned(list(READ_FIRST))
    shown = [re.sub(r"\bo\d+", "o", text.partition("\n")[0]) for text in found]
    assert shown == [f"{part}{ENDING}" for part in READ_FIRST.values()]


@pytest.mark.parametrize("call", ["add(o, x[0])", "for k in range(n):\n    add(o, x[k])"])
def test_a_device_function_reads(call):
    (text,) = warned([call])
    assert text.startswith(f"o[0]{ENDING}\n")
    assert "in add\n    o[0] += v\n    ^^^^\n" in text


WRITTEN_FIRST = """
o[0] = 0
for k in range(n):
    o[0] += x[k]

o[:] = 0
o += x

o[0] = x[0]
for i in range(1, n):
    o[i] = o[i - 1] + x[i]

for i in range(n):
    o[i] = x[i]
for i in range(n):
    o[i] /= o[0]

for i in range(n):
    if i == 0:
        o[i] = x[i]
    else:
        o[i] = o[i - 1] + x[i]

for i in range(n):
    if i > 0:
        o[i] = o[i - 1] + x[i]
    else:
        o[i] = x[i]

for i in range(n):
    o[i] = o[i - 1] + x[i] if i > 0 else x[i]

for i in range(n):
    o[i] = i > 0 and o[i - 1] > x[i]

for i in range(n):
    s = x[i]
    for j in range(i):
        s += o[j]
    o[i] = s

for i in range(n):
    if i == 0:
        o[0] = x[0]
        continue
    o[i] = o[i - 1] * x[i]

is_first = True
for i in range(n):
    if is_first:
        o[0] = x[i]
        is_first = False
    else:
        o[0] += x[i]

clear(o)
o[0] += x[0]

for i in range(n):
    start_or_add(i, o, x[i])

for i in range(n):
    maybe_start(i, o, x[i])

o[:] = x
for i in range(1, n):
    j = i
    while j > 0 and o[j - 1] > o[j]:
        o[j - 1], o[j] = o[j], o[j - 1]
        j -= 1

o[0] = len(o) + o.shape[0]

row = o[1:]
row[:] = 1
row[0] += x[1]

o[-1] = 1  # of one element
o[0] += x[0]
"""


def test_writes_before_reads():
    assert warned(WRITTEN_FIRST.split("\n\n")) == []


def test_the_whole_text():
    (text,) = warned(["for k in range(n):\n    o[0] += x[k]"])
    assert re.sub(r"kernel_\d+", "kernel", text) == (
        f"o0[0]{ENDING}\n"
        '  File "kernel.py", line 28, in f\n'
        "    o0[0] += x[k]\n"
        "    ^^^^^\n"
        "  hint: assign it first, or make it an input that writable_args= names"
    )


def test_inputs_changed_in_place_are_read():
    f = define("def f(x, y):\n    y[0] += x[0]\n")["f"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        npp.guvectorize(["void(float64[:], float64[:])"], "(n),(n)", writable_args=("y",))(f)


def test_a_lazy_kernel_warns_at_its_first_call():
    f = npp.guvectorize("(n)->()")(define("def f(x, o):\n    o[0] += x[0]\n")["f"])
    with pytest.warns(npp.KernelWarning, match=re.escape(f"o[0]{ENDING}")):
        f(np.ones(3), out=np.ones(()))
