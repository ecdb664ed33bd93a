"""guvectorize: NumPy's layout language, core arrays with strides, frozen sizes, keywords."""

import numpy as np
import pytest

import numpy_plugin as npp


@pytest.fixture(scope="module", params=["cpu", "parallel"])
def matmul(request):
    @npp.guvectorize(
        [
            "void(float64[:,:], float64[:,:], float64[:,:])",
            "void(int64[:,:], int64[:,:], int64[:,:])",
        ],
        "(m,k),(k,n)->(m,n)",
        target=request.param,
    )
    def matmul(a, b, out):
        for i in range(a.shape[0]):
            for j in range(b.shape[1]):
                s = a[i, 0] * b[0, j]
                for k in range(1, a.shape[1]):
                    s += a[i, k] * b[k, j]
                out[i, j] = s

    return matmul


def test_is_a_generalized_ufunc(matmul):
    assert type(matmul) is np.ufunc
    assert matmul.signature == "(m,k),(k,n)->(m,n)"
    assert set(matmul.types) == {"dd->d", "ll->l"}


def test_outer_dimensions_broadcast(matmul):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(5, 1, 2, 3)), rng.normal(size=(4, 3, 2))
    np.testing.assert_allclose(matmul(a, b), a @ b, rtol=1e-13)
    assert matmul(a, b).shape == (5, 4, 2, 2)


def test_strided_core_dimensions(matmul):
    rng = np.random.default_rng(1)
    base = rng.normal(size=(8, 9, 10))
    a, b = base[::2, ::-2, 1::3], base[::2, 2:8:2, ::4].transpose(0, 1, 2)
    np.testing.assert_allclose(matmul(a, b), a @ b, rtol=1e-13)
    np.testing.assert_allclose(matmul(a.swapaxes(1, 2), a), a.swapaxes(1, 2) @ a, rtol=1e-13)


def test_casting_and_out(matmul):
    a = np.arange(6).reshape(2, 3)
    out = np.zeros((2, 2))
    assert matmul(a, a.T, out=out) is out
    np.testing.assert_array_equal(out, a @ a.T)
    np.testing.assert_array_equal(matmul(a.astype(np.int8), a.T), a @ a.T)


def test_axes_and_axis(matmul):
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(2, 3, 4)), rng.normal(size=(3, 5, 4))
    expected = np.einsum("ijt,jkt->ikt", a, b)
    result = matmul(a, b, axes=[(0, 1), (0, 1), (0, 1)])
    np.testing.assert_allclose(result, expected, rtol=1e-13)
    norm = npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()")(norm2)
    np.testing.assert_allclose(norm(a, axis=0), (a**2).sum(0), rtol=1e-13)
    assert norm(a, axis=1, keepdims=True).shape == (2, 1, 4)


def norm2(a, out):
    s = 0.0
    for i in range(a.shape[0]):
        s += a[i] * a[i]
    out[0] = s


def test_wrong_core_sizes_are_numpys_error(matmul):
    with pytest.raises(ValueError, match="mismatch in its core dimension"):
        matmul(np.ones((2, 3)), np.ones((2, 3)))
    with pytest.raises(ValueError, match="does not have enough dimensions"):
        matmul(np.ones(3), np.ones((3, 2)))


def test_empty_outer_and_core_dimensions():
    norm = npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()")(norm2)
    assert norm(np.empty((0, 3))).shape == (0,)
    np.testing.assert_array_equal(norm(np.empty((3, 0))), np.zeros(3))


def test_scalar_operand_beside_a_core_array():
    @npp.guvectorize(["void(float64[:], int64, float64[:])"], "(n),()->(n)")
    def moving_average(a, width, out):
        for i in range(a.shape[0]):
            start = max(i - width + 1, 0)
            s = 0.0
            for j in range(start, i + 1):
                s += a[j]
            out[i] = s / (i + 1 - start)

    x = np.arange(10.0)
    expected = [x[max(i - 2, 0) : i + 1].mean() for i in range(10)]
    np.testing.assert_allclose(moving_average(x, 3), expected, rtol=1e-14)
    assert moving_average(x, np.array([1, 3])).shape == (2, 10)


