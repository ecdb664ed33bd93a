"""A loop in a kernel with operands of two types: as a C++ body, and as a Python `for`."""

import numpy as np

import numpy_plugin as npp

intpow = npp.vectorize(
    ["float64(float64, int64)"],
    name="intpow",
    args="x, n",
    outs="out",
    body="""
        out = 1;
        for (int i = 0; i < n; i++) out *= x;
    """,
)


@npp.vectorize(["float64(float64, int64)"])
def intpow_python(x: float, n: int) -> float:
    """x to the power of an integer n, by repeated multiplication."""
    out = 1.0
    for _ in range(n):
        out *= x
    return out


def main() -> None:
    rng = np.random.default_rng(1)
    x = rng.uniform(0.5, 2.0, size=(1000, 1))
    n = np.arange(30)

    from_cpp = intpow(x, n)
    from_python = intpow_python(x, n)
    assert np.array_equal(from_cpp, from_python)
    print("the C++ body and the Python loop give the same bits:", from_cpp.shape)

    # Each multiplication may add half an ulp, doubled when the result crosses a power of two.
    ulps = np.abs(from_cpp - x**n) / np.spacing(x**n)
    assert np.all(ulps <= 2 * np.maximum(n, 1)), f"{ulps.max():.1f} ulp"
    print("within 2 ulp a step of x**n")

    assert intpow(2.0, 10) == 1024.0
    print("2**10 =", intpow(2.0, 10))


if __name__ == "__main__":
    main()
