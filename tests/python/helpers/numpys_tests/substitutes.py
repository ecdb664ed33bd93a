"""A ufunc of this package for each of NumPy's that a kernel can express, in four forms."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from kernel_source import function

import numpy_plugin as npp
from numpys_tests.on_device import OnDevice

FORMS = ["declared", "lazy", "parallel", "device"]

# : Ufuncs whose kernel is the function of that name.
OF_NUMBERS = """
absolute add arccos arccosh arcsin arcsinh arctan arctan2 arctanh bitwise_and bitwise_count
bitwise_or bitwise_xor cbrt ceil clip conjugate copysign cos cosh deg2rad degrees divide divmod
equal exp exp2 expm1 fabs float_power floor floor_divide fmax fmin fmod frexp gcd greater
greater_equal heaviside hypot invert isfinite isinf isnan isnat lcm ldexp left_shift less less_equal
log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or logical_xor maximum
minimum modf multiply negative nextafter not_equal positive power rad2deg radians reciprocal
remainder right_shift rint sign signbit sin sinh spacing sqrt square subtract tan tanh trunc
"""

# : Ufuncs with core dimensions, and their kernels.
OF_ARRAYS = {
    "matmul": """
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = 0
            for k in range(a.shape[1]):
                out[i, j] += a[i, k] * b[k, j]
""",
    "matvec": """
    for i in range(out.shape[0]):
        out[i] = 0
        for k in range(a.shape[1]):
            out[i] += a[i, k] * b[k]
""",
    "vecdot": """
    out[0] = 0
    for k in range(a.shape[0]):
        out[0] += np.conjugate(a[k]) * b[k]
""",
    "vecmat": """
    for j in range(out.shape[0]):
        out[j] = 0
        for k in range(a.shape[0]):
            out[j] += np.conjugate(a[k]) * b[k, j]
""",
}

ALL = [*OF_NUMBERS.split(), *OF_ARRAYS]
# : Ufuncs replaced in the quick run; each additional one costs a compilation.
FEW = """
add divide equal maximum negative
"""

# : NumPy's type characters supported by this package, one per type.
TYPES = set("?bBhHiIlLefdFDMm")
MISSING_TYPES = set("gGOSUV")
SAME_TYPE = str.maketrans("qQ", "lL")

# : Kernels do not order complex numbers, like Python.
REAL_ONLY = {"clip", "greater", "greater_equal", "less", "less_equal"}

# : Their reductions go over several axes at once, in any order, and have no identity.
REORDERABLE = {"maximum", "minimum", "fmax", "fmin"}


def signatures(ufunc: np.ufunc) -> list[str]:
    """Return NumPy's own loops of the types that this package has."""
    types = TYPES - set("FD") if ufunc.__name__ in REAL_ONLY else TYPES
    types = types - set("?") if ufunc.signature else types
    loops = dict.fromkeys(loop.translate(SAME_TYPE) for loop in ufunc.types)
    return [loop for loop in loops if set(loop) <= types | set("->")]


def substitute(name: str, form: str) -> Any:
    """Return a ufunc of this package that computes what NumPy's of that name does."""
    if form == "device":
        return OnDevice(substitute(name, "lazy"))
    numpys = getattr(np._core.umath, name)
    named = {"name": name, "target": "parallel" if form == "parallel" else "cpu"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", npp.KernelWarning)  # about code that NumPy intends
        if name in OF_ARRAYS:
            kernel = function(f"def f(a, b, out):{OF_ARRAYS[name]}")
            types = None if form == "lazy" else signatures(numpys)
            return npp.guvectorize(types, numpys.signature, **named)(kernel)
        arguments = "x" if numpys.nin == 1 else ", ".join(f"x{i + 1}" for i in range(numpys.nin))
        call = name if name == "divmod" else f"np.{name}"
        kernel = function(f"def f({arguments}):\n    return {call}({arguments})\n")
        named["identity"] = "reorderable" if name in REORDERABLE else numpys.identity
        types = None if form == "lazy" else signatures(numpys)
        return npp.vectorize(types, **named)(kernel)
