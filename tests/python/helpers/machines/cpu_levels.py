"""Prints digests of kernels' results, for one set of instructions. Run as a script."""

import hashlib
import json

import numpy as np

import numpy_plugin as npp

real = ["float32(float32, float32)", "float64(float64, float64)"]


@npp.vectorize(real, target="cpu")
def arithmetic(x, y):
    return np.sqrt(abs(x)) / (y + 3) - np.floor(x * y)


@npp.vectorize(["int32(int32, int32)", "int64(int64, int64)"], target="cpu")
def integers(x, y):
    return x // y + x % y * 3 - (x << 2)


@npp.vectorize(real, target="cpu")
def escape(x, y):
    z, n = x, 0
    while n < 40 and z * z < 4:
        z, n = z * z + y, n + 1
    return z if n < 20 else n - z


@npp.vectorize(real, target="cpu")
def functions(x, y):
    return np.exp(x) + np.sin(y) * np.log(abs(x) + 1) + abs(y) ** 1.25


@npp.guvectorize(["void(float64[:], float64[:], float64[:])"], "(n),(n)->()", target="cpu")
def dot(x, y, out):
    out[0] = 0
    for i in range(len(x)):
        out[0] += x[i] * y[i]


@npp.guvectorize(["void(float32[:], float32[:])"], "(n)->()", target="cpu")
def total(x, out):
    out[0] = np.sum(x)


def digest(values):
    if values.dtype.kind == "f":  # a NaN's sign is any
        values = np.where(np.isnan(values), values.dtype.type(np.nan), values)
    return hashlib.sha256(values.tobytes()).hexdigest()


def main():
    random = np.random.default_rng(3)
    x, y = random.uniform(-2, 2, (2, 500))
    x[::50], y[::70] = np.nan, np.inf
    i, j = random.integers(1, 1000, (2, 500))
    found = {}
    with np.errstate(all="ignore"):
        for n in (1, 3, 17, 500):
            for f in (arithmetic, escape):
                for dtype in "fd":
                    found[f"{f.__name__} {dtype} {n}"] = f(*(v[:n].astype(dtype) for v in (x, y)))
            for dtype in "il":
                found[f"integers {dtype} {n}"] = integers(i[:n].astype(dtype), j[:n].astype(dtype))
        found["total"] = total(np.cumsum(np.nan_to_num(x)).astype("f"))
        found["dot"] = dot(x[1:50].reshape(7, 7), y[1:50].reshape(7, 7))
        close = {dtype: functions(*(v.astype(dtype) for v in (x, y))) for dtype in "fd"}
    digests = {name: digest(values) for name, values in found.items()}
    assembly = npp.inspect(arithmetic).assembly(real[1])
    print(
        json.dumps(
            {
                "digests": digests,
                "close": {dtype: values.tolist() for dtype, values in close.items()},
                "registers": [name for name in ("xmm", "ymm", "zmm") if "%" + name in assembly],
            }
        )
    )


if __name__ == "__main__":
    main()
