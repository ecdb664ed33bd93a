"""a*x + y, with its type signature in the spellings of several other packages."""

import numpy as np

import numpy_plugin as npp
from numpy_plugin import cuda, float32


def vec_saxpy(a: float, x: float, y: float) -> float:
    """a times x plus y."""
    return a * x + y


SPELLINGS = {
    "text": npp.vectorize(["float32(float32, float32, float32)"])(vec_saxpy),
    "type objects": npp.vectorize([float32(float32, float32, float32)])(vec_saxpy),
    "a bare type": npp.vectorize([float32])(vec_saxpy),
    "NumPy's": npp.vectorize("fff->f")(vec_saxpy),
}


def main() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 100_000)).astype(np.float32)
    a = np.float32(2.5)
    expected = a * x + y
    for spelling, saxpy in SPELLINGS.items():
        assert saxpy.types == ["fff->f"]
        result = saxpy(a, x, y)
        assert result.dtype == np.float32
        # No fused multiply-add by default, so the result is exact.
        assert np.array_equal(result, expected)
        print(f"{spelling}: {saxpy.types[0]}, equal to a*x + y")

    print("2.5 * 2 + 1 =", SPELLINGS["text"](a, np.float32(2), np.float32(1)))

    with cuda.current_device() if cuda.is_available() else cuda.simulator():
        dx, dy = cuda.to_device(x), cuda.to_device(y)
        for spelling, saxpy in SPELLINGS.items():
            assert np.array_equal(saxpy(a, dx, dy, out=dy).copy_to_host(), expected), spelling
            dy.copy_to_device(y)
    print("into y itself on a device: the same bits")


if __name__ == "__main__":
    main()
