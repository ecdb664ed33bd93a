"""Ufuncs declared without signatures: compiled for the types of each call, once."""

import threading

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda


@pytest.fixture(scope="module")
def scale():
    @npp.vectorize
    def scale(x, y):
        """Return x times y, plus one."""
        return x * y + 1

    return scale


def test_is_a_ufunc_without_loops_at_first(scale):
    assert type(scale) is np.ufunc
    assert (scale.nin, scale.nout, scale.ntypes) == (2, 1, 0)
    assert scale.__doc__.endswith("\n\nReturn x times y, plus one.")


@pytest.mark.parametrize(
    "dtypes",
    [
        ("f4", "f4"),
        ("f8", "f8"),
        ("i1", "i1"),
        ("i8", "u8"),
        ("f4", "i4"),
        ("c8", "f4"),
        ("f2", "f2"),
    ],
)
def test_results_are_numpys(scale, dtypes):
    x = np.array([1, 2, 3]).astype(dtypes[0])
    y = np.array([4, 5, 6]).astype(dtypes[1])
    expected = x * y + 1
    result = scale(x, y)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


def test_plain_numbers_take_the_other_operands_type(scale):
    assert scale(np.ones(2, np.float32), 2.5).dtype == np.float32
    assert scale(np.ones(2, np.int8), 2).dtype == np.int8
    assert scale(2, 3).dtype == np.int64
    assert scale(2.0, 3).dtype == np.float64


def test_plain_numbers_are_weak_beside_bfloat16():
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    f = npp.vectorize(lambda x, y: x * y + 1)
    x = np.arange(3).astype(bfloat16)
    for number in (2, 2.0):
        assert f(x, number).dtype == f(number, x).dtype == bfloat16
    assert f(x, 2.0).tolist() == [1, 3, 5]
    assert f(x, 2j).dtype == np.complex64
    assert f(x, np.float32(2)).dtype == np.float32
    with cuda.simulator():
        assert f(cuda.to_device(x), 2.0).dtype == bfloat16


def test_the_promoter_answers_again_for_other_operands_of_one_loop(scale):
    for _ in range(2):
        assert scale(np.ones(2, np.float32), np.ones(2, np.float32)).dtype == np.float32
        assert scale(np.ones(2, np.float32), 2.0).dtype == np.float32
        assert scale(2, np.ones(2, np.float32)).dtype == np.float32


def test_types_no_kernel_has_are_numpys_type_error(scale):
    for operand in ("text", np.datetime64("2020-01-01"), object()):
        with pytest.raises(TypeError, match="scale"):
            scale(operand, operand)
    assert scale(1, 2) == 3


def test_dtype_keyword(scale):
    result = scale(np.ones(2, np.float32), np.ones(2, np.float32), dtype=np.float64)
    assert result.dtype == np.float64


def test_signatures_show_what_was_compiled():
    f = npp.vectorize(lambda x: x + 1)
    assert npp.inspect(f).signatures == []
    f(np.ones(2, np.float32))
    f(np.ones(2, np.int16))
    assert sorted(npp.inspect(f).signatures) == ["float32(float32)", "int16(int16)"]


def test_eight_threads_compile_once(compiler_log):
    npp.vectorize(lambda x: -x, cache=False)(1.0)  # the compiler is checked before its first kernel
    before = len(compiler_log())
    f = npp.vectorize(lambda x: x * 3 + 2, cache=False)
    barrier = threading.Barrier(8)
    results, errors = [], []

    def call():
        barrier.wait()
        try:
            results.append(f(np.arange(3.0)))
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=call) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(results) == 8
    for result in results:
        np.testing.assert_array_equal(result, [2, 5, 8])
    assert len(compiler_log()) == before + 1


def test_a_kernel_that_does_not_fit_fails_each_time_and_leaves_the_rest():
    f = npp.vectorize(lambda x: x << 1)
    for _ in range(2):
        with pytest.raises(npp.KernelError, match="'<<' needs integers, x is float64"):
            f(np.ones(2))
    np.testing.assert_array_equal(f(np.arange(3)), [0, 2, 4])


@pytest.mark.parametrize(
    ("identity", "empty", "both_axes"),
    [(0, 0.0, 66.0), (1, 1.0, 67.0), (None, None, None), ("reorderable", None, 66.0)],
)
def test_identities(identity, empty, both_axes):
    f = npp.vectorize(None, identity=identity)(lambda x, y: x + y)
    x = np.arange(12.0).reshape(3, 4)
    if empty is None:
        with pytest.raises(ValueError, match="no identity"):
            f.reduce(np.empty(0))
    else:
        assert f.reduce(np.empty(0)) == empty
    if both_axes is None:
        with pytest.raises(ValueError, match="reorderable"):
            f.reduce(x, axis=(0, 1))
    else:
        assert f.reduce(x, axis=(0, 1)) == both_axes
    if empty is not None:
        assert f.reduce(x[0], where=[True, False, True, False]) == 2 + empty
    assert f.reduce(np.arange(4.0)) == 6 + (empty or 0.0)


@pytest.mark.parametrize("signature", ["hh->h", ("f4", "i2", "f8"), (np.float32,) * 3])
def test_a_signature_of_all_dtypes(signature):
    def call(f, x):
        try:
            return f(x, 2, signature=signature, casting="unsafe").dtype
        except TypeError as error:
            return str(error).partition(" types")[0]

    def plus(x, y):
        return x + y

    here, there, numpys = npp.vectorize(plus), npp.vectorize(plus), np.add
    x = np.arange(3)
    expected = "float32" if signature[0] is np.float32 else "int16"
    if signature[0] == "f4":
        expected = "ufunc 'plus' did not contain a loop with signature matching"
    else:
        assert call(numpys, x) == expected
    assert call(here, x) == expected
    with cuda.simulator():
        assert call(there, cuda.to_device(x)) == expected


def test_methods_of_a_lazy_ufunc(scale):
    x = np.arange(1.0, 6)
    np.testing.assert_array_equal(scale.outer(x, x), np.multiply.outer(x, x) + 1)
    assert scale.accumulate(x)[-1] == ((((1 * 2 + 1) * 3 + 1) * 4 + 1) * 5 + 1)
    y = np.ones(3)
    scale.at(y, [0, 0], 2.0)
    np.testing.assert_array_equal(y, [7, 1, 1])
    out = np.zeros(5)
    scale(x, x, out=out, where=x > 3)
    np.testing.assert_array_equal(out, np.where(x > 3, x * x + 1, 0))


def test_several_results_of_mixed_types():
    @npp.vectorize
    def parts(x):
        n = int(x)
        return n, x - n

    assert parts.nout == 2
    whole, rest = parts(np.array([1.25, 2.5]))
    assert (whole.dtype, rest.dtype) == (np.int64, np.float64)
    np.testing.assert_array_equal(whole, [1, 2])
    np.testing.assert_array_equal(rest, [0.25, 0.5])


def test_what_is_wrong_for_all_types_is_an_error_of_the_declaration():
    def f(x, n):
        return (x << n) + missing  # noqa: F821

    with pytest.raises(npp.KernelError) as caught:
        npp.vectorize(f)
    assert [item.message for item in caught.value.diagnostics] == ["unknown name 'missing'"]


def test_a_kernel_that_only_a_narrow_type_fits_is_no_error_of_the_declaration():
    narrow = npp.vectorize(["complex64(complex64)"])(lambda z: z + z)
    f = npp.vectorize(lambda x: narrow(x * 1j).imag)
    assert f(np.float32(2)) == 4
    with pytest.raises(npp.KernelError, match="no loop for"):
        f(2.0)
