"""A generalized ufunc: the matrix product as three loops, for stacks and any strides."""

from typing import Any

import numpy as np
import numpy.typing as npt

import numpy_plugin as npp
from numpy_plugin import cuda

Matrix = npt.NDArray[Any]


@npp.guvectorize(
    ["void(float64[:,:], float64[:,:], float64[:,:])", "void(int64[:,:], int64[:,:], int64[:,:])"],
    "(m,k),(k,n)->(m,n)",
)
def matmul(a: Matrix, b: Matrix, out: Matrix) -> None:
    """The product of two matrices."""
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            total = 0 * a[i, 0]
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            out[i, j] = total


def main() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 64, 64))
    assert type(matmul) is np.ufunc and matmul.signature == "(m,k),(k,n)->(m,n)"
    np.testing.assert_allclose(matmul(a, b), np.matmul(a, b), rtol=0, atol=1e-12)
    print("64x64 by 64x64: within 1e-12 of np.matmul")

    stack = rng.normal(size=(10, 3, 4))
    others = rng.normal(size=(10, 4, 2))
    np.testing.assert_allclose(matmul(stack, others), stack @ others, rtol=0, atol=1e-14)
    print("ten 3x4 by 4x2:", matmul(stack, others).shape)

    assert np.array_equal(matmul(a.T, b[::-1]), matmul(a.T.copy(), b[::-1].copy()))
    print("transposed and reversed operands give the same bits as copies of them")

    whole = np.arange(6).reshape(2, 3)
    assert np.array_equal(matmul(whole, whole.T), whole @ whole.T)
    print("integers:", matmul(whole, whole.T).tolist())

    with cuda.current_device() if cuda.is_available() else cuda.simulator():
        product = matmul(cuda.to_device(a), cuda.to_device(b))
        assert np.array_equal(product.copy_to_host(), matmul(a, b))
        stacked = matmul(cuda.to_device(stack), cuda.to_device(others[0]))
        assert np.array_equal(stacked.copy_to_host(), matmul(stack, others[0]))
        print("on device arrays: a thread for each entry, the same bits")


if __name__ == "__main__":
    main()
