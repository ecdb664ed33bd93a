"""`python pickles.py FIRST COUNT`: pickled ufuncs, changed at random, loaded.

Whatever comes in, there is a ufunc or an exception that is no bug; the process goes on.
There is no compiler here, so that what is typed and emitted ends in a CompilerError.
"""

from __future__ import annotations

import copyreg
import math
import os
import pickle
import random
import resource
import sys
import warnings
from typing import Any

os.environ["NUMPY_PLUGIN_CXX"] = "/bin/false"

import numpy as np

import numpy_plugin as npp

TABLE = np.array([[1.5, 2.5, 3.5], [4.0, 5.0, 6.0]])
STEPS = (1, 2.5, (3, 4j))
RATE = np.float32(0.25)


@npp.device
def halve(x, times=1):
    for _ in range(times):
        x = x / 2
        if x < 0.25:
            break
        elif x < 0.5:
            continue
        else:
            x = x - 0.125
    return x


@npp.device
def outer(x):
    return halve(x, times=2) + (halve(x) if x > 1 else math.sqrt(abs(x)))


@npp.vectorize
def inner(x):
    return 2 * x + RATE


@npp.vectorize
def branches(x, y=2):
    low, high = divmod(x, STEPS[1])
    total = 0.0
    while total < 10 and not (x == y) | (x != 0 <= y):
        total += outer(x) + TABLE[0, 1] - inner(y)
        if total > high:
            break
    return total, low if x > STEPS[0] else -high


@npp.vectorize
def raises(x, y):
    assert x < 1e9, f"{x} is too large"
    if y == 0:
        raise ZeroDivisionError("y is", y)
    elif y == 1:
        raise ValueError
    return x // y**2 & 0xFF if False else np.hypot(x, y) % math.pi


@npp.guvectorize("(m,n),(n)->(m)")
def rows(a, b, out):
    part = npp.local_array(3, npp.float64)
    for i in range(a.shape[0]):
        row = a[i, ::2]
        part[i % 3] = row[0]
        out[i] = part[0]
        for j in range(len(row)):
            out[i] += row[j] * b[2 * j]


body = npp.vectorize(
    args="x, y", outs="q, r", body="q = helper(x) / y; r = x - q;",
    preamble="template <class T> NPP_FUNCTION T helper(T x) { return x + 1; }",
)  # fmt: skip

SEEDS: list[tuple[np.ufunc, list[str]]] = [
    (branches, ["Tuple(float64, float64)(float64, float64)"]),
    (raises, ["float64(float64, float64)", "int32(int32, int64)"]),
    (rows, ["void(float64[:,:], float64[:], float64[:])"]),
    (body, ["float64, float64(float64, float64)"]),
    (npp.fuse(lambda x: inner(x) * 2), ["float32(float32)"]),
]


def pickled(number: int) -> tuple[Any, tuple[Any, ...]]:
    """Return what a pickle calls, and with what: a declaration with its types."""
    ufunc, signatures = SEEDS[number % len(SEEDS)]
    reduce = copyreg.dispatch_table[np.ufunc]  # type: ignore[index]
    rebuild, (version, (data, *others)) = reduce(ufunc)  # type: ignore[misc]
    return rebuild, (version, ({**data, "signatures": signatures}, *others))


def change(data: Any, choose: random.Random) -> Any:
    """Return nested data with one leaf, tuple or dict changed."""
    if isinstance(data, (tuple, list)) and data and choose.random() < 0.95:
        number = choose.randrange(len(data))
        items = [*data]
        if choose.random() < 0.05:
            del items[number]
        else:
            items[number] = change(items[number], choose)
        return type(data)(items)
    if isinstance(data, dict) and data and choose.random() < 0.95:
        name = choose.choice([*data, *(["syntax"] * 20 if "syntax" in data else [])])
        return {**data, name: change(data[name], choose)}
    if isinstance(data, int) and choose.random() < 0.5:
        return data + choose.choice([-1000, -1, 1, 1000])
    words = [
        "", "x", "Name", "BinOp", "If", "Break", "Tuple", "Compare", "Add", "Eq", "ufunc", "array",
        "exception", "external", "typed", "device", "thread", "function", "float64", "int8",
    ]  # fmt: skip
    values = [None, -1, 0, 1, 2**31, 2**70, 1.5, math.nan, 1j, True, b"", b"12345678", (), ((),)]
    wrapped = [(data,), (data, data), [data], str(data)[:20], np.add, inner, ValueError]
    return choose.choice([choose.choice(words), choose.choice(values), choose.choice(wrapped)])


def load_changed_data(seed: int) -> None:
    choose = random.Random(seed)
    rebuild, arguments = pickled(seed)
    made_from = arguments[1]
    for _ in range(choose.randint(1, 3)):
        made_from = change(made_from, choose)
    rebuild(arguments[0], made_from)


def load_changed_bytes(seed: int) -> None:
    choose = random.Random(seed)
    data = bytearray(pickle.dumps(pickled(seed), protocol=choose.choice([2, 4, 5])))
    for _ in range(choose.randint(1, 4)):
        at = choose.randrange(len(data))
        if choose.random() < 0.7:
            data[at] = choose.randrange(256)
        else:
            data[at : at + choose.randrange(3)] = choose.randbytes(choose.randrange(3))
    rebuild, arguments = pickle.loads(bytes(data))
    if rebuild is pickled(seed)[0]:
        rebuild(*arguments)


def main(first: int, count: int) -> None:
    warnings.simplefilter("ignore")
    # The memo of a mutated pickle may have any size.
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    for seed in range(first, first + count):
        for run in (load_changed_data, load_changed_bytes):
            print(f"{run.__name__}({seed})", file=sys.stderr)
            try:
                run(seed)
            except SystemError:  # a bug of this package is reported as one
                raise
            except Exception:
                continue


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
