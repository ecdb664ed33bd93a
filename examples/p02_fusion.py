"""map(f, map(g)) as one kernel: the composed ufunc has one loop and no temporaries."""

from typing import Any

import numpy as np
import numpy.typing as npt

import numpy_plugin as npp
from numpy_plugin import cuda


@npp.vectorize(["float32(float32)", "float64(float64)"])
def damped(x: float) -> float:
    """The inner map."""
    return x / (1 + x * x)


@npp.vectorize(["float32(float32)", "float64(float64)"])
def shifted(x: float) -> float:
    """The outer map."""
    return (x + 1) / 2


both = npp.compose(shifted, damped)


@npp.fuse
def written_out(x: npt.NDArray[Any]) -> Any:
    """The same composition, written by hand."""
    return shifted(damped(x))


def main() -> None:
    x = np.random.default_rng(2).normal(size=1_000_000)
    two_passes = shifted(damped(x))
    assert np.array_equal(both(x), two_passes)
    assert np.array_equal(written_out(x), two_passes)
    print(f"{x.size:,} values in one pass: the bits of two")

    source = npp.inspect(both).source("cpu", "float64(float64)")
    assert source.count("_LOOP(") == 1
    assert "new" not in source and "malloc" not in source
    print("its source holds one loop and no temporary:", both.types)

    with cuda.current_device() if cuda.is_available() else cuda.simulator():
        dx = cuda.to_device(x[:10_000])
        once = both(dx).copy_to_host()
        assert np.array_equal(once, shifted(damped(dx)).copy_to_host())
        assert np.array_equal(once, two_passes[:10_000])
    print("one launch on a device array: the same bits")


if __name__ == "__main__":
    main()
