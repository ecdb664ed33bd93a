"""`(d := x - y)` in kernels, as Python evaluates it."""

import itertools

import numpy as np
import pytest
from kernel_source import error_of, function

import numpy_plugin as npp
from numpy_plugin import cuda

KERNELS = {
    "a branch": """
if (d := x - y) > 0:
    return d
return y - d
""",
    "elif": """
if x > 2:
    return x
elif (d := x - y) > 0:
    return d * 10
else:
    return d - y
""",
    "the first operand of and": """
if (d := x - y) > 0 and x > 1:
    return d
return d + 1
""",
    "a later operand of and": """
d = -7.0
if x > 1 and (d := x - y) > 0 and y > -1:
    return d
return d + 1
""",
    "a loop": """
n = 0
while (d := x - n) > y and n < 9:
    n += 1
return d + n
""",
    "a loop by its second operand": """
d = 0.5
while x > -3 and (d := x * y) > 1:
    x -= 1
    if x == 0:
        continue
return x + d
""",
    "chained comparisons": "return 1.0 if -1 < (d := x - y) < 3 else d",
    "an assignment, and another in it": """
a = (b := (c := x + 1) * 2) + 1
return a + 10 * b + 100 * c
""",
    "several": "return (a := x * 2) + (b := y * 3) + a * b",
    "an update": """
total = y
total += (d := x - y) * d
return total
""",
    "a call": "return np.sqrt(abs((d := x - y))) + d",
    "a range": """
total = 0.0
for i in range(n := int(abs(x))):
    total += i
return total + n
""",
    "an assertion": """
assert (d := abs(x) + 1) > 0
return d
""",
    "of names that change": """
a = x
return (b := a) + (a := y) * 2 + b
""",
    "in a function inside": """
def difference(u, v):
    if (d := u - v) > 0:
        return d
    return -d
return difference(x, y)
""",
}


@pytest.mark.filterwarnings("ignore::numpy_plugin.KernelWarning")
@pytest.mark.parametrize("body", KERNELS.values(), ids=KERNELS)
def test_values_are_pythons(body):
    lines = "".join(f"    {line}\n" for line in body.strip().splitlines())
    kernel = function(f"def f(x, y):\n{lines}", np=np)
    f = npp.vectorize(["float64(float64, float64)"])(kernel)
    x, y = np.array(list(itertools.product(np.arange(-3.0, 4.0), repeat=2))).T
    expected = [kernel(*pair) for pair in zip(x, y, strict=True)]
    np.testing.assert_allclose(f(x, y), expected, rtol=1e-15)
    with cuda.simulator(memory="64 MiB"):
        on_device = f(cuda.to_device(x), cuda.to_device(y)).copy_to_host()
    np.testing.assert_allclose(on_device, expected, rtol=1e-15)


REFUSED = {
    "a later operand of or": "return 1.0 if x > 0 or (d := y) > 1 else 2.0",
    "one side of a selection": "return x if x > 0 else (d := y)",
    "the third of a chain": "return 1.0 if 0 < x < (d := y) else 2.0",
    "of a name that is read before": "return x + (x := y)",
    "read in its value": "return (a := x + (x := y)) + x",
    "after a call": "return np.sqrt(x) + (d := y)",
    "in an index that is assigned": """
a = npp.local_array(3, npp.float64)
a[(i := 1)] = x
return a[i]
""",
    "in a comprehension": "return sum((d := v) for v in (x, y))",
}


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED)
def test_others_are_refused(body):
    lines = "".join(f"    {line}\n" for line in body.strip().splitlines())
    declare = npp.vectorize(["float64(float64, float64)"])
    text = str(error_of(declare, f"def f(x, y):\n{lines}", np=np, npp=npp))
    assert "':=' cannot be used here in a kernel" in text
    assert "hint: assign on a line of its own" in text
