"""A call in each of the main forms, for Nsight Compute to look at."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpu_check.settings import scaled
from numpy_plugin import cuda

N = scaled(1 << 27, 1 << 14)


def main() -> None:
    """Make each call once."""
    x: Any = cuda.ones(N, np.float32)
    out: Any = cuda.zeros(N, np.float32)
    mask: Any = cuda.ones(N, np.bool_)
    matrix = x.reshape(-1, 128)
    square = x[: 1 << (N.bit_length() - 1) // 2 * 2]
    square = square.reshape(1 << (N.bit_length() - 1) // 2, -1)
    np.add(x, x, out=out)
    np.add(x[1:], x[:-1], out=out[1:])
    np.add(x, x, out=out, where=mask)
    np.add(square.T, square)
    np.add(matrix[:, :64], 1)
    np.add(matrix[:, ::2], 1)
    np.exp(x, out=out)
    np.sum(x)
    np.sum(matrix, axis=0)
    np.sum(matrix, axis=1)
    x.argmax()
    np.cumsum(x)
    np.argsort(x[: 1 << 24])
    x[mask]
    cuda.synchronize()


if __name__ == "__main__":
    main()
