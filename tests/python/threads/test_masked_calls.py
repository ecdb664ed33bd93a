"""`where=` with masks that select scattered elements, on one thread: they are computed packed."""

import numpy as np
import pytest

import numpy_plugin as npp

N = 20_000
TARGETS = ["cpu", "auto", "parallel"]


@pytest.fixture(autouse=True)
def one_thread():
    before = npp.get_num_threads()
    npp.set_num_threads(1)
    yield
    npp.set_num_threads(before)


def random_mask(shape, density=0.5):
    return np.random.default_rng(1).random(shape) < density


def make_quotient(target):
    @npp.vectorize(["float32(float32, float32)", "float64(float64, float64)"], target=target)
    def quotient(x, y):
        return x / y + 1

    return quotient


def written(function, operands, mask, out):
    """What a masked call leaves in `out`, by a call without a mask and a copy."""
    expected = out.copy()
    with np.errstate(all="ignore"):
        values = function(*operands)
    np.copyto(expected, values, where=mask, casting="same_kind")
    return expected


MASKS = {
    "random": random_mask(N),
    "few": random_mask(N, 0.05),
    "most": random_mask(N, 0.95),
    "every other": np.arange(N) % 2 == 0,
    "random, then none": random_mask(N) & (np.arange(N) < N // 2),
    "none, then random": random_mask(N) & (np.arange(N) >= N // 2),
    "strided": random_mask(2 * N)[::2],
    "one": np.array(True),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind", MASKS)
@pytest.mark.parametrize("dtypes", [("f8", "f8", "f8"), ("f4", "f8", "f4"), ("i4", "f4", ">f8")])
def test_selected_elements_are_those_of_the_whole_call(target, kind, dtypes):
    quotient = make_quotient(target)
    rng = np.random.default_rng(2)
    x, y = (rng.integers(1, 99, N).astype(dtype) for dtype in dtypes[:2])
    out = np.full(N, -7, dtypes[2])
    expected = written(quotient, (x, y), MASKS[kind], out)
    result = quotient(x, y, out=out, where=MASKS[kind], casting="same_kind")
    assert result is out
    assert out.tobytes() == expected.tobytes()


@pytest.mark.parametrize("shape", [(100, 200), (2, 20_000), (7, 60, 31)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_masks_and_operands_broadcast(shape, order):
    quotient = make_quotient("cpu")
    x = np.asarray(np.random.default_rng(3).random(shape), order=order)
    row = np.random.default_rng(4).random(shape[-1])
    for mask in random_mask(shape), random_mask(shape[-1:]):
        out = np.full(shape, -7.0, order=order)
        expected = written(quotient, (x, row), mask, out)
        quotient(x, row, out=out, where=mask)
        np.testing.assert_array_equal(out, expected)


def test_only_selected_elements_raise_flags():
    quotient = make_quotient("cpu")
    mask = random_mask(N)
    y, out = np.where(mask, 2.0, 0.0), np.zeros(N)
    with np.errstate(all="raise"):
        quotient(1.0, y, out=out, where=mask)
        y[np.flatnonzero(mask)[-1]] = 0
        with pytest.raises(FloatingPointError, match="divide by zero encountered in quotient"):
            quotient(1.0, y, out=out, where=mask)
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in quotient") as caught:
        quotient(1.0, y, out=out, where=mask)
    assert len(caught) == 1


def test_only_selected_elements_raise_exceptions():
    @npp.vectorize(["float64(float64)"], target="cpu")
    def checked(x):
        if x < 0:
            raise ValueError("negative")
        return x

    mask = random_mask(N)
    x = np.where(mask, 1.0, -1.0)
    assert checked(x, out=np.zeros(N), where=mask).sum() == mask.sum()
    first, last = np.flatnonzero(mask)[[N // 8, -1]]
    x[[first, last]] = -1
    with pytest.raises(ValueError, match="negative") as raised:
        checked(x, out=np.zeros(N), where=mask)
    assert raised.value.element == (first,)


def test_outputs_overlap_inputs_as_if_these_were_copies():
    quotient = make_quotient("cpu")
    buffer, mask = np.arange(1.0, N + 2), random_mask(N)
    expected = written(quotient, (buffer[:-1].copy(), 3.0), mask, buffer[1:])
    quotient(buffer[:-1], 3.0, out=buffer[1:], where=mask)
    assert buffer[1:].tobytes() == expected.tobytes()


def test_several_outputs():
    @npp.vectorize(["(float64, int64)(float64)"], target="cpu")
    def parts(x):
        return x * 2, int(x)

    x, mask = np.linspace(-9, 9, N), random_mask(N)
    double, whole = np.zeros(N), np.zeros(N, "i8")
    parts(x, out=(double, whole), where=mask)
    np.testing.assert_array_equal(double, np.where(mask, 2 * x, 0))
    np.testing.assert_array_equal(whole, np.where(mask, x.astype("i8"), 0))


def test_mistakes_are_numpys():
    quotient = make_quotient("cpu")
    x, mask = np.ones(N), random_mask(N)
    for keywords, error in (
        ({"where": mask[:-1]}, ValueError),
        ({"where": mask.astype("f8")}, TypeError),
        ({"where": mask, "casting": "no"}, TypeError),
    ):
        out = np.zeros(N, "f4")
        with pytest.raises(error) as by_numpy:
            np.divide(x, 2.0, out=out, **keywords)
        with pytest.raises(error) as ours:
            quotient(x, 2.0, out=out, **keywords)
        assert str(ours.value).replace("quotient", "divide") == str(by_numpy.value)
        assert not out.any()