def test_frozen_sizes_are_checked_by_numpy_and_constant_in_the_source():
    @npp.guvectorize(["void(float64[:], float64[:], float64[:])"], "(3),(3)->(3)")
    def cross(a, b, out):
        out[0] = a[1] * b[2] - a[2] * b[1]
        out[1] = a[2] * b[0] - a[0] * b[2]
        out[2] = a[0] * b[1] - a[1] * b[0]

    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(7, 3)), rng.normal(size=3)
    np.testing.assert_allclose(cross(a, b), np.cross(a, b), rtol=1e-13)
    with pytest.raises(ValueError, match="mismatch in its core dimension"):
        cross(np.ones(4), np.ones(4))
    assert "npp::Dim<0, 3>" in npp.inspect(cross).source("cpu")


def test_fixed_output_size():
    @npp.guvectorize(["void(float64[:], float64[:])"], "(n)->(3)")
    def extremes(a, out):
        out[0] = a[0]
        out[1] = a[0]
        out[2] = 0.0
        for i in range(a.shape[0]):
            out[0] = min(out[0], a[i])
            out[1] = max(out[1], a[i])
            out[2] += a[i]

    x = np.random.default_rng(4).normal(size=(5, 20))
    expected = np.stack([x.min(1), x.max(1), x.sum(1)], axis=1)
    np.testing.assert_allclose(extremes(x), expected, rtol=1e-12)


def test_optional_dimensions():
    @npp.guvectorize(["void(float64[:,:], float64[:,:], float64[:,:])"], "(m?,k),(k,n?)->(m?,n?)")
    def product(a, b, out):
        for i in range(a.shape[0]):
            for j in range(b.shape[1]):
                out[i, j] = 0.0
                for k in range(a.shape[1]):
                    out[i, j] += a[i, k] * b[k, j]

    rng = np.random.default_rng(5)
    a, b = rng.normal(size=(2, 3)), rng.normal(size=(3, 4))
    for left, right in [(a, b), (a[0], b), (a, b[:, 0]), (a[0], b[:, 0])]:
        np.testing.assert_allclose(product(left, right), left @ right, rtol=1e-13)


def test_several_outputs():
    @npp.guvectorize(["void(float64[:], float64[:], int64[:])"], "(n)->(),()")
    def highest(a, value, place):
        value[0] = a[0]
        place[0] = 0
        for i in range(1, a.shape[0]):
            if a[i] > value[0]:
                value[0] = a[i]
                place[0] = i

    x = np.random.default_rng(6).normal(size=(4, 9))
    value, place = highest(x)
    np.testing.assert_array_equal(value, x.max(1))
    np.testing.assert_array_equal(place, x.argmax(1))


def test_cpp_body():
    f = npp.guvectorize(
        ["void(float64[:], float64[:])"],
        "(n)->(n)",
        args="a",
        outs="out",
        body="double s = 0; for (npp::int64 i = 0; i < a.shape(0); ++i) { s += a(i); out(i) = s; }",
    )
    x = np.random.default_rng(7).normal(size=(3, 8))
    np.testing.assert_allclose(f(x), np.cumsum(x, axis=1), rtol=1e-13)
    np.testing.assert_allclose(f(x[:, ::-2]), np.cumsum(x[:, ::-2], axis=1), rtol=1e-13)


def test_large_outer_dimension_in_parallel(matmul):
    a = np.random.default_rng(8).normal(size=(20_000, 2, 2))
    np.testing.assert_allclose(matmul(a, a), a @ a, rtol=1e-12, atol=1e-13)


def test_a_layout_without_arrow():
    with pytest.raises(npp.SignatureError, match="the layout has no '->'"):
        npp.guvectorize(["void(float64[:], float64[:])"], "(n)(n)")(norm2)


def test_broadcastable_core_dimensions():
    @npp.guvectorize(["void(float64[:], float64[:], bool[:])"], "(n|1),(n|1)->()")
    def all_equal(a, b, out):
        out[0] = True
        for i in range(a.shape[0]):
            if a[i] != b[i]:
                out[0] = False

    x = np.array([[1.0, 1.0, 1.0], [1.0, 2.0, 1.0]])
    np.testing.assert_array_equal(all_equal(x, [1.0]), [True, False])
    np.testing.assert_array_equal(all_equal([[1.0]], x), [True, False])
    np.testing.assert_array_equal(all_equal(x, x), [True, True])
    assert all_equal([2.0], [2.0])
    with pytest.raises(ValueError, match="mismatch in its core dimension"):
        all_equal(np.ones(3), np.ones(2))


