"""The pieces of a sparse PCA: vector norms, the k largest entries, and a batch of dot products."""

from typing import Any

import numpy as np
import numpy.typing as npt

import numpy_plugin as npp
from numpy_plugin import cuda

Vector = npt.NDArray[Any]


@npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()")
def vector_norm(x: Vector, out: Vector) -> None:
    """Euclidean length."""
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * x[i]
    out[0] = total**0.5


@npp.guvectorize(["void(float64[:], float64[:], float64[:])"], "(n),(k)->(k)")
def k_largest(x: Vector, like: Vector, out: Vector) -> None:
    """The k largest entries of x in descending order; `like` only determines k."""
    for j in range(like.shape[0]):
        out[j] = -np.inf
    for i in range(x.shape[0]):
        value = x[i]
        for j in range(out.shape[0]):
            if value > out[j]:
                value, out[j] = out[j], value


@npp.guvectorize(["void(float64[:], float64[:])"], "(n)->(3)")
def three_largest(x: Vector, out: Vector) -> None:
    """The three largest entries; 3 is a compile-time constant."""
    for j in range(3):
        out[j] = -np.inf
    for i in range(x.shape[0]):
        value = x[i]
        for j in range(3):
            if value > out[j]:
                value, out[j] = out[j], value


@npp.guvectorize(["void(float64[:], float64[:], float64[:])"], "(n),(n)->()")
def dot(x: Vector, y: Vector, out: Vector) -> None:
    """Sum of the products."""
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * y[i]
    out[0] = total


def explained_deviation(basis: Any, directions: Any, k: int) -> Any:
    """Norm of the best k-sparse vector for each direction in the span of a basis.

    For a direction d, let a = basis @ d; the unit vector along the k entries of a with the largest
    magnitude explains the norm of these entries.
    """
    entries = dot(directions[:, np.newaxis, :], basis)
    return vector_norm(k_largest(abs(entries), basis[:k, 0]))


def main() -> None:
    rng = np.random.default_rng(1)
    p, d, k = 100, 3, 10
    samples = rng.normal(size=(1000, p))

    np.testing.assert_allclose(vector_norm(samples), np.linalg.norm(samples, axis=1), rtol=1e-14)
    print("norms of", len(samples), "vectors: within 1e-14 of np.linalg.norm")

    falling = -np.sort(-samples, axis=1)
    assert np.array_equal(k_largest(samples, np.empty(k)), falling[:, :k])
    assert np.array_equal(three_largest(samples), falling[:, :d])
    print("the", k, "largest and the 3 largest: as np.sort has them")
    print("three_largest([5, 1, 4, 2, 3]) =", three_largest([5, 1, 4, 2, 3]))

    directions = rng.normal(size=(d, p))
    products = dot(samples[:, np.newaxis, :], directions)
    np.testing.assert_allclose(products, samples @ directions.T, rtol=0, atol=1e-12)
    print("dot products, each sample with each direction:", products.shape)

    # Sparse PCA: the leading d principal axes, scaled, and an epsilon-net of directions in them.
    values, vectors = np.linalg.eigh(np.cov(samples.T))
    basis = vectors[:, -d:] * np.sqrt(values[-d:])
    net = rng.normal(size=(2000, d))
    net /= np.linalg.norm(net, axis=1, keepdims=True)
    explained = explained_deviation(basis, net, k)
    reference = np.abs(net @ basis.T)
    support = np.argsort(-reference, axis=1)[:, :k]
    np.testing.assert_allclose(
        explained, np.linalg.norm(np.take_along_axis(reference, support, 1), axis=1), rtol=1e-12
    )
    print("sparse PCA: the best of", len(net), "directions, with", k, "of", p, "entries")

    with cuda.current_device() if cuda.is_available() else cuda.simulator():
        on_device = explained_deviation(cuda.to_device(basis), cuda.to_device(net), k)
        assert np.array_equal(on_device.copy_to_host(), explained)
    print("the whole search on device arrays: the same bits")


if __name__ == "__main__":
    main()