@npp.guvectorize(["void(float64[:,:], float64[:,:], float64[:,:])"], "(3,3),(3,3)->(3,3)")
def product_of_three(a, b, out):
    for i in range(3):
        for j in range(3):
            total = 0.0
            for k in range(3):
                total += a[i, k] * b[k, j]
            out[i, j] = total


@pytest.mark.parametrize("order", ["packed", "in larger matrices", "transposed", "broadcast"])
def test_fixed_sizes_with_strides_of_any_kind(order):
    whole = np.random.default_rng(7).random((5, 3, 4))
    operands = {
        "packed": whole[..., :3].copy(),
        "in larger matrices": whole[..., :3],
        "transposed": whole[..., :3].copy().swapaxes(1, 2),
        "broadcast": np.broadcast_to(whole[:, :1, :3], (5, 3, 3)),
    }
    a, b = operands[order], operands["packed"]
    expected = product_of_three(a.copy(), b)
    np.testing.assert_allclose(expected, a @ b)
    np.testing.assert_array_equal(product_of_three(a, b), expected)
    out = np.zeros((5, 3, 4))
    product_of_three(b, a, out=out[..., :3])
    np.testing.assert_array_equal(out[..., :3], product_of_three(b, a.copy()))
    assert not out[..., 3].any()


@pytest.mark.parametrize(
    ("fastmath", "is_regrouped"), [(False, False), (True, True), ({"reassoc", "nsz"}, True)]
)
def test_sums_have_several_accumulators_where_they_may_be_regrouped(fastmath, is_regrouped):
    @npp.guvectorize(
        ["void(float64[:], float64[:])", "void(float32[:], float32[:])"],
        "(n)->()",
        fastmath=fastmath,
    )
    def total(x, out):
        s = x[0] - x[0]
        for i in range(x.shape[0]):
            s += x[i]
        out[0] = s

    # One by one, each 1 is lost beside the first number.
    for dtype, first in (("f8", 2.0**53), ("f4", 2.0**24)):
        x = np.ones(64, dtype)
        x[0] = first
        assert bool(total(x) > first) == is_regrouped


def test_several_results_of_few_elements():
    """Contiguous inputs are copied before the first result is stored."""

    @npp.guvectorize(
        ["void(float64[:], bool[:], float64[:])", "void(int32[:], bool[:], int32[:])"],
        "(3),(3)->(3)",
        target="cpu",
    )
    def turned(x, keep, out):
        out[0] = x[1] if keep[0] else x[0] + x[2]
        out[1] = x[2] if keep[1] else x[0] - x[1]
        out[-1] = x[-3] if keep[-1] else x[1] - x[2]

    assert "kHoldsInputs = true" in npp.inspect(turned).source("cpu")
    random = np.random.default_rng(0)
    bits = random.integers(0, 3, (50, 3), "u1")  # 2 is true, too
    kept = bits != 0
    for dtype in ("f8", "i4"):
        x = (random.normal(size=(50, 3)) * 1000).astype(dtype)
        a, b, c = x.T
        expected = np.where(kept, np.stack([b, c, a], 1), np.stack([a + c, a - b, b - c], 1))
        np.testing.assert_array_equal(turned(x, bits.view(bool)), expected)
        np.testing.assert_array_equal(turned(np.asfortranarray(x), kept), expected)
        np.testing.assert_array_equal(turned(x, kept, out=x), expected)


def test_one_result_or_a_loop_reads_inputs_where_they_are():
    signatures = ["void(float64[:], float64[:])"]

    def first(x, out):
        out[0] = x[0]

    def doubled(x, out):
        out[0] = x[0]
        for i in range(1, 3):
            out[i] = 2 * x[i]

    for function, layout in ((first, "(3)->()"), (doubled, "(3)->(3)")):
        f = npp.guvectorize(signatures, layout, target="cpu")(function)
        assert "kHoldsInputs" not in npp.inspect(f).source("cpu")
